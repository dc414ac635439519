// Elements: how the page makes, finds and fills them.

/** Return the element with an id. */
export const byId = (id) => document.getElementById(id);

/**
 * Make an element. Attributes: `class`, `text` (its text), `on<event>` (a listener), `vars` (CSS variables), booleans
 * (true sets the attribute, false leaves it out), and any other as it is. Children: elements or texts; null is skipped.
 */
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key === "text") node.textContent = value;
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "vars") for (const [css, to] of Object.entries(value)) node.style.setProperty(css, to);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

/** Make an SVG element; attributes and children as in `el`. */
export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children.flat(Infinity));
  return node;
}

/** Replace what is in an element. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
}

/** Return a probability as a percentage: 0.6583 -> "65.8%". */
export const percent = (p, digits = 1) => `${(100 * p).toFixed(digits)}%`;

/** Return a number with its sign: 0.5 -> "+0.50". */
export const signed = (number, digits = 2) => `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(digits)}`;

/** Return a bid as a player says it. */
export function bidName(bid) {
  if (String(bid).startsWith("blind_")) return `Blind ${bid.slice("blind_".length)}`;
  return Number(bid) === 0 ? "Nil" : String(bid);
}

/** Return the head of a table; a column without a text has no header. */
export const header = (texts) => el("thead", {}, el("tr", {}, texts.map((text) => (text ? el("th", { scope: "col", text }) : el("td", {})))));
