// The success curve of an auction: how often a nil of each value is made, and where this hand is on it.
import { percent, svg } from "./dom.js";

const WIDTH = 360;
const HEIGHT = 210;
const LEFT = 40;
const BOTTOM = 34;
const TOP = 12;
const RIGHT = 12;

const x = (value) => LEFT + value * (WIDTH - LEFT - RIGHT);
const y = (chance) => HEIGHT - BOTTOM - chance * (HEIGHT - TOP - BOTTOM);

/** Return the picture of a curve; `nil`: of an explanation with its curve, `points`: what a nil is worth. */
export function curve(nil, points) {
  const line = nil.curve.map((chance, index) => `${x(index / (nil.curve.length - 1)).toFixed(1)},${y(chance).toFixed(1)}`);
  const marks = [0, 0.25, 0.5, 0.75, 1];
  const parts = [
    ...marks.map((at) => svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(at), y2: y(at) })),
    ...marks.map((at) => text(LEFT - 6, y(at) + 4, percent(at, 0), "end")),
    ...marks.map((at) => text(x(at), HEIGHT - BOTTOM + 16, at.toString(), "middle")),
    text(x(0.5), HEIGHT - 3, "nil value of the hand", "middle"),
    svg("polyline", { class: "curve", points: line.join(" ") }),
  ];
  const threshold = nil.threshold ?? nil.bis_threshold ?? null;
  const name = nil.threshold === null ? "threshold of bis" : "threshold";
  const needed = points > 0 && threshold !== null ? (threshold / points + 1) / 2 : null;
  if (needed !== null && needed >= 0 && needed <= 1) {
    parts.push(svg("line", { class: "threshold", x1: LEFT, x2: WIDTH - RIGHT, y1: y(needed), y2: y(needed) }));
    parts.push(text(LEFT + 6, y(needed) - 5, `${name} ${percent(needed, 0)}`, "start", "threshold-label"));
  }
  parts.push(svg("circle", { class: "point", cx: x(nil.value), cy: y(nil.probability), r: 5.5 }));
  const label = `Success curve. This hand has nil value ${nil.value.toFixed(2)} and makes nil ${percent(nil.probability, 0)} of the time`
    + (needed === null ? "." : `; the ${name} is ${percent(needed, 0)}.`);
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label }, parts);
}

function text(at, height, content, anchor, kind = "axis") {
  const node = svg("text", { x: at, y: height, "text-anchor": anchor, class: kind });
  node.textContent = content;
  return node;
}
