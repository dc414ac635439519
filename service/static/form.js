// The form: fields for everything that a request can say, made from what the service lists.
import { deckOf } from "./cards.js";
import { bidName, byId, el, fill } from "./dom.js";
import { possibleBids } from "./legal_bids.js";
import { rulesOf, SIDE_SCORES, STYLES } from "./state.js";

const SEATS = ["First", "Second", "Third", "Fourth"];
const SCORE_LABELS = { us: "Us", them: "Them", us_bags: "Our bags", them_bags: "Their bags" };

/** Return who another seat is to the bidder. */
export function relation(seat, bidder, alone) {
  if (seat === bidder) return "You";
  if ((seat + 2) % 4 === bidder) return alone ? "Opposite" : "Partner";
  return (bidder + 1) % 4 === seat ? "Left opponent" : "Right opponent";
}

/** Return a labelled field; `pointer` is the place in a request whose faults are shown below it. */
function field(pointer, label, control, hint) {
  const id = `f${pointer.replaceAll("/", "-")}`;
  control.id = id;
  const parts = [el("label", { for: id, text: label }), control];
  if (hint) parts.push(el("p", { class: "hint", id: `${id}-hint`, text: hint }));
  if (hint) control.setAttribute("aria-describedby", `${id}-hint`);
  return el("div", { class: "field", "data-pointer": pointer }, parts);
}

function select(options, value, change) {
  const node = el("select", { onchange: () => change(node.value) });
  for (const [text, label] of options) node.append(el("option", { value: text, text: label }));
  node.value = value;
  return node;
}

/** Return the legal bid that is nearest to `bid`; for a number, a number if there is one. */
function nearestBid(bid, legal) {
  const numbers = legal.filter((other) => Number(other) > 0);
  const distance = (other) => Math.abs((Number(other) || 0) - (Number(bid) || 0));
  return (Number(bid) > 0 && numbers.length ? numbers : legal).reduce((best, other) => (distance(other) < distance(best) ? other : best));
}

function input(value, change, attributes = {}) {
  const node = el("input", { value, autocomplete: "off", oninput: () => change(node.value), ...attributes });
  return node;
}

/** The form's fields except the hand. `changed()` is called after each change of `state`. */
export class Form {
  constructor(catalogue, policies, changed) {
    this.catalogue = catalogue;
    this.policies = policies;
    this.changed = changed;
  }

  /** Show a state; the fields change it. */
  show(state) {
    this.state = state;
    this.#seat();
    this.#scores();
    this.#rules();
    this.#bidder();
  }

