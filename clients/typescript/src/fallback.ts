/** A bid that needs no service, for a table that must not wait. The same rule as that of the Python client. */
import { JOKERS, parseHand, SUITS } from "./cards.js";
import type { Schemas } from "./operations.js";

/** Makes the bid for a request if the service cannot: 0 (nil) to 13. */
export type Fallback = (request: Schemas["BidRequest"]) => number;

/** An answer to a request for a bid; with `fallback`, the reason, if the bid was made without the service. */
export type LocalBid = Schemas["BidAnswer"] & { fallback?: string };

/** Return the tricks of a bid as a request writes it; both nils are 0. */
function tricksOf(bid: number | string): number {
  return /^\d+$/.test(String(bid)) ? Number(bid) : 0;
}

/**
 * Return a simple bid: jokers and aces count one trick, a king beside another card half a trick, and each spade after
 * the third one trick. It is 0 (nil) only if nothing else is legal. It knows legal_bids, partner's bid, the variants,
 * min_bid and team_min; if your game has other limits, such as team_max, send legal_bids.
 */
export function simpleBid(request: Schemas["BidRequest"]): number {
  const bid = bidByRules(request);
  const legal = request.legal_bids?.map(tricksOf);
  if (legal === undefined) return bid;
  const numbers = legal.filter((number) => number > 0).sort((one, other) => one - other);
  if (numbers.length === 0 || (bid === 0 && legal.includes(0))) return 0;
  return numbers.reduce((best, number) => (Math.abs(number - bid) < Math.abs(best - bid) ? number : best));
}

function bidByRules(request: Schemas["BidRequest"]): number {
  const cards = parseHand(request.hand);
  const rules = request.rules ?? {};
  const variant = rules.variant ?? rules.preset ?? "";
  const before = request.previous_bids.at(-2);
  const partner = request.previous_bids.length > 1 && before !== undefined ? tricksOf(before) : undefined;
  const jokers = cards.filter((card) => JOKERS.includes(card)).length;
  const suits = [...SUITS].map((suit) => cards.filter((card) => !JOKERS.includes(card) && card[1] === suit));
  const spades = jokers + suits[0]!.length;
  if (["mirror", "whiz", "whiz-strict"].includes(variant)) return spades;
  if (variant === "suicide" && partner) return 0;
  const aces = cards.filter((card) => card.startsWith("A")).length;
  const kings = suits.filter((suit) => suit.length > 1 && suit.some((card) => card.startsWith("K"))).length;
  const tricks = jokers + aces + Math.floor(kings / 2) + Math.max(0, spades - 3);
  let least = rules.min_bid || 1;
  if (variant === "cutthroat") return Math.max(least, tricks);
  const teamMin = rules.team_min || (["suicide", "board-4"].includes(variant) ? 4 : 0);
  if (partner !== undefined || variant === "suicide") least = Math.max(least, teamMin - (partner ?? 0));
  return Math.max(least, Math.min(tricks, 13 - (partner ?? 0)));
}

/** Return the answer with a bid that was made without the service. */
export function localAnswer(bid: number, reason: string): LocalBid {
  return { bid, kind: bid ? "regular" : "nil", policy: "fallback", tables: "", assumed: [], fallback: reason };
}
