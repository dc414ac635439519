"""Find what cannot be true in a round of a log, and fill in what follows from its plays.

Plays say everything about the cards: hands and tricks that a record leaves out are filled in from them. If a side has
passed cards between the bids and the plays, its plays say which cards both had together, but not who was dealt which.
"""

from typing import Any, NamedTuple

import numpy as np

from arena.engine.jit import entry
from arena.engine.replay import NEVER, PLAYS, first_revoke, passes, replay
from spades.cards import DECK, format_card
from spades.legal import (
    BLIND_NIL,
    NO_BID,
    allowed_bids,
    broken_at_start,
    contract_of,
    is_blind_bid,
    possible_bids,
    without_sum,
)
from spades.rules import Rules
from spades.scoring import game_winner
from studio.rounds import NO_CARD, NO_POINTS, NO_TRICKS, WRONG_HAND, Names, Rounds

RIGHT, HAND, SHARED, TWICE, NOT_HELD, REVOKE, TRICKS, SUM, BID, BLIND, SCORES, BAGS = range(12)
# By number: the name of a fault, and the sentence about it.
FAULTS = {
    HAND: ("hand", "hands/{place} does not have 13 different cards; accepted: spades.hearts.diamonds.clubs"),
    SHARED: ("card-twice", "hands: {card} is in two hands; accepted: each card in one hand"),
    TWICE: ("play-twice", "plays/{place} is {card}, which was played before; accepted: each of the 52 cards once"),
    NOT_HELD: ("not-held", "plays/{place} is {card}, which seat {value} does not hold; accepted: cards of its hand"),
    REVOKE: ("revoke", "plays/{place} is {card}, but seat {value} had to play another card; accepted: legal cards"),
    TRICKS: ("tricks", "tricks/{place} is {value}, which differs from plays; accepted: the tricks that the seat took"),
    SUM: ("tricks", "tricks sum to {value}; accepted: 13"),
    BID: ("bid", "bids/{place} is {value}; accepted: bids that `rules` allow"),
    BLIND: ("bid", "bids/{place} is a blind bid; accepted: only for a side as far behind as `rules` want"),
    SCORES: ("scores", "scores/{place} is {value}, so the game is over; accepted: scores of a game that goes on"),
    BAGS: ("bags", "bags/{place} is {value}; accepted: 0 to one below the bag limit of `rules`"),
}


class Found(NamedTuple):
    """The first thing that is wrong in a round."""

    kind: Any  # int64 (n,): a key of FAULTS, or RIGHT
    place: Any  # int64 (n,): the index in the field
    value: Any  # int64 (n,)
    card: Any  # int64 (n,), or NO_CARD


