"""Play states for tests, in plain Python."""

import random
from copy import deepcopy

from arena.engine.deal import deal, seed_rng, start_round
from arena.players.choose_card import IDS, choose_card
from spades.cards import DECK, cards_of, parse_pbn
from spades.legal import deck_of
from spades.play import ALL_PIECES, PlayState, legal_cards, play_card, write_rules


def empty():
    return PlayState(deck=DECK)


def under(rules):
    """Return the state of a round under ``rules``, before its deal."""
    passes = [rules.nil_pass, rules.blind_nil_pass, rules.nil_passes_first]
    s = PlayState(deck=deck_of(rules), passes=passes)
    write_rules(s, rules)
    return s


def dealt(seed, number, bids=(3, 3, 3, 3), players=("srp", "srp", "srp", "srp"), pieces=(ALL_PIECES,) * 4):
    """Return a round before the first card; its deal comes from (seed, number)."""
    s = empty()
    seed_rng(s, seed, number, 0)
    deal(s)
    return seated(s, bids, players, pieces)


def of_hands(hands, bids=(3, 3, 3, 3), players=("srp", "srp", "srp", "srp"), pieces=(ALL_PIECES,) * 4):
    """Return a round before the first card, with hands from PBN texts of any, but equal, length."""
    s = empty()
    for seat, hand in enumerate(hands):
        s.hand[seat] = parse_pbn(hand)
    s.deck = s.hand[0] | s.hand[1] | s.hand[2] | s.hand[3]
    return seated(s, bids, players, pieces)


def seated(s, bids, players, pieces):
    start_round(s)
    for seat in range(4):
        s.bid[seat] = bids[seat]
        s.player[seat] = IDS[players[seat]]
        s.pieces[seat] = pieces[seat]
    return s


def copy(s):
    return deepcopy(s)


def to_play(s):
    return (s.leader + s.trick_size) & 3


def legal_now(s):
    return cards_of(legal_cards(s.hand[to_play(s)], s.trick_size, s.trick[0], s.broken))


def random_bids(rng):
    """Return four bids with many nils, some of them blind; partners' numbers never sum to more than 13."""
    bids = [rng.choice((0, 0, 14, 1, 2, 3, 3, 4, 4, 5, 6)) for _ in range(4)]
    return tuple(bids)


def midway(seed, plays=None):
    """Return a state some random legal plays into a round, with a card still to play."""
    rng = random.Random(seed)
    s = dealt(
        seed,
        0,
        random_bids(rng),
        pieces=tuple(rng.choice((ALL_PIECES, rng.randrange(ALL_PIECES + 1))) for _ in range(4)),
    )
    for _ in range(rng.randrange(52) if plays is None else plays):
        play_card(s, to_play(s), rng.choice(legal_now(s)))
    return s


def play_on(s):
    """Make one play by the player whose turn it is."""
    play_card(s, to_play(s), choose_card(s, to_play(s)))
