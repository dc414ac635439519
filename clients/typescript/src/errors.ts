/** Errors: `NoAnswer`, and `ProblemError` with `InvalidRequest` (422) and `Unavailable` (not the caller's fault). */
import type { Schemas } from "./operations.js";

/** There is no answer that can be used. `temporary`: the same request may succeed later. */
export class SpadesError extends Error {
  readonly temporary: boolean = false;
  override get name(): string {
    return this.constructor.name;
  }
}

/**
 * The deadline passed, the connection failed, or the answer with status 200 is not one of the service. `cause` is the
 * error of `fetch`, if there was one.
 */
export class NoAnswer extends SpadesError {
  override readonly temporary = true;
}

/** The answer has another status than 200; the service's own have a problem (RFC 9457). */
export class ProblemError extends SpadesError {
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  /** All faults of the request: `pointer` into it, `code`, and `detail` with what was found and what is accepted. */
  readonly faults: Schemas["FaultItem"][];

  constructor(
    readonly status: number,
    problem: Partial<Schemas["Problem"]>,
    /** `Retry-After` of the answer. */
    readonly retryAfterSeconds?: number,
  ) {
    const errors: unknown[] = Array.isArray(problem.errors) ? problem.errors : [];
    const faults = errors.filter(isFault);
    const listed = faults.map((fault) => `${fault.pointer}: ${fault.detail}`).join("; ");
    super(`${status} ${problem.title ?? ""}: ${listed || (problem.detail ?? "")}`);
    this.type = problem.type ?? "about:blank";
    this.title = problem.title ?? "";
    this.detail = problem.detail ?? "";
    this.faults = faults;
  }
}

/** Return whether an item of `errors` is a fault; those of a proxy may have another form. */
function isFault(value: unknown): value is Schemas["FaultItem"] {
  return typeof value === "object" && value !== null && "pointer" in value && "code" in value && "detail" in value;
}

/** The request has faults; `faults` lists all of them. */
export class InvalidRequest extends ProblemError {}

/** The service cannot answer now, or something between answered: any status that is not the caller's fault. */
export class Unavailable extends ProblemError {
  override readonly temporary = true;
}

/**
 * Return the error that an answer other than 200 means. The caller must mend a 401, and the service's own problems below
 * 500, except 404, 408 and 429. All other answers are `Unavailable`: a redirect, a wrong path, or a page of a proxy.
 */
export function errorOf(response: Response, body: string): ProblemError {
  let problem: Partial<Schemas["Problem"]>;
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new SyntaxError("no object");
    problem = value;
  } catch {
    problem = { title: response.statusText, detail: `not an answer of the service: ${body.slice(0, 200)}` };
  }
  const seconds = response.headers.get("Retry-After") ?? "";
  const retryAfter = /^\d+$/.test(seconds) ? Number(seconds) : undefined;
  const { status } = response;
  const ofTheService = String(problem.type).startsWith("/problems/");
  const mendable = ofTheService && status >= 400 && status < 500 && ![404, 408, 429].includes(status);
  const kind = status !== 401 && !mendable ? Unavailable : status === 422 ? InvalidRequest : ProblemError;
  return new kind(status, problem, retryAfter);
}