def _fill_and_check(rows: Any, rules: Rules, rounds: Any, found: Found) -> None:
    # rounds: hands, bids, tricks, plays, scores and bags of `Rounds`. Hands and tricks are filled in.
    hands, bids, tricks, plays, scores, bags = rounds
    cards, seats = np.zeros(PLAYS, np.int64), np.zeros(PLAYS, np.int64)
    played, took, left = np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(4, np.int64)
    for row in rows:
        kind, place, value, card = RIGHT, 0, 0, NO_CARD
        union = 0
        for seat in range(4):
            hand = hands[row, seat]
            if hand == WRONG_HAND and kind == RIGHT:
                kind, place = HAND, seat
            elif union & hand and kind == RIGHT:
                kind, card = SHARED, (union & hand).bit_length() - 1
            union |= hand
        if plays[row, 0] != NO_CARD and kind == RIGHT:
            for n in range(PLAYS):
                cards[n] = plays[row, n]
            twice = replay(cards, seats, played, took)
            broken = broken_at_start(rules)
            revoke = first_revoke(cards, seats, played, broken, left) if twice == NEVER else NEVER
            if twice != NEVER:
                kind, place, card = TWICE, twice, cards[twice]
            elif revoke != NEVER:
                kind, place, value, card = REVOKE, revoke, seats[revoke], cards[revoke]
            for n in range(PLAYS if kind == RIGHT else 0):
                seat = seats[n]
                partner = (seat + 2) & 3
                hand = hands[row, seat]
                if passes(bids[row, seat], bids[row, partner], rules):  # both may play what either was dealt
                    hand = hand | hands[row, partner] if hand and hands[row, partner] else 0
                if hand and not hand >> cards[n] & 1 and kind == RIGHT:
                    kind, place, value, card = NOT_HELD, n, seat, cards[n]
            for seat in range(4):
                if kind == RIGHT and tricks[row, seat] != NO_TRICKS and tricks[row, seat] != took[seat]:
                    kind, place, value = TRICKS, seat, tricks[row, seat]
            if kind == RIGHT:
                for seat in range(4):
                    tricks[row, seat] = took[seat]
                    if not passes(bids[row, seat], bids[row, (seat + 2) & 3], rules):
                        hands[row, seat] = played[seat]
        union = 0
        for seat in range(4):
            union |= hands[row, seat]
        if union.bit_count() == 39 and kind == RIGHT:  # the fourth hand has the other cards
            for seat in range(4):
                hands[row, seat] = hands[row, seat] or DECK & ~union
        total = tricks[row, 0] + tricks[row, 1] + tricks[row, 2] + tricks[row, 3]
        if tricks[row, 0] != NO_TRICKS and total != 13 and kind == RIGHT:
            kind, value = SUM, total
        for seat in range(4):
            bid, hand = bids[row, seat], hands[row, seat]
            partner_bid = bids[row, seat - 2] if seat > 1 else NO_BID
            allowed = allowed_bids(hand, partner_bid, rules) if hand else possible_bids(partner_bid, rules)
            if seat == 3:
                others = contract_of(bids[row, 0]) + contract_of(bids[row, 1]) + contract_of(bids[row, 2])
                allowed = without_sum(allowed, others, rules)
            blind = bid >= BLIND_NIL
            possible = allowed >> contract_of(bid) & 1 and (not blind or is_blind_bid(bid, rules))
            if not possible and kind == RIGHT:
                kind, place, value = BID, seat, bid
            side = seat & 1
            behind = scores[row, 1 - side] - scores[row, side]
            if blind and scores[row, 0] != NO_POINTS and behind < rules.blind_nil_deficit and kind == RIGHT:
                kind, place = BLIND, seat
        if scores[row, 0] != NO_POINTS and kind == RIGHT and game_winner(scores[row, 0], scores[row, 1], rules) != 0:
            place = 0 if scores[row, 0] >= rules.win or scores[row, 0] <= rules.lose else 1
            kind, value = SCORES, scores[row, place]
        for side in range(2):
            if rules.bags and bags[row, side] >= rules.bag_limit and kind == RIGHT:
                kind, place, value = BAGS, side, bags[row, side]
        found.kind[row], found.place[row], found.value[row], found.card[row] = kind, place, value, card


_rows = entry(_fill_and_check)


def fill_and_check(rounds: Rounds, names: Names) -> tuple[Rounds, dict[int, tuple[str, str]]]:
    """Return the rounds with hands and tricks filled in, and the faults: name and sentence, by index of the round."""
    parts = rounds.hands.copy(), rounds.bids, rounds.tricks.copy(), rounds.plays, rounds.scores, rounds.bags
    found = Found(*(np.zeros(len(rounds.bids), np.int64) for _ in Found._fields))
    for number in np.unique(rounds.rules).tolist():
        _rows(np.flatnonzero(rounds.rules == number), names.rules[number], parts, found)
    faults = {}
    for row in np.flatnonzero(found.kind).tolist():
        name, text = FAULTS[int(found.kind[row])]
        card = int(found.card[row])
        shown = "" if card == NO_CARD else format_card(card)
        faults[row] = name, text.format(place=int(found.place[row]), value=int(found.value[row]), card=shown)
    return rounds._replace(hands=parts[0], tricks=parts[2]), faults
