// "Play a round": four seats around a table. The user may take the seat at the bottom; the service plays the others.
import { Problem } from "./api.js";
import { cardFace, cardName, cardsIn, deckOf, withSymbols } from "./cards.js";
import { choiceText, differenceList } from "./differences.js";
import { bidName, byId, el, fill } from "./dom.js";
import { HAND } from "./picker.js";
import { sentence } from "./result.js";
import { reviewOf } from "./review.js";
import { bySuit, dealHands, Round } from "./round.js";
import { scoreTable, trickTable, winnerText } from "./round_end.js";
import { standing } from "./standing.js";
import { bidderFields, numberOf, rulesField, rulesOf } from "./state.js";

const PLACES = ["South", "West", "North", "East"]; // clockwise from the bottom
const MOVE_MS = 260;
const TRICK_MS = 900;
const MOST_DEALS = 999_999; // numbers of deals in links
const NARROW = "(max-width: 980px)"; // the table is below the controls
const FIRST = 3; // South's seat in the first round: the dealer, who bids last

/** The table; `templates`: sentences by code. `changed()` is called when the link to the page changes. */
export class Table {
  constructor(templates, changed) {
    this.changed = changed;
    this.seed = 0; // of the deal on the table, 0: none
    this.linked = 0; // the seed in the page's link; it is used once
    this.templates = templates;
    this.south = FIRST;
    this.game = 0; // goes up with each new round, so that what is under way for an older one stops
    byId("round-start").addEventListener("click", () => this.start());
    byId("round-end").addEventListener("click", () => this.#finish());
    byId("round-open").addEventListener("change", () => this.#draw());
    byId("round-hide").addEventListener("change", () => this.#hide(byId("round-hide").checked));
  }

  /** Take the rules, scores and bidder from the form's state. */
  use(state, catalogue) {
    this.state = state;
    this.catalogue = catalogue;
    byId("round-hide").checked = this.#hidden;
  }

  get #hidden() {
    return this.state.suggestions === "hidden";
  }

  #hide(hidden) {
    this.state.suggestions = hidden ? "hidden" : "shown";
    this.changed();
    if (!this.choosing) return;
    this.choosing.passed = this.#passedAtFirst(this.choosing);
    this.#draw(this.choosing.turn);
    this.#advise();
  }

  /** Return the cards that are marked to be passed before the user marks any. */
  #passedAtFirst({ turn, suggestion }) {
    return new Set(turn.kind === "pass" && !this.#hidden ? suggestion.choice : []);
  }

  /** Deal and play a round; `sides`: the score before it, or that of the form. */
  async start(sides) {
    const { state, catalogue } = this;
    const rules = rulesOf(state, catalogue);
    const deck = deckOf(rules, catalogue);
    const own = byId("round-own").checked ? cardsIn(state.hand, deck) : [];
    this.seed = this.linked || 1 + Math.floor(Math.random() * MOST_DEALS);
    this.linked = 0;
    this.changed();
    const setup = { deck, rules, rulesField: rulesField(state), bidder: bidderFields(state), sides: sides || this.#sides(rules) };
    this.round = new Round(setup, dealHands(deck, this.seed, this.south, own.length === HAND ? own : []));
    this.choices = []; // of the user
    this.finishing = false;
    this.shown = null; // the last trick, while it lies on the table
    this.#say("");
    byId("round-fault").hidden = true;
    byId("round-end").disabled = false;
    fill(byId("round-result"));
    byId("round").classList.remove("over");
    const game = ++this.game;
    try {
      await this.#play(game);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (game !== this.game) return;
      const faults = error.faults.map((fault) => `${fault.pointer}: ${fault.detail}`);
      byId("round-fault").textContent = faults.join(" ") || error.message;
      byId("round-fault").hidden = false;
    }
  }

  /** Return the seats of each side. */
  #seats() {
    return this.round.alone ? [[0], [1], [2], [3]] : [[0, 2], [1, 3]];
  }

  /** Return the places of each side, in the same order in all rounds, or of each seat that plays alone. */
  #names() {
    return this.#seats().map((side) => side.map((seat) => this.#place(seat)).sort().join(" and "));
  }

