// The review of a finished round: the win probability card by card, the grades of each player, and every decision.
import { ask, Problem } from "./api.js";
import { cardFace, cardName } from "./cards.js";
import { bidName, el, fill, header, percent, svg } from "./dom.js";

const GRADES = ["best", "good", "inaccuracy", "mistake", "blunder"];
const WIDTH = 320;
const HEIGHT = 170;
const [LEFT, RIGHT, TOP, BOTTOM] = [40, 8, 10, 30];
const CARDS = 52;

const x = (index) => LEFT + (index / (CARDS - 1)) * (WIDTH - LEFT - RIGHT);
const y = (chance) => HEIGHT - BOTTOM - chance * (HEIGHT - TOP - BOTTOM);

/**
 * Return the place of a round's review, which follows when the service has answered. `round`: a finished `Round`;
 * `table`: `south` (a seat), `placeOf(seat)`, and `sentences(decision)`, its reasons.
 */
export function reviewOf(round, table) {
  if (round.alone) return null; // there is no win probability in cutthroat
  const place = el("section", { id: "review", "aria-busy": "true" }, el("h3", { text: "Review" }), el("p", { class: "hint", role: "status", text: "The service reviews the round." }));
  show(place, round, table);
  return place;
}

async function show(place, round, table) {
  let parts;
  try {
    parts = reviewParts(await ask("/v1/review", round.reviewRequest()), table);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    parts = el("p", { class: "hint", text: `There is no review of this round. ${error.faults.map((fault) => fault.detail).join(" ") || error.message}` });
  }
  fill(place, el("h3", { text: "Review" }), parts);
  place.setAttribute("aria-busy", "false");
}

function reviewParts(answer, table) {
  const cards = answer.decisions.filter((one) => one.kind === "card");
  const note = answer.cards_reviewed ? `Each card was tried on ${answer.deals} random deals that fit what its player knew.` : "Only bids and passes are reviewed, because this server does not search for cards.";
  return [el("p", { class: "hint", text: note }), ...(cards.length ? [chart(cards, table)] : []), summaryTable(answer.summary, table), decisionTable(answer.decisions, table)];
}

/** Return the picture of the win probability of South's side after each card, as the player of the card could know it. */
function chart(cards, { south }) {
  const chances = cards.map(({ seat, p_win: p }) => (p === null || seat % 2 === south % 2 ? p : 1 - p));
  const known = chances.map((chance, index) => ({ chance, index })).filter(({ chance }) => chance !== null);
  const at = ({ chance, index }) => `${x(index).toFixed(1)},${y(chance).toFixed(1)}`;
  const wrong = known.filter(({ index }) => GRADES.indexOf(cards[index].grade) > 1);
  const parts = [
    ...[0, 0.5, 1].map((mark) => svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(mark), y2: y(mark) })),
    ...[0, 0.5, 1].map((mark) => label(LEFT - 5, y(mark) + 4, percent(mark, 0), "end")),
    ...[1, 4, 7, 10, 13].map((trick) => label(x(4 * trick - 2.5), HEIGHT - BOTTOM + 14, String(trick), "middle")),
    label(x(CARDS / 2), HEIGHT - 3, "trick", "middle"),
    svg("polyline", { class: "curve", points: known.map(at).join(" ") }),
    ...wrong.map((one) => svg("circle", { class: `graded ${cards[one.index].grade}`, cx: x(one.index), cy: y(one.chance), r: 4.5 })),
  ];
  const ends = [known[0], known[known.length - 1]].map((one) => (one ? percent(one.chance, 0) : "not known"));
  const text = `Chance that South’s side wins the game, after each card: ${ends[0]} after the first, ${ends[1]} after the last.`;
  return el("div", { class: "chart" }, svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": text }, parts),
    el("p", { class: "hint", text: "Chance that South’s side wins the game, as each player could know it. Points: inaccuracies, mistakes and blunders." }));
}

function label(at, height, content, anchor) {
  const node = svg("text", { x: at, y: height, "text-anchor": anchor, class: "axis" });
  node.textContent = content;
  return node;
}

/** Return the table of players: how many of their decisions were less than good, and what they lost in all. */
function summaryTable(summary, { south, placeOf }) {
  const order = [...summary].sort((a, b) => ((a.seat - south + 4) % 4) - ((b.seat - south + 4) % 4));
  const rows = order.map(({ seat, grades, total_loss: lost }) => el("tr", {}, el("th", { scope: "row", text: placeOf(seat) }),
    GRADES.slice(2).map((grade) => el("td", { text: grades[grade] })), el("td", { text: percent(lost) })));
  return el("table", { class: "players reviewed" }, header(["Player", "Inaccuracies", "Mistakes", "Blunders", "Lost"]), el("tbody", {}, rows));
}

const cardCell = (card) => [cardFace(card), el("span", { class: "sr-only", text: ` ${cardName(card)} ` })];

/** Return the table of all decisions; those that cost something come with their reasons. */
function decisionTable(decisions, { placeOf, sentences }) {
  const rows = decisions.flatMap((one, index) => {
    const when = one.kind === "card" ? `Trick ${Math.floor((index - decisions.length + CARDS) / 4) + 1}` : { bid: "Bid", pass: "Pass" }[one.kind];
    const row = el("tr", { class: `decision ${one.grade || ""}` }, el("th", { scope: "row", text: when }), el("td", { text: placeOf(one.seat) }),
      el("td", {}, one.kind === "bid" ? bidName(one.choice === "nil" ? 0 : one.choice) : one.choice.split(" ").map(cardCell)),
      el("td", { text: one.loss ? percent(one.loss) : "" }), el("td", { class: "grade", text: one.grade || "–" }));
    return one.best === one.choice ? [row] : [row, el("tr", { class: "why-better" }, el("td", { colspan: 5, class: "hint", text: sentences(one).join(" ") }))];
  });
  return el("details", { class: "decisions" }, el("summary", { text: "All decisions" }),
    el("table", { class: "reviewed" }, header(["", "Player", "Choice", "Lost", "Grade"]), el("tbody", {}, rows)));
}