  #alone() {
    return rulesOf(this.state, this.catalogue).variant === "cutthroat";
  }

  #seat() {
    const seat = this.state.bids.length;
    const choices = SEATS.map((name, number) => {
      const radio = el("input", { type: "radio", name: "seat", value: number, id: `seat-${number}`, checked: number === seat });
      radio.addEventListener("change", () => {
        this.state.bids = Array.from({ length: number }, (_, index) => this.state.bids[index] || "3");
        this.#bids();
        this.changed();
      });
      return [radio, el("label", { for: `seat-${number}`, text: name })];
    });
    fill(byId("seats"), choices);
    this.#bids();
  }

  #bids() {
    const { bids } = this.state;
    const fields = bids.map((bid, seat) => {
      const control = select([[bid, bidName(bid)]], bid, (value) => {
        bids[seat] = value;
        for (const note of control.parentElement.querySelectorAll(".hint")) note.remove();
        this.changed();
      });
      return field(`/previous_bids/${seat}`, relation(seat, bids.length, this.#alone()), control);
    });
    fill(byId("bids"), fields.length ? fields : el("p", { class: "hint", text: "You bid first." }));
  }

  /** Offer the bids that are legal with the rules and the bids before them; replace one that is not, and say so. */
  async offerLegalBids(signal) {
    const { state, catalogue } = this;
    const possible = (seat) => possibleBids(state.bids.slice(0, seat), state, catalogue, signal);
    await Promise.all(state.bids.map((_, seat) => possible(seat))); // at once, because most bids are legal
    for (const [seat, bid] of state.bids.entries()) {
      const legal = await possible(seat);
      if (signal.aborted || !legal.length) return;
      const control = byId(`f-previous_bids-${seat}`);
      const offered = [...control.options].map((option) => option.value);
      if (offered.join() === legal.join()) continue;
      if (!legal.includes(bid)) {
        state.bids[seat] = nearestBid(bid, legal);
        const note = `${bidName(bid)} is not allowed by these rules; the nearest bid is ${bidName(state.bids[seat])}.`;
        control.after(el("p", { class: "hint", role: "status", text: note }));
      }
      fill(control, legal.map((one) => el("option", { value: one, text: bidName(one) })));
      control.value = state.bids[seat];
    }
  }

  #scores() {
    const { state, changed } = this;
    const text = { inputmode: "numeric", maxlength: "8" };
    if (!this.#alone()) {
      fill(byId("scores"), SIDE_SCORES.map((name) => field(`/scores/${name}`, SCORE_LABELS[name], input(state.scores[name], (value) => {
        state.scores[name] = value;
        changed();
      }, text))));
      return;
    }
    const of = (name, label) => state[name].map((given, seat) => field(`/scores/${name}/${seat}`, `${SEATS[seat]}: ${label}`, input(given, (value) => {
      state[name][seat] = value;
      changed();
    }, text)));
    fill(byId("scores"), of("seats", "points"), of("bags", "bags"));
  }

  #rules() {
    const { state, catalogue } = this;
    const names = Object.keys(catalogue.presets);
    const preset = select(names.map((name) => [name, name]), state.preset, (value) => {
      state.preset = value;
      this.#rulesChanged();
    });
    fill(byId("preset"), field("/rules/preset", "Preset", preset, `${catalogue.descriptions[state.preset]}. Deck: ${deckOf(rulesOf(state, catalogue), catalogue).meaning}.`));
    const fields = Object.entries(catalogue.fields).map(([name, rule]) => this.#rule(name, rule));
    fill(byId("rules"), fields);
    const count = Object.keys(state.rules).length;
    byId("rules-count").textContent = count ? `${count} changed` : "";
  }

  #rule(name, rule) {
    const { state, catalogue } = this;
    const usual = catalogue.presets[state.preset][name];
    const fixed = (catalogue.fixed_by_variant[rulesOf(state, catalogue).variant] || {});
    const set = (value) => {
      if (value === undefined || value === usual) delete state.rules[name];
      else state.rules[name] = value;
      this.#rulesChanged(name);
    };
    const words = rule.type === "string" ? rule.supported.split(", ") : rule.type === "boolean" ? ["true", "false"] : null;
    const current = name in state.rules ? state.rules[name] : usual;
    let control;
    if (words) {
      const options = words.includes(String(current)) ? words : [...words, String(current)];
      const label = (word) => ({ true: "yes", false: "no", null: "usual" })[word] || word;
      control = select(options.map((word) => [word, label(word)]), String(current), (word) =>
        set(({ true: true, false: false, null: null })[word] ?? (word === "null" ? null : word)));
    } else {
      control = el("input", { inputmode: "numeric", value: current ?? "", autocomplete: "off", placeholder: "none" });
      control.addEventListener("change", () => {
        const text = control.value.trim();
        set(text === "" ? (rule.supported.includes("null") ? null : undefined) : /^-?\d+$/.test(text) ? Number(text) : text);
      });
    }
    const node = field(`/rules/${name}`, name, control, `${rule.meaning} Accepted: ${rule.supported}.`);
    node.classList.toggle("changed", name in state.rules);
    control.disabled = name in fixed && !(name in state.rules);
    return node;
  }

  #rulesChanged(name) {
    const focused = document.activeElement && document.activeElement.id;
    this.#rules();
    this.#scores();
    this.#bids();
    this.changed(name === undefined || name === "variant" || name === "deck");
    if (focused && byId(focused)) byId(focused).focus();
  }

  #bidder() {
    const { state, policies, changed } = this;
    const known = policies.policies.map((policy) => policy.policy);
    const info = policies.policies.find((policy) => policy.policy === state.policy);
    const names = known.includes(state.policy) ? known : [...known, state.policy];
    const policy = select(names.map((name) => [name, name]), state.policy, (value) => {
      state.policy = value;
      if (!this.#conventions().includes(state.convention)) state.convention = "";
      this.#bidder();
      changed();
      byId("f-policy").focus();
    });
    const set = (name) => (value) => {
      state[name] = value;
      changed();
    };
    const parts = [field("/policy", "Policy", policy, info && info.description)];
    if (info && info.options.length) {
      const listed = info.options.filter((option) => !/^(level|aggression|nil_bias|convention|tuned)\b/.test(option));
      if (listed.length) {
        const hint = `As in a policy text, such as ${listed[0]}`;
        const control = input(state.options, set("options"), { placeholder: "none", list: "policy-options" });
        parts.push(field("/options", "Options", control, hint));
        parts.push(el("datalist", { id: "policy-options" }, listed.map((option) => el("option", { value: option }))));
      }
    }
    const conventions = this.#conventions();
    if (conventions.length) {
      const options = [["", "the policy's own"], ...conventions.map((name) => [name, name])];
      parts.push(field("/convention", "Convention", select(options, state.convention, set("convention"))));
    }
    const levels = ((info && info.options.find((option) => option.startsWith("level="))) || "").slice(6).split("|").filter(Boolean);
    const strongest = levels[levels.length - 1];
    parts.push(field("/level", "Level of skill", select([["", `full strength (${strongest})`], ...levels.slice(0, -1).reverse().map((one) => [one, one])], state.level, set("level"))));
    for (const name of STYLES) parts.push(this.#slider(name));
    fill(byId("bidder"), parts);
  }

  #conventions() {
    const info = this.policies.policies.find((policy) => policy.policy === this.state.policy);
    const option = info && info.options.find((one) => one.startsWith("convention="));
    return option ? option.slice("convention=".length).split("|") : [];
  }

  #slider(name) {
    const { state, changed } = this;
    const [label, low, high] = name === "aggression" ? ["Style: tricks", "fewer", "more"] : ["Style: nils", "fewer", "more"];
    const words = (value) => (Number(value) === 0 ? "the policy's own" : `${Math.abs(Number(value))} to ${Number(value) < 0 ? low : high}`);
    const output = el("span", { class: "slider-value", "aria-hidden": "true", text: words(state[name]) });
    const control = el("input", { type: "range", min: "-1", max: "1", step: "0.1", value: state[name] });
    control.setAttribute("aria-valuetext", words(state[name]));
    control.addEventListener("input", () => {
      state[name] = control.value;
      output.textContent = words(control.value);
      control.setAttribute("aria-valuetext", words(control.value));
      changed();
    });
    const node = field(`/style/${name}`, label, control);
    node.querySelector("label").append(" ", output);
    return node;
  }
}
