"""What cannot be true in a round of a log, and what follows from its plays.

Plays say everything about the cards: hands and tricks that a record leaves out are filled in from them. If cards may
have been passed between the bids and the plays, the plays do not say who was dealt which card.
"""

from typing import Any, NamedTuple

import numpy as np

from service.bidding.game.auction import NO_BID
from service.bidding.game.cards import DECK, format_card
from service.bidding.game.legal import allowed_bids, possible_bids
from service.bidding.game.rules import Rules
from service.bidding.game.scoring import BLIND_NIL, NIL
from tables.engine.jit import entry
from tables.logs.replay import NEVER, PLAYS, first_revoke, replay
from tables.logs.rounds import NO_CARD, NO_RULES, NO_TRICKS, Names, Rounds

RIGHT, SHARED, BID, TWICE, NOT_HELD, REVOKE, TRICKS, SUM, BAGS = range(9)
# By number, the name of what is wrong and the sentence about it.
FAULTS = {
    SHARED: ("card-twice", "hands: {card} is in two hands; accepted: each card in one hand"),
    BID: ("bid", "bids/{place} is {value}; accepted: bids that `rules` allow"),
    TWICE: ("play-twice", "plays/{place} is {card}, which was played before; accepted: each of the 52 cards once"),
    NOT_HELD: ("not-held", "plays/{place} is {card}, which seat {value} does not hold; accepted: cards of its hand"),
    REVOKE: (
        "revoke",
        "plays/{place} is {card}, but seat {value} holds a card that the rules want; accepted: legal cards",
    ),
    TRICKS: ("tricks", "tricks/{place} is {value}, which differs from plays; accepted: the tricks that the seat took"),
    SUM: ("tricks", "tricks sum to {value}; accepted: 13"),
    BAGS: ("bags", "bags/{place} is {value}; accepted: 0 to one below the bag limit of `rules`"),
}


class Found(NamedTuple):
    """The first thing that is wrong in a round."""

    kind: Any  # int64 (n,): a key of FAULTS, or RIGHT
    place: Any  # int64 (n,): the index in the field
    value: Any  # int64 (n,)
    card: Any  # int64 (n,), or NO_CARD


def _check(rows: Any, rules: Rules, rounds: Any, found: Found) -> None:
    # rounds: hands, bids, tricks, plays and bags of `Rounds`. Hands and tricks that are not known are filled in.
    hands, bids, tricks, plays, bags = rounds
    cards, seats = np.zeros(PLAYS, np.int64), np.zeros(PLAYS, np.int64)
    played, took, left = np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(4, np.int64)
    for row in rows:
        kind, place, value, card = RIGHT, 0, 0, NO_CARD
        union = 0
        passes = False
        for seat in range(4):
            bid, hand = bids[row, seat], max(0, hands[row, seat])
            if union & hand:
                kind, card = SHARED, 63
                while not (union & hand) >> card & 1:
                    card -= 1
            union |= hand
            partner = bids[row, seat - 2] if seat > 1 else NO_BID
            allowed = allowed_bids(hand, partner, rules) if hand else possible_bids(partner, rules)
            if rules.blind_nil and allowed >> NIL & 1:
                allowed |= 1 << BLIND_NIL
            if not allowed >> bid & 1 and kind == RIGHT:
                kind, place, value = BID, seat, bid
            passes |= (bid == NIL and rules.nil_pass > 0) or (bid == BLIND_NIL and rules.blind_nil_pass > 0)
        for side in range(2):
            if rules.bags and bags[row, side] >= rules.bag_limit and kind == RIGHT:
                kind, place, value = BAGS, side, bags[row, side]
        if plays[row, 0] != NO_CARD and kind == RIGHT:
            for n in range(PLAYS):
                cards[n] = plays[row, n]
            twice = replay(cards, seats, played, took)
            revoke = first_revoke(cards, seats, played, left) if twice == NEVER else NEVER
            if twice != NEVER:
                kind, place, card = TWICE, twice, cards[twice]
            else:
                for n in range(PLAYS):
                    hand = hands[row, seats[n]]
                    if hand and not passes and not hand >> cards[n] & 1 and kind == RIGHT:
                        kind, place, value, card = NOT_HELD, n, seats[n], cards[n]
                if revoke != NEVER and kind == RIGHT:
                    kind, place, value, card = REVOKE, revoke, seats[revoke], cards[revoke]
            for seat in range(4):
                if kind == RIGHT and tricks[row, seat] != NO_TRICKS and tricks[row, seat] != took[seat]:
                    kind, place, value = TRICKS, seat, tricks[row, seat]
            if kind == RIGHT:
                for seat in range(4):
                    tricks[row, seat] = took[seat]
                    hands[row, seat] = played[seat] if not passes else hands[row, seat]
        total = tricks[row, 0] + tricks[row, 1] + tricks[row, 2] + tricks[row, 3]
        if tricks[row, 0] != NO_TRICKS and total != 13 and kind == RIGHT:
            kind, value = SUM, total
        if union.bit_count() == 39 and kind == RIGHT:  # the fourth hand has the other cards
            for seat in range(4):
                hands[row, seat] = hands[row, seat] or DECK & ~union
        found.kind[row], found.place[row], found.value[row], found.card[row] = kind, place, value, card


_check_rows = entry(_check)


def check(rounds: Rounds, names: Names) -> tuple[Rounds, dict[int, tuple[str, str]]]:
    """Return the rounds with what their plays tell filled in, and by number of the round what is wrong: name, sentence.

    Rounds without rules are not looked at.
    """
    n = len(rounds.bids)
    parts = rounds.hands.copy(), rounds.bids, rounds.tricks.copy(), rounds.plays, rounds.bags
    found = Found(*(np.zeros(n, np.int64) for _ in Found._fields))
    for number in np.unique(rounds.rules[rounds.rules != NO_RULES]).tolist():
        rows = np.flatnonzero(rounds.rules == number)
        _check_rows(rows, names.rules[number], parts, found)
    faults = {}
    for row in np.flatnonzero(found.kind).tolist():
        name, text = FAULTS[int(found.kind[row])]
        card = int(found.card[row])
        shown = "" if card == NO_CARD else format_card(card)
        faults[row] = name, text.format(place=int(found.place[row]), value=int(found.value[row]), card=shown)
    return rounds._replace(hands=parts[0], tricks=parts[2]), faults
