// The standing of each side during a round: contract, tricks, bags and score.
import { bidName, el, header } from "./dom.js";

/** Return the table of the sides; `sides`: each with `name`, `seats`, and `points` and `bags` before the round. */
export function standing(sides, { bids, taken, rules }) {
  const columns = ["Side", "Contract", "Tricks", ...(rules.bags ? ["Bags"] : []), "Score"];
  const rows = sides.map(({ name, seats, points, bags }) => el("tr", {},
    el("th", { scope: "row", text: name }),
    el("td", { text: contractText(seats.map((seat) => bids[seat])) }),
    el("td", { text: seats.reduce((sum, seat) => sum + taken[seat], 0) }),
    rules.bags ? el("td", { text: bags }) : null,
    el("td", { text: points })));
  return el("table", { class: "standing" }, el("caption", { text: `${rules.bags ? "Bags and score" : "Score"} before this round` }),
    header(columns), el("tbody", {}, rows));
}

/** Return a side's contract: the sum of its numbers, with its nils and the bids that are still to come. */
function contractText(bids) {
  const numbers = bids.filter((bid) => bid > 0);
  const sum = numbers.length ? [numbers.reduce((total, bid) => total + bid, 0)] : [];
  const others = bids.filter((bid) => !(bid > 0)).map((bid) => (bid === undefined ? "?" : bidName(bid).toLowerCase()));
  return [...sum, ...others].join(" + ");
}