  #standing() {
    const names = this.#names();
    const sides = this.#seats().map((seats, index) => ({ name: names[index], seats, ...this.round.sides[index] }));
    return standing(this.#oursFirst(sides), this.round);
  }

  /** Return what belongs to the two sides with South's side first. */
  #oursFirst(sides) {
    return this.round.alone || this.south % 2 === 0 ? sides : [...sides].reverse();
  }

  #sides(rules) {
    const { scores, seats, bags } = this.state;
    const whole = (text) => Number(numberOf(text)) || 0;
    if (rules.variant === "cutthroat") return seats.map((text, seat) => ({ points: whole(text), bags: whole(bags[seat]) }));
    const sides = [{ points: whole(scores.us), bags: whole(scores.us_bags) }, { points: whole(scores.them), bags: whole(scores.them_bags) }];
    return this.south % 2 ? sides.reverse() : sides;
  }

  get #userSeat() {
    return byId("round-seat").value === "south" && !this.finishing ? this.south : -1;
  }

  async #play(game) {
    const { round } = this;
    for (let turn = round.turn(); turn.kind !== "over"; turn = round.turn()) {
      this.#draw(turn);
      const suggestion = await round.suggest(turn, turn.seat === this.#userSeat);
      if (game !== this.game) return;
      const choice = turn.seat === this.#userSeat ? await this.#choose(turn, suggestion) : suggestion.choice;
      if (turn.seat !== this.#userSeat) await this.#pause(MOVE_MS);
      if (game !== this.game) return;
      const trick = round.apply(turn, choice);
      this.#log(turn, choice, trick, suggestion);
      if (!trick) continue;
      this.shown = trick;
      this.#draw(turn);
      await this.#pause(TRICK_MS);
      this.shown = null;
      if (game !== this.game) return;
    }
    this.#draw();
    this.#over();
  }

  #pause(milliseconds) {
    const still = this.finishing || matchMedia("(prefers-reduced-motion: reduce)").matches;
    return still ? null : new Promise((done) => setTimeout(done, milliseconds));
  }

  /** Play on for the user with the suggestions, without pauses. */
  #finish() {
    this.finishing = true;
    if (this.decide) this.decide();
  }

  /** Let the user choose; the promise is kept with the choice. */
  #choose(turn, suggestion) {
    return new Promise((resolve) => {
      const decide = (choice) => {
        this.decide = null;
        this.choosing = null;
        fill(byId("advice"));
        resolve(choice);
      };
      this.decide = () => decide(suggestion.choice);
      const done = (choice) => {
        this.choices.push({ turn, trick: this.round.tricks.length + 1, choice, suggestion });
        decide(choice);
      };
      this.choosing = { turn, suggestion, done, passed: this.#passedAtFirst({ turn, suggestion }) };
      this.#draw(turn);
      this.#advise();
    });
  }

  #advise() {
    const { turn, suggestion, done } = this.choosing;
    const hidden = this.#hidden;
    const reasons = this.#sentences(suggestion);
    const suggested = `Suggested: ${choiceText(turn.kind, suggestion.choice)}`;
    const parts = hidden ? [] : [el("h3", { text: suggested }), el("ul", {}, reasons.map((text) => el("li", { text })))];
    if (turn.kind === "bid") {
      parts.push(el("div", { class: "bid-buttons", role: "group", "aria-label": "Your bid" }, suggestion.legal.map((bid) =>
        el("button", { type: "button", class: bid === suggestion.choice && !hidden ? "primary" : "", onclick: () => done(bid), text: bidName(bid) }))));
    }
    if (turn.kind === "pass") {
      const count = suggestion.choice.length;
      parts.push(el("p", { class: "hint", text: `Choose ${count} cards for your partner.` }));
      parts.push(el("button", { type: "button", class: "primary", id: "pass-cards", disabled: this.choosing.passed.size !== count, onclick: () => done([...this.choosing.passed]), text: "Pass the cards" }));
    }
    fill(byId("advice"), parts);
    this.#say({ bid: "Your turn to bid.", pass: "Your turn to pass cards.", card: "Your turn to play a card." }[turn.kind]);
    byId("announcement").textContent = hidden ? "" : `${suggested}. ${reasons[reasons.length - 1] || ""}`;
    const ofBid = byId("advice").querySelector(".bid-buttons .primary") || byId("advice").querySelector(".bid-buttons button");
    const first = ofBid || byId("table").querySelector(".suggested") || byId("table").querySelector("button:not(:disabled)");
    const lost = [null, document.body].includes(document.activeElement) || byId("round").contains(document.activeElement);
    if (first && lost) first.focus({ preventScroll: true });
    if (turn.kind === "bid" && matchMedia(NARROW).matches) byId("table").scrollIntoView({ block: "start" });
  }

  #draw(turn = this.round && this.round.turn()) {
    if (!this.round) return;
    const seats = PLACES.map((place, step) => this.#seat((this.south + step) % 4, place, turn));
    fill(byId("table"), this.#standing(), seats, this.#middle());
  }

  #seat(seat, place, turn) {
    const { round } = this;
    const mine = place === "South";
    const yours = byId("round-seat").value === "south";
    const name = mine && yours ? "South (you)" : place === "North" && yours && !round.alone ? "North (partner)" : place;
    const bid = seat < round.bids.length ? `bid ${bidName(round.bids[seat])}${round.bids.length < 4 ? "" : `, took ${round.taken[seat]}`}` : "has not bid";
    const over = turn.kind === "over";
    const open = mine || over || byId("round-open").checked;
    const turns = !this.shown && turn.seat === seat ? " at-turn" : "";
    return el("section", { class: `seat ${place.toLowerCase()}${turns}`, "aria-label": name },
      el("p", { class: "seat-name" }, el("strong", { text: name }), el("span", { class: "hint", text: ` ${bid}` })),
      open ? this.#hand(over ? round.dealt[seat] : round.hands[seat], seat, mine && !over) : el("p", { class: "hint backs", text: `${round.hands[seat].length} cards` }));
  }

  #hand(held, seat, mine) {
    const { round, choosing } = this;
    const active = mine && choosing && choosing.turn.seat === seat && choosing.turn.kind !== "bid" ? choosing : null;
    const cards = active && active.turn.kind === "pass" ? active.suggestion.legal : held;
    const groups = bySuit(cards, round.deck).map((suit) => el("span", { class: "suit-group" }, suit.map((card) => {
      // Buttons only where one can be chosen: a screen reader calls every other one "unavailable".
      if (!active) return el("span", { class: mine ? "card" : "card small", "data-card": card }, cardFace(card), el("span", { class: "sr-only", text: `${cardName(card)}, ` }));
      const legal = active.suggestion.legal.includes(card);
      const best = !this.#hidden && [active.suggestion.choice].flat().includes(card);
      return el("button", {
        type: "button", class: `card${best ? " suggested" : ""}`, "data-card": card, "aria-label": cardName(card) + (best ? ", suggested" : ""),
        disabled: !legal, "aria-pressed": active.turn.kind === "pass" ? String(active.passed.has(card)) : null,
        onclick: () => this.#pick(card),
      }, cardFace(card));
    })));
    return el("div", { class: "hand", role: "group", "aria-label": "Cards" }, groups);
  }

  #pick(card) {
    const { turn, done, passed, suggestion } = this.choosing;
    if (turn.kind === "card") {
      done(card);
      return;
    }
    if (!passed.delete(card)) passed.add(card);
    this.#draw(turn);
    byId("pass-cards").disabled = passed.size !== suggestion.choice.length;
    byId("table").querySelector(`[data-card="${card}"]`).focus();
  }

  #middle() {
    const { round } = this;
    const { cards, leader } = this.shown || { cards: round.trick, leader: round.leader };
    const played = cards.map((card, index) => {
      const seat = (leader + index) % 4;
      const place = this.#place(seat).toLowerCase();
      const won = this.shown && this.shown.winner === seat ? " won" : "";
      return el("li", { class: `played from-${place}${won}` }, el("span", { class: "card" }, cardFace(card)), el("span", { class: "sr-only", text: `${place}: ${cardName(card)}` }));
    });
    const number = Math.min(round.tricks.length + (this.shown ? 0 : 1), 13);
    const what = { bid: "Bidding", pass: "Passing cards", card: `Trick ${number} of 13`, over: "The hands as dealt" }[round.turn().kind];
    return el("div", { class: "middle" },
      el("p", { class: "hint", text: this.shown ? `Trick ${number} of 13` : what }),
      el("ol", { class: "trick" }, played));
  }

  #place(seat) {
    return PLACES[(seat - this.south + 4) % 4];
  }

  /** Say what a player did; the reasons only where they tell the user nothing about hidden cards. */
  #log({ kind, seat }, choice, trick, suggestion) {
    if (this.finishing) return;
    const place = this.#place(seat);
    const what = { bid: () => `bids ${bidName(choice)}`, pass: () => "passes cards", card: () => `plays ${cardName(choice)}` }[kind]();
    const won = trick ? `. ${this.#place(trick.winner)} wins the trick` : "";
    this.#say(`${place} ${what}${won}.`);
    const open = byId("round-open").checked && seat !== this.#userSeat;
    const reasons = open ? this.#sentences(suggestion).map((text) => el("li", { text })) : [];
    fill(byId("advice"), reasons.length ? [el("h3", { text: `What the service tells ${place}` }), el("ul", {}, reasons)] : []);
  }

  #sentences(suggestion) {
    const texts = suggestion.reasons.map((reason) => reason.sentence || sentence(reason, this.templates)).filter(Boolean);
    return texts.map((text) => withSymbols(text).replace(/\bseat ([0-3])\b/gi, (_, seat) => this.#place(Number(seat))));
  }

  #say(text) {
    byId("round-status").textContent = text;
  }

  #over() {
    byId("round-end").disabled = true;
    const results = this.round.results();
    const names = this.#names();
    const ended = winnerText(results, names, this.round);
    const title = ended || "The round is over";
    byId("round").classList.add("over");
    const outcome = el("div", { class: "outcome" }, el("h3", { text: title }), scoreTable(this.#oursFirst(results), this.#oursFirst(names)));
    fill(byId("round-result"),
      outcome,
      el("button", { type: "button", class: "primary", id: "round-next", onclick: () => this.#next(results, ended), text: ended ? "New game" : "Next round with this score" }),
      differenceList(this.choices, (suggestion) => this.#sentences(suggestion)),
      reviewOf(this.round, { south: this.south, placeOf: (seat) => this.#place(seat), sentences: (decision) => this.#sentences(decision) }),
      trickTable(this.round.tricks, PLACES, this.south));
    this.#say("");
    fill(byId("advice"));
    byId("announcement").textContent = `${title}. ${results.map((result, index) => `${names[index]}: ${result.points} points`).join(". ")}.`;
    byId("round-next").focus({ preventScroll: true });
    outcome.scrollIntoView({ block: matchMedia(NARROW).matches ? "start" : "nearest" });
  }

  /** The player who bids first moves on by one place, so the seats of all go down by one. */
  #next(results, ended) {
    const after = results.map((result) => (ended ? { points: 0, bags: 0 } : result.after));
    this.south = (this.south + 3) % 4;
    this.start(this.round.alone ? [...after.slice(1), after[0]] : after.reverse());
  }
}
