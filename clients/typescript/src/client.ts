/** The client: deadlines, retries, errors and the fallback, on `fetch`. */
import { errorOf, NoAnswer, SpadesError, Unavailable } from "./errors.js";
import { type Fallback, localAnswer, type LocalBid } from "./fallback.js";
import { type Operation, operations, type Schemas } from "./operations.js";

const FIRST_BACKOFF_MS = 20;

export interface ClientOptions {
  /** The API key. */
  key?: string;
  /** Deadline of a whole call, retries included; the service gets what is left as X-Deadline-Ms. Default: 1000. */
  timeoutMs?: number;
  /** How often a request is sent at most. Default: 3. */
  attempts?: number;
  /** Makes the bid if the service cannot. */
  fallback?: Fallback;
  /** Called each time that the fallback makes a bid. Default: a warning on the console, with the reason. */
  onFallback?: (error: SpadesError, request: Schemas["BidRequest"]) => void;
}

export interface CallOptions {
  timeoutMs?: number;
  /** Sent as X-Request-ID; it is in the service's log. */
  requestId?: string;
}

/** A client of the service. Each method takes the body that the HTTP interface documents and returns its answer. */
export class Client {
  private readonly url: string;
  private readonly timeoutMs: number;
  private readonly attempts: number;

  constructor(url: string, private readonly options: ClientOptions = {}) {
    this.url = checkedUrl(url).replace(/\/+$/, "");
    this.timeoutMs = checkedTimeout(options.timeoutMs ?? 1000);
    this.attempts = options.attempts ?? 3;
    if (!(this.attempts >= 1)) throw new RangeError(`attempts is ${this.attempts}; accepted: 1 or more`);
    if (options.key !== undefined) checkHeader("key", options.key);
  }

  /** Return one bid. If the service cannot answer and there is a fallback, its bid, marked by `fallback`. */
  async bid(request: Schemas["BidRequest"], options?: CallOptions): Promise<LocalBid> {
    try {
      return await this.call(operations.bid, request, options);
    } catch (error) {
      const { fallback, onFallback = warn } = this.options;
      if (fallback === undefined || !(error instanceof SpadesError) || !error.temporary) throw error;
      const answer = localAnswer(fallback(request), error.message);
      // Logged, also if the hook is async: its error is of the caller's code, and the table still needs the bid.
      (async () => onFallback(error, request))().catch((fault: unknown) => {
        console.error("spades-client: onFallback threw an error:", fault);
      });
      return answer;
    }
  }

  /** Return the answers to up to 512 requests for bids, in order; each is answered or refused on its own. */
  bids(request: Schemas["BidsRequest"], options?: CallOptions): Promise<Schemas["BidsAnswer"]> {
    return this.call(operations.bids, request, options);
  }

  /** Return whether to bid blind nil, before the player sees the hand. */
  blind(request: Schemas["BlindRequest"], options?: CallOptions): Promise<Schemas["BlindAnswer"]> {
    return this.call(operations.blind, request, options);
  }

  /** Return the cards that a nil bidder or the partner gives away. */
  passCards(request: Schemas["PassRequest"], options?: CallOptions): Promise<Schemas["PassAnswer"]> {
    return this.call(operations.passCards, request, options);
  }

  /** Return the card to play. */
  card(request: Schemas["CardRequest"], options?: CallOptions): Promise<Schemas["CardAnswer"]> {
    return this.call(operations.card, request, options);
  }

  /** Return the answers to up to 256 requests for cards, in order. */
  cards(request: Schemas["CardsRequest"], options?: CallOptions): Promise<Schemas["CardsAnswer"]> {
    return this.call(operations.cards, request, options);
  }

  /** Return who may hold each unseen card, and random deals of these cards. */
  inference(request: Schemas["InferenceRequest"], options?: CallOptions): Promise<Schemas["InferenceAnswer"]> {
    return this.call(operations.inference, request, options);
  }

  /** Return the answers to up to 64 such requests, in order. */
  inferences(request: Schemas["InferencesRequest"], options?: CallOptions): Promise<Schemas["InferencesAnswer"]> {
    return this.call(operations.inferences, request, options);
  }

  /** Return what each bid, pass and card of a finished round cost its player. */
  review(request: Schemas["ReviewRequest"], options?: CallOptions): Promise<Schemas["ReviewAnswer"]> {
    return this.call(operations.review, request, options);
  }

  /** Tell the service what became of bids. It is sent again only if nothing was counted. */
  results(request: Schemas["ResultsRequest"], options?: CallOptions): Promise<Schemas["ResultsAnswer"]> {
    return this.call(operations.results, request, options);
  }

  /** Return the policies with their options and measured strength. */
  listPolicies(options?: CallOptions): Promise<Schemas["PoliciesAnswer"]> {
    return this.call(operations.listPolicies, undefined, options);
  }

  /** Return presets, rule fields and what each variant fixes. */
  listRules(options?: CallOptions): Promise<Schemas["RulesAnswer"]> {
    return this.call(operations.listRules, undefined, options);
  }

  /** Return the codes of reasons with their sentences. */
  listReasons(options?: CallOptions): Promise<Schemas["ReasonsAnswer"]> {
    return this.call(operations.listReasons, undefined, options);
  }

