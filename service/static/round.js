// One round: hands, bids, exchanged cards and tricks. All suggestions come from the service.
import { ask } from "./api.js";
import { deal, seeded, sorted, suitIn, SUITS } from "./cards.js";
import { legalOwnBids } from "./legal_bids.js";
import { scoreSeat, scoreSide } from "./scoring.js";

const SEATS = [0, 1, 2, 3];
const TRICKS = 13;
const NIL = 0;

/** Return four hands that depend on the seed alone; `own`: the cards of `seat`, or none. */
export function dealHands(deck, seed, seat, own) {
  const rest = deal(deck, 52, seeded(seed)).filter((card) => !own.includes(card));
  return SEATS.map((other) => (other === seat && own.length ? own : rest.splice(0, TRICKS))).map((cards) => sorted(cards, deck));
}

/** A round from the first bid to the last card. */
export class Round {
  /**
   * `setup`: `deck`, the `rules` in force, `rulesField` of requests, `bidder`, the fields that say who bids, and `sides`:
   * points and bags of each side, or of each seat with variant cutthroat.
   */
  constructor(setup, hands) {
    Object.assign(this, setup);
    this.alone = this.rules.variant === "cutthroat";
    this.dealt = hands;
    this.hands = hands.map((cards) => [...cards]);
    this.bids = [];
    this.given = [null, null, null, null];
    this.passers = [];
    this.tricks = [];
    this.trick = [];
    this.leader = 0;
    this.taken = [0, 0, 0, 0];
  }

  /** Return what is next: `bid`, `pass` or `card` and the seat, or `over`. */
  turn() {
    if (this.bids.length < 4) return { kind: "bid", seat: this.bids.length };
    if (this.passers.length) return { kind: "pass", seat: this.passers[0] };
    if (this.tricks.length === TRICKS) return { kind: "over" };
    if (!this.tricks.length && !this.trick.length && this.rules.first_lead === "lowest_club") {
      const lowest = this.deck.suits.C.at(-1);
      this.leader = this.hands.findIndex((cards) => cards.includes(lowest));
    }
    return { kind: "card", seat: (this.leader + this.trick.length) % 4 };
  }

  /**
   * Return the service's suggestion for a turn: `choice`, `reasons`, and for `choosing` players the `legal` choices.
   * Of bids and cards also the `request`.
   */
  async suggest(turn, choosing) {
    const request = { hand: this.dealt[turn.seat], seat: turn.seat, rules: this.rulesField };
    if (turn.kind === "bid") return this.#suggestBid({ ...request, ...this.bidder, scores: this.#scores(turn.seat) }, choosing);
    if (turn.kind === "pass") return this.#suggestPass(request);
    const exchanged = this.given[turn.seat] ? { given: this.given[turn.seat], received: this.given[turn.seat ^ 2] } : {};
    const tricks = [...this.tricks.map((one) => one.cards), [...this.trick]];
    const position = { ...request, bids: this.bids, scores: this.#scores(turn.seat), tricks, ...exchanged };
    const answer = await ask("/v1/card", position);
    return { choice: answer.card, legal: answer.legal, reasons: answer.reasons, request: position };
  }

  async #suggestBid(request, choosing) {
    const position = { ...request, previous_bids: [...this.bids] };
    const answer = await ask("/v1/bid", { ...position, explain: "brief" });
    const legal = choosing ? await legalOwnBids(position) : [answer.bid];
    return { choice: answer.bid, reasons: answer.explanation.reasons, legal, request: position };
  }

