// The end of a round: who has won the game, the score, and all tricks.
import { cardFace, cardName } from "./cards.js";
import { bidName, el, header } from "./dom.js";

const scoreText = ({ points, bags }) => `${points} (${bags} ${bags === 1 ? "bag" : "bags"})`;

/** Return who has won the game, or "" if it goes on; `names`: of the sides of `results`. */
export function winnerText(results, names, { rules: { win, lose }, alone }) {
  const points = results.map((result) => result.after.points);
  const best = Math.max(...points);
  const first = points.indexOf(best);
  const reached = best >= win || (lose !== null && Math.min(...points) <= lose);
  return reached && first === points.lastIndexOf(best) ? `The game is over: ${names[first]} ${alone ? "wins" : "win"}` : "";
}

/** Return the table of results, in their order. */
export function scoreTable(results, names) {
  const rows = results.map((result, index) => el("tr", {},
    el("th", { scope: "row", text: names[index] }),
    el("td", { text: result.players.map(({ bid }) => bidName(bid)).join(" + ") }),
    el("td", { text: result.players.map(({ taken }) => taken).join(" + ") }),
    el("td", { class: result.points < 0 ? "lost" : "won", text: `${result.points < 0 ? "−" : "+"}${Math.abs(result.points)}` }),
    el("td", { text: scoreText(result.after) })));
  return el("table", { class: "score" }, header(["Side", "Bid", "Tricks", "This round", "Score"]), el("tbody", {}, rows));
}

/** Return the table of all tricks, to be opened by the user; `places`: of the seats from `south` on. */
export function trickTable(tricks, places, south) {
  const rows = tricks.map(({ cards, leader, winner }, number) => el("tr", {},
    el("th", { scope: "row", text: number + 1 }),
    places.map((_, step) => {
      const seat = (south + step) % 4;
      const card = cards[(seat - leader + 4) % 4];
      return el("td", { class: `${seat === winner ? "taken" : ""}` }, cardFace(card),
        el("span", { class: "sr-only", text: cardName(card) + (seat === winner ? ", wins" : "") }));
    })));
  return el("details", {}, el("summary", { text: "All tricks" }),
    el("table", { class: "tricks" }, header(["", ...places]), el("tbody", {}, rows)));
}
