// The hand: 52 cards to click or to walk through with the arrow keys, and a text that can be pasted.
import { cardFace, cardName, cardsIn, deal, pbnOf, SUIT_NAMES, SUITS } from "./cards.js";
import { byId, el, fill } from "./dom.js";

export const HAND = 13;

/** The picker of a hand. `changed(text, complete)` is called after each change. */
export class Picker {
  constructor(changed) {
    this.changed = changed;
    this.chosen = new Set();
    byId("deal").addEventListener("click", () => this.#choose(deal(this.deck)));
    byId("clear").addEventListener("click", () => this.#choose([]));
    byId("hand").addEventListener("input", () => {
      this.chosen = new Set(cardsIn(byId("hand").value, this.deck));
      this.#mark();
      this.changed(byId("hand").value, true);
    });
    byId("picker").addEventListener("keydown", (event) => this.#walk(event));
  }

  /** Show a deck and a hand. */
  show(deck, text) {
    const same = this.deck === deck;
    this.deck = deck;
    this.chosen = new Set(cardsIn(text, deck));
    byId("hand").value = text;
    if (!same) this.#draw();
    this.#mark();
  }

  #draw() {
    const rows = SUITS.map((suit) => el("div", { class: "suit-row", role: "group", "aria-label": SUIT_NAMES[suit] },
      this.deck.suits[suit].map((card) => el("button", {
        type: "button", class: "card", "data-card": card, "aria-label": cardName(card), tabindex: "-1",
        onclick: () => this.#toggle(card),
      }, cardFace(card)))));
    fill(byId("picker"), rows);
    byId("picker").querySelector("button").tabIndex = 0;
  }

  #mark() {
    for (const button of byId("picker").querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(this.chosen.has(button.dataset.card)));
    }
    const left = HAND - this.chosen.size;
    const hint = left === 0 ? "13 cards" : left > 0 ? `${this.chosen.size} cards, ${left} more to pick` : `${this.chosen.size} cards, ${-left} too many`;
    byId("hand-count").textContent = hint;
  }

  #toggle(card) {
    if (this.chosen.has(card)) this.chosen.delete(card);
    else this.chosen.add(card);
    this.#choose([...this.chosen]);
  }

  #choose(cards) {
    this.chosen = new Set(cards);
    byId("hand").value = this.chosen.size ? pbnOf(cards, this.deck) : "";
    this.#mark();
    this.changed(byId("hand").value, this.chosen.size >= HAND);
  }

  #walk(event) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -99], End: [0, 99] }[event.key];
    const button = event.target.closest("button");
    if (!step || !button) return;
    event.preventDefault();
    const rows = [...byId("picker").children].map((row) => [...row.children]);
    const row = rows.findIndex((cards) => cards.includes(button));
    const to = rows[Math.min(Math.max(row + step[0], 0), rows.length - 1)];
    const next = to[Math.min(Math.max(rows[row].indexOf(button) + step[1], 0), to.length - 1)];
    button.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}
