// Cards: names, order, and the texts of hands. The service checks every hand; the page only shows and sends it.
import { el, svg } from "./dom.js";

export const SUITS = ["S", "H", "D", "C"];
export const SUIT_NAMES = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
const SYMBOLS = { "♠": "S", "♤": "S", "♥": "H", "♡": "H", "♦": "D", "♢": "D", "♣": "C", "♧": "C" };
const PICTURES = { S: "♠", H: "♥", D: "♦", C: "♣" };
const RANK_NAMES = { A: "ace", K: "king", Q: "queen", J: "jack", T: "ten" };
const JOKERS = { BJ: "big joker", LJ: "little joker" };

/** Return the deck that rules are played with; `catalogue`: the answer of GET /v1/rules. */
export function deckOf(rules, catalogue) {
  const name = rules.deck || (rules.variant === "jokers" ? "jokers" : "standard");
  return catalogue.decks[name];
}

/** Return the suit that a card belongs to in a deck; a raised deuce of diamonds is a trump. */
export const suitIn = (deck, card) => SUITS.find((suit) => deck.suits[suit].includes(card));

/** Return a card in words, for screen readers. */
export function cardName(card) {
  return JOKERS[card] || `${RANK_NAMES[card[0]] || card[0]} of ${SUIT_NAMES[card[1]]}`;
}

/** Return a sentence of the service with its cards as a player writes them: "4C" -> "4♣". */
export const withSymbols = (text) => text.replace(/\b([2-9TJQKA])([SHDC])\b/g, (_, rank, suit) => (rank === "T" ? "10" : rank) + PICTURES[suit]);

/** Return the picture of a suit. */
export function suitIcon(suit) {
  return svg("svg", { class: `suit suit-${suit}`, viewBox: "0 0 16 16", "aria-hidden": "true" },
    svg("use", { href: `#suit-${suit}` }));
}

/** Return the face of a card: rank and suit, hidden from screen readers, which read `cardName`. */
export function cardFace(card) {
  if (card in JOKERS) return el("span", { class: "face suit-S", "aria-hidden": "true" }, card[0], el("small", { text: "Jkr" }));
  const rank = card[0] === "T" ? "10" : card[0];
  return el("span", { class: `face suit-${card[1]}`, "aria-hidden": "true" }, rank, suitIcon(card[1]));
}

/** Sort cards as a player holds them: spades first, each suit from its highest card. */
export function sorted(cards, deck) {
  const order = SUITS.flatMap((suit) => deck.suits[suit]);
  return [...cards].sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

/** Return cards as PBN: the ranks of spades.hearts.diamonds.clubs, each card in the suit of its name. */
export function pbnOf(cards, deck) {
  const suits = { S: "", H: "", D: "", C: "" };
  for (const card of sorted(cards, deck)) suits[card in JOKERS ? "S" : card[1]] += card[0];
  return SUITS.map((suit) => suits[suit]).join(".");
}

/** Return the `hand` of a request from what the user typed: one text, or a list if there are separators. */
export function handField(text) {
  const trimmed = text.trim();
  const parts = trimmed.split(/[\s,;]+/).filter(Boolean);
  return parts.length > 1 && !trimmed.includes(".") ? parts : trimmed;
}

/** Return the cards that the page recognises in a text, to mark them in the picker; unknown parts are left out. */
export function cardsIn(text, deck) {
  const all = new Set(SUITS.flatMap((suit) => deck.suits[suit]));
  const plain = text.trim().replace(/[♠♤♥♡♦♢♣♧]\ufe0f?/g, (symbol) => SYMBOLS[symbol[0]]).toUpperCase().replace(/10/g, "T");
  const suits = plain.replace(/^[NESW]:/, "").split(".");
  let found;
  if (suits.length === 4) {
    found = suits.flatMap((ranks, suit) => [...ranks.trim()].map((rank) => ("BL".includes(rank) ? `${rank}J` : rank + SUITS[suit])));
  } else {
    found = plain.split(/[\s,;]+/).map((name) => (all.has(name) ? name : name.slice(1) + name[0]));
  }
  return [...new Set(found)].filter((card) => all.has(card));
}

/** Return random numbers from 0 to 1 that depend on the seed alone (mulberry32). */
export function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Return `count` random cards of a deck. */
export function deal(deck, count = 13, random = Math.random) {
  const cards = SUITS.flatMap((suit) => deck.suits[suit]);
  for (let last = cards.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [cards[last], cards[other]] = [cards[other], cards[last]];
  }
  return cards.slice(0, count);
}
