// Uses the generated TypeScript types against the service at the URL in the first argument.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

const client = createClient<paths>({ baseUrl: process.argv[2]! });
function check(condition: boolean, what: unknown): asserts condition {
  if (!condition) throw new Error(JSON.stringify(what));
}

// Every optional field may be left out.
const rules: components["schemas"]["RuleSet"] = { preset: "whiz" };
const request: components["schemas"]["BidRequest"] = { hand: "AKJ62.AQ.Q.K9543", previous_bids: [], seat: 0, rules };
const { data: answer, error } = await client.POST("/v1/bid", { body: request });
check(error === undefined && answer !== undefined, error);
check(answer.bid === 0 || answer.bid === 5, answer);
const takes: number | undefined = answer.explanation?.regular?.takes;
check(takes !== undefined && takes >= 1, answer);

const winprob = await client.POST("/v1/bid", { body: { ...request, rules: null, policy: "winprob" } });
const candidate = winprob.data?.explanation?.candidates?.[0];
check(candidate !== undefined && candidate.p_win > 0 && candidate.outcomes.made >= 0, winprob);

const best = await client.POST("/v1/bid", { body: { ...request, rules: null, policy: "best", explain: "brief" } });
const reason = best.data?.explanation?.reasons[0];
check(reason?.code === "wins" && reason.bid === best.data?.bid, best);
const { data: catalogue } = await client.GET("/v1/reasons");
const template = catalogue?.reasons.find((one) => one.code === "wins")?.template;
check(template !== undefined && template.includes("{bid}"), catalogue);

const refused = await client.POST("/v1/bid", { body: { ...request, seat: 3 } });
check(refused.data === undefined && refused.error?.errors?.[0]?.code === "seat-mismatch", refused.error);

const many = await client.POST("/v1/bids", { body: { requests: [request, { ...request, hand: "AKJ62" }] } });
for (const item of many.data?.answers ?? []) {
  // `status` tells the types of the two bodies apart.
  if (item.status === 200) check(item.body.bid === answer.bid, item);
  else check(item.body.errors?.[0]?.pointer === "/hand", item);
}
check(many.data?.answers.length === 2, many);

const unseen = { previous_bids: [], seat: 0, scores: { us: -100, them: 300 }, rules: { blind_nil: true } };
const look = await client.POST("/v1/bid/blind", { body: unseen });
check(typeof look.data?.blind_nil === "boolean" && look.data.explanation.p_made !== undefined, look);
console.log("TypeScript client: all good");
