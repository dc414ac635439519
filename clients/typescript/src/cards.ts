/** Cards and hands as text. A card is such as "QS", "TH" (the ten), "BJ" or "LJ". */

export const SUITS = "SHDC";
export const RANKS = "AKQJT98765432";
export const JOKERS = ["BJ", "LJ"];
/** Spades first, high cards first. */
export const DECK = [...JOKERS, ...[...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit))];

/** A text is not a card or not a hand, or a hand has a card twice. */
export class CardError extends Error {}

/** Return a card in the form "QS"; read all spellings of the service, such as "sq", "♠Q" and "10h". */
export function parseCard(text: string): string {
  const plain = text
    .toUpperCase()
    .replace("10", "T")
    .replace(/[♠♥♦♣]/u, (symbol) => SUITS["♠♥♦♣".indexOf(symbol)]!);
  const turned = [...plain].reverse().join("");
  const card = DECK.includes(plain) ? plain : !JOKERS.includes(turned) && DECK.includes(turned) ? turned : undefined;
  if (card !== undefined) return card;
  throw new CardError(
    `card is ${JSON.stringify(text)}; accepted: a rank (2 to 9, T or 10, J, Q, K, A) and a suit (S, H, D, C), BJ, LJ`,
  );
}

/** Return the cards of a PBN text or of a list of cards, spades first and high cards first. */
export function parseHand(hand: string | readonly string[]): string[] {
  const cards = typeof hand === "string" ? cardsOfPbn(hand) : hand.map(parseCard);
  const twice = cards.find((card, index) => cards.indexOf(card) !== index);
  if (twice !== undefined) throw new CardError(`hand has ${twice} twice; accepted: each card once`);
  return cards.sort((one, other) => DECK.indexOf(one) - DECK.indexOf(other));
}

function cardsOfPbn(text: string): string[] {
  const suits = text.toUpperCase().replace(/^\s*[NESW]:/, "").trim().replaceAll("10", "T").split(".");
  if (suits.length !== SUITS.length) {
    const found = `hand is ${JSON.stringify(text)}, with ${suits.length} suits`;
    throw new CardError(`${found}; accepted: spades.hearts.diamonds.clubs`);
  }
  return suits.flatMap((ranks, index) =>
    ranks === "-"
      ? []
      : [...ranks].map((rank) => parseCard(rank + (index === 0 && "BL".includes(rank) ? "J" : SUITS[index]!))),
  );
}

/** Return a hand as a PBN text: the ranks of spades, hearts, diamonds and clubs with dots between. */
export function formatHand(hand: string | readonly string[]): string {
  const cards = parseHand(hand);
  const suitOf = (card: string) => (JOKERS.includes(card) ? "S" : card[1]);
  const ranksOf = (suit: string) => cards.filter((card) => suitOf(card) === suit).map((card) => card[0]);
  return [...SUITS].map((suit) => ranksOf(suit).join("")).join(".");
}