  /** Return the versions of code and tables. */
  version(options?: CallOptions): Promise<Schemas["VersionAnswer"]> {
    return this.call(operations.version, undefined, options);
  }

  private async call<Request, Answer>(
    operation: Operation<Request, Answer>,
    request: Request,
    { timeoutMs = this.timeoutMs, requestId }: CallOptions = {},
  ): Promise<Answer> {
    const deadline = performance.now() + checkedTimeout(timeoutMs);
    const left = () => Math.max(deadline - performance.now(), 1);
    const headers: Record<string, string> = {};
    if (request !== undefined) headers["Content-Type"] = "application/json";
    if (this.options.key !== undefined) headers["Authorization"] = `Bearer ${this.options.key}`;
    if (requestId !== undefined) headers["X-Request-ID"] = checkHeader("requestId", requestId);
    const body = request === undefined ? null : JSON.stringify(request);
    for (let attempt = 1; ; attempt++) {
      let error: SpadesError;
      try {
        headers["X-Deadline-Ms"] = left().toFixed(1);
        const signal = AbortSignal.timeout(Math.ceil(left())); // ends the reading of the body, too
        // Not followed: a redirected POST would become a GET of another page.
        const redirect = "manual";
        const { method, path, field } = operation;
        const response = await fetch(this.url + path, { method, headers, body, signal, redirect });
        const text = await response.text();
        if (response.status === 200) return answerOf<Answer>(text, field);
        error = errorOf(response, text);
      } catch (cause) {
        error = cause instanceof SpadesError ? cause : noAnswer(cause, timeoutMs);
      }
      const wait = waitMs(error, operation.repeatable, attempt, left());
      if (wait === undefined || attempt >= this.attempts || wait >= left()) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

function warn(error: SpadesError): void {
  console.warn(`spades-client: fallback bid: ${error.message}`);
}

/** Longer timers end at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

function checkedTimeout(timeoutMs: number): number {
  if (timeoutMs > 0 && timeoutMs <= LONGEST_TIMEOUT_MS) return timeoutMs;
  throw new RangeError(`timeoutMs is ${timeoutMs}; accepted: more than 0, up to ${LONGEST_TIMEOUT_MS}`);
}

/** Return `value` if a header can hold it. The error does not quote it, because it may be a key. */
function checkHeader(name: string, value: string): string {
  if (/^[!-~]([ -~]*[!-~])?$/.test(value)) return value;
  const fault = "is empty, has a sign that is not printable ASCII, such as a line break, or a space at an end";
  throw new TypeError(`${name} ${fault}; accepted: printable ASCII`);
}

/** A label of a host's name. */
const LABEL = String.raw`[^\s.:/?#@%\\[\]]{1,63}`;
/** The same in all clients: `URL` and others accept more, and no request could be sent. */
const ACCEPTED_URL = new RegExp(
  String.raw`^https?://(\[[0-9a-f:.]+\]|${LABEL}(\.${LABEL})*\.?)(:[1-9][0-9]{0,4})?(/[^\s?#\\]*)?$`,
  "i",
);

function checkedUrl(url: string): string {
  const accepted = "http:// or https:// and a host, such as http://127.0.0.1:8080; a port up to 65535; ";
  const fault = `url is ${JSON.stringify(url)}; accepted: ${accepted}no white space, user, query or fragment`;
  if (!ACCEPTED_URL.test(url)) throw new TypeError(fault);
  try {
    new URL(url); // also refuses a port that is too large
  } catch (cause) {
    throw new TypeError(fault, { cause });
  }
  return url;
}

function answerOf<Answer>(text: string, field: string): Answer {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    // handled below: a proxy's page, for example
  }
  if (typeof answer === "object" && answer !== null && field in answer) return answer as Answer;
  throw new NoAnswer(`the answer is ${text.slice(0, 200)}; accepted: a JSON object with ${field}`);
}

function noAnswer(cause: unknown, timeoutMs: number): NoAnswer {
  const late = cause instanceof Error && cause.name === "TimeoutError";
  return new NoAnswer(late ? `no answer in ${timeoutMs} ms` : `the connection failed: ${messages(cause)}`, { cause });
}

/** Return the messages of an error and of its causes, because that of `fetch` is only "fetch failed". */
function messages(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const causes: unknown[] = error instanceof AggregateError ? error.errors : [error.cause ?? ""];
  return [error.message, ...causes.map(messages)].filter((message) => message !== "").join(": ");
}

/**
 * Return the milliseconds to wait before the next attempt, or undefined: do not try again.
 * If there is no time for the Retry-After of a 503, the wait is short: another replica may answer.
 */
function waitMs(error: SpadesError, repeatable: boolean, attempt: number, left: number): number | undefined {
  if (error instanceof Unavailable) {
    if (error.status !== 429 && error.status !== 503) return undefined;
    const wait = error.retryAfterSeconds === undefined ? undefined : error.retryAfterSeconds * 1000;
    if (wait !== undefined && (error.status === 429 || wait < left)) return wait;
  } else if (!(error instanceof NoAnswer) || !repeatable) {
    return undefined; // fetch does not say whether the request was sent
  }
  return FIRST_BACKOFF_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
}
