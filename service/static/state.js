// What the user has chosen, the request that follows from it, and its text in a link.
import { handField } from "./cards.js";

export const SIDE_SCORES = ["us", "them", "us_bags", "them_bags"];
export const STYLES = ["aggression", "nil_bias"];

/** Return the choices that the page starts with; `catalogue`: the answer of GET /v1/rules. */
export function firstState(catalogue) {
  return {
    hand: "AKJ62.AQ.Q.K9543",
    bids: ["3", "1"],
    scores: { us: "120", them: "95", us_bags: "3", them_bags: "4" },
    seats: ["0", "0", "0", "0"],
    bags: ["0", "0", "0", "0"],
    preset: catalogue.default,
    rules: {}, // the overrides, as JSON values
    policy: "best",
    options: "",
    convention: "",
    level: "",
    aggression: "0",
    nil_bias: "0",
    suggestions: "shown", // or "hidden": in a round, until the user has chosen
  };
}

/** Return the rules in force: the preset's values with the overrides. */
export const rulesOf = (state, catalogue) => ({ ...catalogue.presets[state.preset], ...state.rules });

/** Return a number, or the text itself if it is none: the service says what it accepts. */
export const numberOf = (text) => (/^[+-]?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text);

/** Return the fields about the score. */
export function scoreFields(state, catalogue) {
  if (rulesOf(state, catalogue).variant === "cutthroat") {
    return { seats: state.seats.map(numberOf), bags: state.bags.map(numberOf) };
  }
  const given = SIDE_SCORES.filter((name) => state.scores[name].trim() !== "");
  return Object.fromEntries(given.map((name) => [name, numberOf(state.scores[name])]));
}

/** Return the fields that say who bids and how. */
export function bidderFields(state) {
  const options = state.options.trim();
  const fields = { policy: options ? `${state.policy}${state.policy.includes(":") ? "," : ":"}${options}` : state.policy };
  if (state.convention) fields.convention = state.convention;
  if (state.level) fields.level = Number(state.level);
  const style = STYLES.filter((name) => Number(state[name]) !== 0);
  if (style.length) fields.style = Object.fromEntries(style.map((name) => [name, numberOf(state[name])]));
  return fields;
}

export const rulesField = (state) => ({ preset: state.preset, ...state.rules });

/** Return the body of POST /v1/bid. */
export function bidRequest(state, catalogue) {
  return {
    hand: handField(state.hand),
    previous_bids: state.bids.map(numberOf),
    seat: state.bids.length,
    scores: scoreFields(state, catalogue),
    rules: rulesField(state),
    ...bidderFields(state),
  };
}

const PLAIN = ["hand", "preset", "policy", "options", "convention", "level", "aggression", "nil_bias", "suggestions"];

/** Return the state as the fragment of a link; only what differs from the first state. */
export function toFragment(state, catalogue) {
  const first = firstState(catalogue);
  const link = new URLSearchParams();
  link.set("hand", state.hand);
  link.set("bids", state.bids.join(","));
  for (const name of PLAIN.slice(1)) if (state[name] !== first[name]) link.set(name, state[name]);
  for (const name of SIDE_SCORES) link.set(name, state.scores[name]);
  for (const name of ["seats", "bags"]) if (state[name].some((text) => text !== "0")) link.set(name, state[name].join(","));
  for (const [name, value] of Object.entries(state.rules)) link.set(`rules.${name}`, JSON.stringify(value));
  return link.toString().replaceAll("%2C", ",");
}

/** Return the state of a link's fragment; what it does not say is as in the first state. */
export function fromFragment(fragment, catalogue) {
  const state = firstState(catalogue);
  const link = new URLSearchParams(fragment.replace(/^#/, ""));
  for (const name of PLAIN) if (link.has(name)) state[name] = link.get(name);
  if (!(state.preset in catalogue.presets)) state.preset = catalogue.default;
  for (const name of SIDE_SCORES) if (link.has(name)) state.scores[name] = link.get(name);
  for (const name of ["seats", "bags"]) {
    const given = (link.get(name) || "").split(",");
    if (given.length === 4) state[name] = given;
  }
  if (link.has("bids")) state.bids = link.get("bids").split(",").filter(Boolean).slice(0, 3);
  for (const [name, text] of link) {
    if (!name.startsWith("rules.") || !(name.slice(6) in catalogue.fields)) continue;
    try {
      state.rules[name.slice(6)] = JSON.parse(text);
    } catch {
      state.rules[name.slice(6)] = text; // the service says what it accepts
    }
  }
  return state;
}
