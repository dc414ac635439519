// Who may hold each unseen card: a heat map of cards by seat, from POST /v1/inference.
import { cardName, SUIT_NAMES, SUITS, suitIcon } from "./cards.js";
import { byId, el, fill, percent } from "./dom.js";
import { relation } from "./form.js";
import { rulesField, scoreFields } from "./state.js";

const FULL = 0.8; // the chance with the darkest colour
const READERS = ["winprob", "best"]; // policies whose bids are read as those of `best`

/** Return the request about the other hands, once the bidder has bid. */
export function inferenceRequest(request, state, catalogue, bid) {
  return {
    hand: request.hand,
    seat: state.bids.length,
    bids: [...request.previous_bids, bid],
    scores: scoreFields(state, catalogue),
    rules: rulesField(state),
    policy: READERS.includes(state.policy) ? "best" : "bis",
  };
}

/** Show an answer; `seat`: of the bidder. */
export function showInference(answer, seat, deck, rules) {
  const alone = rules.variant === "cutthroat";
  const others = [1, 2, 3].map((step) => (seat + step) % 4);
  const tables = SUITS.map((suit) => {
    const cards = deck.suits[suit].filter((card) => others.some((other) => card in answer.seats[other]));
    if (!cards.length) return null;
    return el("table", { class: "heat" },
      el("caption", {}, suitIcon(suit), ` ${SUIT_NAMES[suit]}`),
      el("thead", {}, el("tr", {}, el("td", {}), cards.map((card) => el("th", { scope: "col" },
        el("span", { "aria-hidden": "true", text: card[1] === "J" && "BL".includes(card[0]) ? card[0] : card[0] === "T" ? "10" : card[0] }),
        el("span", { class: "sr-only", text: cardName(card) }))))),
      el("tbody", {}, others.map((other) => el("tr", {},
        el("th", { scope: "row", text: shortName(relation(other, seat, alone)) }),
        cards.map((card) => cell(answer.seats[other][card] ?? 0))))));
  });
  fill(byId("heat"), tables);
  const expected = others.map((other) => {
    const spades = deck.suits.S.reduce((sum, card) => sum + (answer.seats[other][card] ?? 0), 0);
    return `${relation(other, seat, alone)}: ${spades.toFixed(1)} spades`;
  });
  const unread = answer.assumed.filter((text) => text.startsWith("bids,"));
  byId("heat-note").textContent = `Chance in percent that a seat holds a card. Expected: ${expected.join(", ")}. ${unread.join(". ")}`;
}

function shortName(name) {
  return name.replace(" opponent", "");
}

function cell(p) {
  return el("td", { class: "heat-cell", vars: { "--heat": `${Math.round(100 * Math.min(p / FULL, 1))}%` }, title: percent(p), text: Math.round(100 * p).toString() });
}

