"""Play states for tests, as plain Python sees them: a memoryview of int64."""

import random
from array import array

from service.bidding.game.cards import DECK, cards_of, parse_pbn
from tables.engine.deal import deal, seed_rng
from tables.engine.game import start_round
from tables.engine.play import (
    BID,
    BROKEN,
    CARD,
    COUNT,
    DECK_CELL,
    HAND,
    LEADER,
    PIECES,
    PLAYER,
    SIZE,
    legal_cards,
    play_card,
)
from tables.players.choose_card import IDS, choose_card
from tables.players.srp1.goals import ALL_PIECES


def empty():
    s = memoryview(array("q", [0] * SIZE))
    s[DECK_CELL] = DECK
    return s


def dealt(seed, number, bids=(3, 3, 3, 3), players=("srp", "srp", "srp", "srp"), pieces=(ALL_PIECES,) * 4):
    """A round about to be played, its deal from (seed, number)."""
    s = empty()
    seed_rng(s, seed, number, 0)
    deal(s, memoryview(array("q", [0] * 64)))
    return seated(s, bids, players, pieces)


def of_hands(hands, bids=(3, 3, 3, 3), players=("srp", "srp", "srp", "srp"), pieces=(ALL_PIECES,) * 4):
    """A round about to be played from hands as PBN texts (any number of cards, as many in each)."""
    s = empty()
    for seat, hand in enumerate(hands):
        s[HAND + seat] = parse_pbn(hand)
    s[DECK_CELL] = s[HAND] | s[HAND + 1] | s[HAND + 2] | s[HAND + 3]
    return seated(s, bids, players, pieces)


def seated(s, bids, players, pieces):
    start_round(s)
    for seat in range(4):
        s[BID + seat] = bids[seat]
        s[PLAYER + seat] = IDS[players[seat]]
        s[PIECES + seat] = pieces[seat]
    return s


def copy(s):
    return memoryview(array("q", s.tolist()))


def to_play(s):
    return (s[LEADER] + s[COUNT]) & 3


def legal_now(s):
    return cards_of(legal_cards(s[HAND + to_play(s)], s[COUNT], s[CARD], s[BROKEN]))


def random_bids(rng):
    """Four bids with many nils, blind ones too, never both partners' regular bids above 13."""
    bids = [rng.choice((0, 0, 14, 1, 2, 3, 3, 4, 4, 5, 6)) for _ in range(4)]
    return tuple(bids)


def midway(seed, plays=None):
    """A state some random legal plays into a round (all seats and counts come up), somebody about to play."""
    rng = random.Random(seed)
    s = dealt(seed, 0, random_bids(rng), pieces=tuple(rng.choice((ALL_PIECES, rng.randrange(512))) for _ in range(4)))
    for _ in range(rng.randrange(52) if plays is None else plays):
        play_card(s, to_play(s), rng.choice(legal_now(s)))
    return s


def play_on(s):
    """One play by the player whose turn it is."""
    play_card(s, to_play(s), choose_card(s, to_play(s)))
