// At the end of a round: where the user's bid, passed cards and cards differed from the suggestions, and what it cost.
import { ask, Problem } from "./api.js";
import { cardName } from "./cards.js";
import { cardChances, chancesOf } from "./chances.js";
import { bidName, el, percent } from "./dom.js";

const SMALLEST = 0.0005; // the smallest difference of chances that the texts show

/** Return a bid, a card or cards to pass in words. */
export const choiceText = (kind, choice) => (kind === "bid" ? bidName(choice) : [choice].flat().map(cardName).join(", "));

const differs = ({ choice, suggestion }) => [choice].flat().sort().join() !== [suggestion.choice].flat().sort().join();

/**
 * Return what the user chose instead of the suggestions. `choices`: each with `turn`, `trick`, `choice` and `suggestion`;
 * `sentences(suggestion)`: its reasons. The costs follow when the service has answered.
 */
export function differenceList(choices, sentences) {
  if (!choices.length) return [];
  const different = choices.filter(differs);
  const title = el("h3", { text: "Your choices and the suggestions" });
  if (!different.length) return [title, el("p", { text: "You chose what was suggested every time." })];
  const costs = different.map(() => el("p", { class: "cost", role: "status", text: "Cost: the service is asked." }));
  const items = different.map((one, index) => el("li", {}, el("p", {}, el("strong", { text: differenceText(one) })), costs[index],
    el("p", { class: "hint", text: `Why: ${sentences(one.suggestion).join(" ")}` })));
  showCosts(different, costs);
  return [title, el("p", { text: `You chose differently in ${different.length} of ${choices.length} choices.` }), el("ol", { class: "differences" }, items)];
}

function differenceText({ turn: { kind }, trick, choice, suggestion }) {
  const [chosen, suggested] = [choiceText(kind, choice), choiceText(kind, suggestion.choice)];
  const [when, did] = { bid: ["Bid", "bid"], pass: ["Pass", "passed"], card: [`Trick ${trick}`, "played"] }[kind];
  return `${when}: you ${did} ${chosen}; suggested: ${suggested}.`;
}

/** Show each cost, one after another: a search for a card takes the server's time. */
async function showCosts(different, costs) {
  let searches = true; // whether the server searches for cards, as far as it is known
  for (const [index, one] of different.entries()) {
    let text = "Cost: no figure, because this server does not search for cards.";
    if (searches || one.turn.kind !== "card") {
      try {
        text = await costOf(one);
      } catch (error) {
        searches = !(error instanceof Problem && error.faults.some((fault) => fault.code === "unsupported-player"));
        if (searches) text = `Cost: the service gives no figure. ${error.message}`;
      }
    }
    if (!costs[index].isConnected) return; // the next round has begun
    costs[index].textContent = text;
  }
}

async function costOf({ turn: { kind }, choice, suggestion: { choice: suggested, request } }) {
  if (kind === "pass") return "Cost: the service gives no figure for passed cards.";
  const chances = kind === "bid" ? await bidChances(request) : await cardChances(request);
  const chanceOf = (wanted) => chances.find((one) => one[kind] === wanted)?.p_win ?? null;
  return costText(chanceOf(choice), chanceOf(suggested));
}

async function bidChances(request) {
  const answer = await ask("/v1/bid", { ...request, explain: true });
  return (await chancesOf(request, answer)).candidates;
}

function costText(chosen, suggested) {
  if (chosen === null || suggested === null) return "Cost: the service gives no figure for one of the two.";
  const cost = suggested - chosen;
  const both = `you win ${percent(chosen)} of games with your choice, ${percent(suggested)} with the suggestion`;
  if (Math.abs(cost) < SMALLEST) return `Cost: none (${both}).`;
  return cost > 0 ? `Cost: ${points(cost)} (${both}).` : `Cost: none, a gain of ${points(-cost)} (${both}).`;
}

const points = (chance) => `${(100 * chance).toFixed(1)} percentage points of win chance`;
