// Chances to win the game, as the service states them.
import { ask } from "./api.js";

/** Return every bid's chance: the `candidates` of `answer`, or those of winprob, which is then `asked`. */
export async function chancesOf(request, answer, signal) {
  const own = answer.explanation.candidates || [];
  if (own.length) return { candidates: own, asked: false };
  const { convention, level, style, ...plain } = request;
  const { explanation } = await ask("/v1/bid", { ...plain, policy: "winprob" }, signal);
  return { candidates: explanation.candidates, asked: true };
}

/** Return each card's chance by a search. A server without search processes refuses: `Problem`. */
export async function cardChances(request) {
  const { search } = await ask("/v1/card", { ...request, player: "search@3" });
  return search.cards;
}