  async #suggestPass(request) {
    const partner = request.seat ^ 2;
    const sees = this.rules.nil_passes_first && this.given[partner];
    const received = sees ? { received: this.given[partner] } : {};
    const answer = await ask("/v1/pass", { ...request, bids: this.bids, ...received });
    const legal = [...this.dealt[request.seat], ...(sees ? this.given[partner] : [])];
    return { choice: answer.cards, reasons: answer.reasons, legal: sorted(legal, this.deck) };
  }

  /** Make a choice: a bid, a list of cards to pass, or a card. Returns the finished trick, if there is one. */
  apply(turn, choice) {
    if (turn.kind === "bid") this.#bid(choice);
    else if (turn.kind === "pass") this.#pass(turn.seat, choice);
    else return this.#play(turn.seat, choice);
    return null;
  }

  #bid(bid) {
    this.bids.push(bid);
    if (this.bids.length < 4 || !this.rules.nil_pass || this.alone) return;
    for (const first of [0, 1]) {
      const pair = [first, first + 2];
      if (!pair.some((seat) => this.bids[seat] === NIL)) continue;
      const nilFirst = this.rules.nil_passes_first && this.bids[pair[0]] !== NIL;
      this.passers.push(...(nilFirst ? pair.reverse() : pair));
    }
  }

  #pass(seat, cards) {
    const partner = seat ^ 2;
    this.given[seat] = cards;
    this.passers.shift();
    if (!this.given[partner]) return;
    for (const [from, to] of [[seat, partner], [partner, seat]]) {
      const kept = this.dealt[from].filter((card) => !this.given[from].includes(card));
      this.hands[from] = sorted(new Set([...kept, ...this.given[to]]), this.deck);
    }
    // A card that came from partner and went back is partner's again.
    const back = this.given[seat].filter((card) => this.given[partner].includes(card));
    this.hands[seat] = this.hands[seat].filter((card) => !back.includes(card));
  }

  #play(seat, card) {
    this.hands[seat] = this.hands[seat].filter((other) => other !== card);
    this.trick.push(card);
    if (this.trick.length < 4) return null;
    const winner = (this.leader + this.trick.indexOf(this.#best())) % 4;
    const trick = { cards: this.trick, leader: this.leader, winner };
    this.tricks.push(trick);
    this.taken[winner] += 1;
    this.leader = winner;
    this.trick = [];
    return trick;
  }

  #best() {
    const led = suitIn(this.deck, this.trick[0]);
    const order = [...this.deck.suits.S, ...(led === "S" ? [] : this.deck.suits[led])];
    const places = this.trick.map((card) => order.indexOf(card));
    return this.trick[places.indexOf(Math.min(...places.filter((place) => place >= 0)))];
  }

  #scores(seat) {
    if (this.alone) return { seats: this.sides.map((side) => side.points), bags: this.sides.map((side) => side.bags) };
    const [us, them] = [this.sides[seat % 2], this.sides[1 - (seat % 2)]];
    return { us: us.points, them: them.points, us_bags: us.bags, them_bags: them.bags };
  }

  /** Return the request for the review of the finished round, in a game of two sides. */
  reviewRequest() {
    const passed = this.given.some(Boolean) ? { passed: this.given } : {};
    return {
      rules: this.rulesField, hands: this.dealt, bids: this.bids, plays: this.tricks.flatMap((trick) => trick.cards), ...passed,
      scores: this.sides.map((side) => side.points), bags: this.sides.map((side) => side.bags),
    };
  }

  /** Return the result of each side: its seats, bid and tricks, points of the round, and the score after it. */
  results() {
    const players = SEATS.map((seat) => ({ seat, bid: this.bids[seat], taken: this.taken[seat] }));
    const groups = this.alone ? players.map((player) => [player]) : [[players[0], players[2]], [players[1], players[3]]];
    return groups.map((group, index) => {
      const before = this.sides[index];
      const scored = this.alone ? scoreSeat(group[0], before.bags, this.rules) : scoreSide(group, before.bags, this.rules);
      return { players: group, points: scored.points, before, after: { points: before.points + scored.points, bags: scored.bags } };
    });
  }
}

/** Return the cards of a hand by suit. */
export const bySuit = (cards, deck) => SUITS.map((suit) => cards.filter((card) => suitIn(deck, card) === suit)).filter((held) => held.length);
