// Uses the package of clients/typescript. Arguments: service, service with a key, the key, bad service, and the files of fallback cases and URLs.
import { readFileSync } from "node:fs";
import {
  CardError,
  Client,
  formatHand,
  InvalidRequest,
  operations,
  parseCard,
  parseHand,
  type Schemas,
  simpleBid,
  type SpadesError,
  Unavailable,
} from "spades-client";

declare const process: { argv: string[] };
type Arguments = [string, string, string, string, string, string];
const [url, keyedUrl, key, badUrl, cases, urls] = process.argv.slice(2) as Arguments;
const timeoutMs = 30_000;
const client = new Client(url, { timeoutMs });
function check(condition: boolean, what: unknown): asserts condition {
  if (!condition) throw new Error(JSON.stringify(what));
}
async function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(() => "no error").catch((error: unknown) => error);
}
function thrown(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    return (error as Error).message;
  }
  return "no error";
}

const request: Schemas["BidRequest"] = { hand: "AKJ62.AQ.Q.K9543", previous_bids: [3, 1], seat: 2 };
const round = { hand: request.hand, bids: [3, 1, 5, 4], seat: 2 };
const answer = await client.bid(request);
check(answer.bid === 6 && answer.fallback === undefined && answer.explanation !== undefined, answer);
const { answers } = await client.bids({ requests: [request, { ...request, seat: 3 }] });
check(answers[0]?.status === 200 && answers[0].body.bid === 6 && answers[1]?.status === 422, answers);
check(!(await client.blind({ previous_bids: [], seat: 0, rules: { preset: "blind-nil" } })).blind_nil, "blind");
const nil = { ...round, bids: [0, 1, 5, 4], rules: { preset: "pass-2" } } as const;
check((await client.passCards({ ...nil, bids: [...nil.bids] })).cards.length === 2, "pass");
const lead = { ...round, tricks: [["KD", "2D", "QD", "6D"], ["4H", "KH"]] };
check((await client.card(lead)).card === "AH", "card");
check((await client.cards({ requests: [lead] })).answers[0]?.status === 200, "cards");
check((await client.inference({ ...round, deals: 1 })).deals?.length === 1, "inference");
check((await client.inferences({ requests: [round] })).answers[0]?.status === 200, "inferences");
const finished = {
  hands: ["AKQJT98765432...", ".AKQJT98765432..", "..AKQJT98765432.", "...AKQJT98765432"],
  bids: [13, 1, 0, 1],
  plays: [..."AKQJT98765432"].flatMap((rank) => ["S", "H", "D", "C"].map((suit) => rank + suit)),
};
check((await client.review(finished)).decisions[0]?.choice === "13", "review");
const result = { policy: "bis", tables: answer.tables, p_nil_made: 0.7, nil_made: true };
check((await client.results({ results: [result] })).accepted === 1, "results");
check((await client.listPolicies()).default === "bis", "policies");
check((await client.listRules()).presets["classic"]?.win === 500, "rules");
check((await client.listReasons()).reasons.length > 0, "reasons");
check((await client.version({ requestId: "table-17" })).service !== "", "version");
check(Object.keys(operations).every((name) => name in client), "each operation has a method");

const refused = await failure(client.bid({ ...request, seat: 3 }));
check(refused instanceof InvalidRequest && refused.faults[0]?.pointer === "/seat", refused);
check(refused.message.includes("seat is 3 after 2 previous bids; accepted: 2"), refused.message);
const keyless = await failure(new Client(keyedUrl, { timeoutMs, fallback: simpleBid }).bid(request));
check(String(keyless).startsWith("ProblemError: 401"), keyless);
check((await new Client(keyedUrl, { key, timeoutMs }).bid(request)).bid === 6, "key");

