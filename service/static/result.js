// The answer to a bid: the bid, its reasons, every bid's chance to win, and the numbers behind it.
import { cardFace, cardName, suitIcon, SUIT_NAMES, SUITS } from "./cards.js";
import { curve } from "./curve.js";
import { bidName, byId, el, fill, percent, signed } from "./dom.js";

/** Return the sentence of a reason: its template with its numbers, the way a client would translate it. */
export function sentence(reason, templates) {
  const template = templates.get(reason.code);
  if (!template) return reason.sentence || "";
  return template.replace(/{(\w+)}/g, (whole, name) => (name in reason ? reason[name] : whole));
}

/** Show the bid and its reasons; `templates`: sentences by code. */
export function showBid(answer, templates) {
  const explanation = answer.explanation;
  fill(byId("bid"), bidName(answer.bid));
  byId("bid").dataset.bid = answer.bid;
  const unit = answer.bid === 0 ? "no trick at all" : answer.bid === 1 ? "trick" : "tricks";
  byId("bid-unit").textContent = unit;
  const wins = explanation.p_win;
  byId("bid-wins").textContent = wins === undefined ? "" : `wins ${percent(wins)} of games`;
  byId("decided-by").textContent = `Decided by ${answer.policy}, tables ${answer.tables}`;
  const reasons = explanation.reasons.map((reason) => sentence(reason, templates)).filter(Boolean);
  fill(byId("reasons"), reasons.map((text) => el("li", { text })));
  const other = answer.assumed.filter((text) => text.includes("="));
  byId("assumed").hidden = !other.length;
  byId("assumed").textContent = `These rules have no win table of their own. The table in use has ${other.join("; ")} points of win probability.`;
  byId("announcement").textContent = [answer.bid === 0 ? "Nil." : `Bid ${answer.bid}.`, ...reasons.slice(1, 3)].join(" ");
}

/** Show the chance of every bid to win the game, as bars. `chosen` is marked; `note` says whose numbers they are. */
export function showChances(candidates, chosen, note) {
  byId("chances-note").textContent = note;
  const best = Math.max(...candidates.map((candidate) => candidate.p_win), 0);
  fill(byId("chances"), candidates.map((candidate) => {
    const { outcomes } = candidate;
    const makes = candidate.bid === 0 && "nil_made" in outcomes ? outcomes.nil_made : outcomes.made;
    const bar = el("span", { class: "bar", vars: { "--part": candidate.p_win / (best || 1) } });
    return el("tr", { class: candidate.bid === chosen ? "chosen" : "", "aria-current": candidate.bid === chosen ? "true" : null },
      el("th", { scope: "row", text: bidName(candidate.bid) }),
      el("td", { class: "bar-cell" }, bar),
      el("td", { class: "number", text: percent(candidate.p_win) }),
      el("td", { class: "number", text: percent(makes, 0) }));
  }));
  byId("chances-table").hidden = !candidates.length;
}

/** Show where the tricks come from: each part of the estimate. */
export function showTricks(regular) {
  const parts = regular.suits ? simpleParts(regular) : countedParts(regular);
  const most = Math.max(1, ...parts.map(([, , tricks]) => Math.abs(tricks)));
  fill(byId("tricks"), parts.map(([suit, label, tricks]) => el("tr", {},
    el("th", { scope: "row" }, suit ? suitIcon(suit) : null, ` ${label}`),
    el("td", { class: "bar-cell" }, el("span", { class: tricks < 0 ? "bar less" : "bar", vars: { "--part": Math.abs(tricks) / most } })),
    el("td", { class: "number", text: signed(tricks) }))));
  byId("estimate").textContent = `${regular.estimate.toFixed(2).replace("-", "−")} tricks in all: a bid of ${regular.takes}, before nil, score and rules are considered.`;
}

function countedParts(regular) {
  return [
    ["S", "Spades: high cards", regular.spade_high],
    ["S", "Spades: length", regular.spade_long],
    ["S", "Ruffs with short suits", regular.ruffs],
    ...["H", "D", "C"].map((suit) => [suit, `${capital(SUIT_NAMES[suit])}: high cards`, regular.side_high[suit]]),
    [null, "Bids made so far", regular.previous_bids_factor],
    ...(regular.offset ? [[null, "Policy and rules", regular.offset]] : []),
  ];
}

function simpleParts(regular) {
  const suits = SUITS.map((suit) => [suit, capital(SUIT_NAMES[suit]), regular.suits[suit]]);
  return [...suits, [null, "Short suits", regular.shape], ...(regular.offset ? [[null, "Policy", regular.offset]] : [])];
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** Show what each card gives; `worth`: tricks by card, or a sentence when they are not known. */
export function showCards(cards, worth) {
  if (typeof worth === "string") {
    fill(byId("cards"), el("li", { class: "hint", text: worth }));
    return;
  }
  fill(byId("cards"), cards.map((card) => {
    const tricks = worth.get(card) ?? 0;
    return el("li", { class: "worth", vars: { "--part": Math.min(Math.max(tricks, 0), 1) } },
      el("span", { class: "card small" }, cardFace(card)),
      el("span", { class: "sr-only", text: `${cardName(card)}: ` }),
      el("span", { class: "number", text: Math.abs(tricks) < 0.005 ? "0" : signed(tricks) }));
  }));
}

/** Show the nil of an explanation: what each suit allows, and the success curve of this auction with the hand on it. */
export function showNil({ nil, reasons }, nilPoints, templates) {
  byId("nil-rule").textContent = nil.rule ? `This policy's nil rule: ${nil.rule}.` : "";
  byId("nil-numbers").hidden = !nil.cnil;
  byId("curve-figure").hidden = !nil.curve;
  if (!nil.cnil) {
    byId("nil-verdict").textContent = nil.chosen ? "Nil is bid." : "No nil.";
    return;
  }
  const why = reasons.find((reason) => reason.code.startsWith("no-nil-"));
  const out = nil.ruled_out ? (why ? sentence(why, templates) : `No nil: ${nil.ruled_out}.`) : nil.chosen ? "Nil is bid." : "A nil is possible, but it is not the best bid.";
  byId("nil-verdict").textContent = out;
  fill(byId("nil-suits"), SUITS.map((suit) => el("tr", {},
    el("th", { scope: "row" }, suitIcon(suit), ` ${capital(SUIT_NAMES[suit])}`),
    el("td", { class: "bar-cell" }, el("span", { class: "bar", vars: { "--part": nil.cnil[suit] } })),
    el("td", { class: "number", text: percent(nil.cnil[suit], 0) }))));
  const threshold = nil.threshold === null ? "" : ` It is bid if it is worth more than ${nil.threshold.toFixed(0)}.`;
  const factor = nil.void_factor === 1 ? "" : ` × ${nil.void_factor} for a void suit`;
  byId("nil-sum").textContent = `The product of the four${factor} is the nil value, ${nil.value.toFixed(2)}. Such a nil is made `
    + `${percent(nil.probability, 0)} of the time and is worth ${signed(nil.expected_points, 0)} points on average.${threshold}`;
  if (nil.curve) fill(byId("curve"), curve(nil, nilPoints));
}

/** Show the steps after the estimate that changed the bid. */
export function showSteps(adjustments) {
  byId("steps-none").hidden = adjustments.length > 0;
  fill(byId("steps"), adjustments.map((step) => el("li", {},
    el("span", { class: "step-bids" }, `${bidName(step.before)} → ${bidName(step.after)}`),
    el("span", {}, el("code", { text: step.rule }), ` ${step.why}`))));
}
