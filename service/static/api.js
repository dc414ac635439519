// The service's public HTTP interface. The page uses nothing else.

const KEY = "spades-api-key"; // in sessionStorage, so that the browser forgets it with the tab

// The page may be served below a path of a proxy.
const HERE = new URL(".", location.href);
const BUSY = [429, 503]; // asked again after Retry-After
const RETRIES = 2;

/** An error answer of the service (RFC 9457), or a request that got no answer (status 0). */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || "no answer");
    this.status = status;
    this.body = body;
    this.faults = body.errors || [];
  }
}

/** Return the address of a path of the service. */
export const urlOf = (path) => new URL(path.slice(1), HERE).href;

export const apiKey = () => sessionStorage.getItem(KEY) || "";

/** Keep the API key for this tab; an empty text forgets it. */
export function setApiKey(key) {
  if (key) sessionStorage.setItem(KEY, key);
  else sessionStorage.removeItem(KEY);
}

/** Return the answer to a POST of `request`, or to a GET without one; wait while the service is busy. Throws `Problem`. */
export async function ask(path, request, signal) {
  const headers = { Accept: "application/json" };
  if (apiKey()) headers.Authorization = `Bearer ${apiKey()}`;
  const options = { headers, signal };
  if (request !== undefined) {
    Object.assign(options, { method: "POST", body: JSON.stringify(request) });
    headers["Content-Type"] = "application/json";
  }
  let response = await send(path, options);
  for (let retry = 0; BUSY.includes(response.status) && retry < RETRIES; retry++) {
    await new Promise((done) => setTimeout(done, 1000 * (Number(response.headers.get("Retry-After")) || 1)));
    response = await send(path, options);
  }
  let body;
  try {
    body = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(response.status, { title: `The answer is not JSON (status ${response.status})` });
  }
  if (!response.ok) throw new Problem(response.status, body);
  return body;
}

async function send(path, options) {
  try {
    return await fetch(urlOf(path), options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { title: "No answer", detail: "The service does not answer. Is it still running?" });
  }
}

/** Return the answers to a batch in order: each `{status, body}`. */
export async function askAll(path, requests, signal) {
  return (await ask(path, { requests }, signal)).answers;
}
