// Which bids are legal. The service alone knows the rules: the page tries bids, and keeps those that are not refused.
import { askAll, Problem } from "./api.js";
import { deckOf, SUITS } from "./cards.js";
import { rulesField, rulesOf } from "./state.js";

const HAND = 13;
const NUMBERS = Array.from({ length: HAND + 1 }, (_, bid) => bid); // 0 is nil
const REFUSED = 422;

async function accepted(path, bids, requestWith, signal) {
  const answers = await askAll(path, bids.map(requestWith), signal);
  const failed = answers.find(({ status }) => status !== 200 && status !== REFUSED);
  if (failed) throw new Problem(failed.status, failed.body);
  return bids.filter((_, index) => answers[index].status === 200);
}

/** Return the bids that a player may make after `before`: an inference refuses bids that nobody could have made. */
export const legalOwnBids = ({ hand, seat, rules, previous_bids: before }) =>
  accepted("/v1/inferences", NUMBERS, (bid) => ({ hand, seat, rules, bids: [...before, bid] }));

const known = new Map(); // legal bids by rules and the bids before

/** Return the bids of others that are possible after `before`, as texts; none if the service refuses the rules. */
export async function possibleBids(before, state, catalogue, signal) {
  const rules = rulesField(state);
  const inForce = rulesOf(state, catalogue);
  const key = JSON.stringify([rules, before]);
  if (!known.has(key)) {
    const hand = SUITS.flatMap((suit) => deckOf(inForce, catalogue).suits[suit]).slice(0, HAND); // any hand will do: others' bids do not depend on it, and it never bids itself here
    const position = { hand, rules, seat: before.length + 1, explain: false };
    const blindNumbers = inForce.blind_min ? NUMBERS.slice(1).map((bid) => `blind_${bid}`) : [];
    const words = [...NUMBERS.map(String), "blind_nil", ...blindNumbers];
    known.set(key, await accepted("/v1/bids", words, (bid) => ({ ...position, previous_bids: [...before, bid] }), signal));
  }
  return known.get(key);
}