check((await new Client(`${badUrl}/once/typescript`, { timeoutMs }).bid(request)).policy === "bis", "Retry-After");
check((await new Client(`${badUrl}/later/typescript`, { timeoutMs }).bid(request)).policy === "bis", "soon");
const busy = await failure(new Client(`${badUrl}/busy`, { timeoutMs, attempts: 2 }).bid(request));
check(busy instanceof Unavailable && busy.retryAfterSeconds === 1, busy);
const played: string[] = [];
const onFallback = (error: SpadesError, { seat }: typeof request) => void played.push(`${seat} ${error.message}`);
for (const kind of ["silent", "slow-body", "slow-head"]) {
  const slow = new Client(`${badUrl}/${kind}`, { timeoutMs: 200, fallback: simpleBid, onFallback });
  const local = await slow.bid(request);
  check(local.fallback === "no answer in 200 ms" && played.pop() === `2 ${local.fallback}`, local);
}
for (const kind of ["busy", "bad-gateway", "redirect", "missing", "forbidden", "page", "other-json"]) {
  const broken = new Client(`${badUrl}/${kind}`, { timeoutMs, attempts: 1, fallback: simpleBid, onFallback });
  const local = await broken.bid(request);
  check(local.bid === 5 && local.policy === "fallback" && played.pop() === `2 ${local.fallback}`, local);
  check(local.fallback !== `no answer in ${timeoutMs} ms`, local);
}
const gone = await new Client("http://127.0.0.1:2", { timeoutMs, fallback: simpleBid, onFallback }).bid(request);
check(gone.fallback?.startsWith("the connection failed: fetch failed: connect ECONNREFUSED") === true, gone.fallback);
check(played.length === 1, played);
const logged: unknown[] = [];
console.error = (...values: unknown[]) => void logged.push(values[1]);
for (const broken of [() => { throw new Error("sync"); }, async () => { throw new Error("async"); }]) {
  const local = await new Client(`${badUrl}/page`, { timeoutMs, fallback: simpleBid, onFallback: broken }).bid(request);
  check(local.bid === 5 && local.policy === "fallback", local);
}
await new Promise((resolve) => setTimeout(resolve)); // an async hook may end after the bid
check(logged.join() === "Error: sync,Error: async", logged.join());

const patient = new Client(url, { timeoutMs: 120_000, fallback: simpleBid });
const burst = await Promise.all(Array.from({ length: 1000 }, () => patient.bid(request)));
check(burst.length === 1000 && burst.every((one) => one.fallback === undefined), burst.find((one) => one.fallback));

const { right, wrong: wrongUrls }: { right: string[]; wrong: string[] } = JSON.parse(readFileSync(urls, "utf8"));
for (const wrong of wrongUrls) {
  check(thrown(() => new Client(wrong, { fallback: simpleBid })).startsWith("url is"), wrong);
}
for (const one of right) new Client(one);
for (const wrong of ["secret\n", "\nsecret", "sec\r\nret", " secret", "secret ", "s\u00e9cret", ""]) {
  const message = thrown(() => new Client(url, { key: wrong, fallback: simpleBid }));
  check(message.startsWith("key is empty, has") && !message.includes("cret"), message);
}
check((await failure(client.bid(request, { requestId: "table\n17" }))) instanceof TypeError, "requestId");
for (const wrong of [0, -1, NaN, Infinity]) {
  check(thrown(() => new Client(url, { timeoutMs: wrong })).startsWith(`timeoutMs is ${wrong}`), wrong);
  check((await failure(client.bid(request, { timeoutMs: wrong }))) instanceof RangeError, wrong);
}
check(thrown(() => new Client(url, { attempts: 0 })) === "attempts is 0; accepted: 1 or more", "attempts");

const fallbacks: { request: Schemas["BidRequest"]; bid: number }[] = JSON.parse(readFileSync(cases, "utf8"));
for (const one of fallbacks) check(simpleBid(one.request) === one.bid, one);
check(parseCard("♠10") === "TS" && parseCard("sq") === "QS" && parseCard("bj") === "BJ", "cards");
check(formatHand(["9C", "KS", "AS", "TD", "BJ"]) === "BAK..T.9", "hands");
check(parseHand("N:BA2.-.T.K9").join() === "BJ,AS,2S,TD,KC,9C", "hands");
for (const wrong of [["QS", "sq"], "AKQ.J", ["1S"], ["JB"], "A.B..", ["QSS"]]) {
  check((await failure(Promise.resolve().then(() => parseHand(wrong)))) instanceof CardError, wrong);
}
console.log("TypeScript client: all good");
