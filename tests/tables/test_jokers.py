"""The deck with jokers: its exact tables against a calculation that deals every card, its deals, its play, its
requests.
"""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.players.choose_card import IDS
from spades.bidder import decide
from spades.bis.estimates import (
    BIG_JOKER as BIG_JOKER_OUT,
)
from spades.bis.estimates import (
    FOUR_SPADES,
    JOKER_ACE,
    JOKER_HONOUR,
    NOT_RULED_OUT,
    THREE_ABOVE_JACK,
    regular_takes,
    ruled_out,
)
from spades.cards import (
    BIG_JOKER,
    DECK_BITS,
    JOKERS_DECK,
    LITTLE_JOKER,
    RANKS,
    cards_of,
    parse_pbn,
    suits_of,
    without_jokers,
)
from spades.contract.bid_request import read_bid
from spades.legal import EVERY_BID, NO_BID
from spades.play import legal_cards, play_card
from spades.policies import parse_policy
from spades.position import Position
from spades.rules import JOKERS, make_rules
from spades.scoring import Standing
from spades.tables import JOKERS_PROFILE
from spades.tableset import open_tables
from tables.exact import SIDE, SPADES, cnil_of_zones, spade_counts, spade_is_lost, zones_of
from tests import naive
from tests.arena.engine import states
from tests.contract import faults_of

RULES = make_rules("jokers")
JOKER_DECK = DECK_BITS[JOKERS_DECK]
TOPS = RANKS + "LB"
DECK = [*(c for c in naive.DECK if c not in ("2H", "2C")), "LJ", "BJ"]
hands = st.permutations(cards_of(JOKER_DECK)).map(lambda deck: sum(1 << card for card in deck[:13]))


def mask(text):
    return sum(1 << TOPS.index(rank) for rank in text)


@pytest.fixture(scope="module")
def tables():
    return open_tables()


@pytest.fixture(scope="module")
def t(tables):
    return tables.kernel_arrays[JOKERS_PROFILE]


# ---- the exact tables ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [6, 8, 10, 12])
def test_length_of_a_suit_of_twelve(t, n):
    for m in range(4):
        for k in range(4):
            assert t.p_length[m, n, k] == float(naive.length_probability(m, 12 - n, k))


@settings(max_examples=20, deadline=None)
@given(st.sets(st.sampled_from(range(1, 13)), min_size=5, max_size=12))
def test_cnil_of_a_suit_of_twelve(t, ranks):
    held = sum(1 << rank for rank in ranks)
    expected = naive.cnil({rank - 1 for rank in ranks}, n_ranks=12)
    assert t.cnil[0, held] == float(expected["and", False])


@settings(max_examples=20, deadline=None)
@given(st.sets(st.sampled_from(range(15)), min_size=8, max_size=13))
def test_cnil_of_fifteen_spades(ranks):
    held = sum(1 << rank for rank in ranks)
    expected = naive.cnil(ranks, n_ranks=15)
    assert cnil_of_zones(zones_of(held, 15))[0, SPADES] == float(expected["and", True])


def test_cnil_cells_are_in_their_places(t):
    rng = random.Random(4)
    for _ in range(200):
        diamonds, clubs, spades = rng.randrange(8192), rng.randrange(4096) << 1, rng.randrange(1 << 15)
        assert t.cnil[-2, diamonds] == cnil_of_zones(zones_of(diamonds, 13))[0, SIDE]
        assert t.cnil[0, clubs] == cnil_of_zones(zones_of(clubs >> 1, 12))[0, SIDE]
        kept = 0.0 if spade_is_lost(spades, 2) else cnil_of_zones(zones_of(spades, 15))[0, SPADES]
        assert t.cnil[-1, spades] == kept


@pytest.mark.parametrize(
    ("held", "lost"),
    [
        ("B", True),
        ("B2", True),
        ("LA", True),
        ("L2", False),
        ("A2", False),
        ("AKJ", False),  # two cards above the jack
        ("AKQ", True),
        ("KQJ", False),
        ("5432", True),
        ("432", False),
    ],
)
def test_spades_lost_by_rule(t, held, lost):
    assert spade_is_lost(mask(held), 2) == lost
    assert (t.cnil[-1, mask(held)] == 0) == lost


@pytest.mark.parametrize(
    ("ranks", "high", "length"),
    [
        ("B", 1, 0),
        ("L", 0, 0),
        ("L2", 1, 0),
        ("A32", 1, 0),
        ("K432", 1, 0),
        ("Q432", 0, 0),
        ("BLAK2", 4, 1),
        ("A2", 0, 0),
    ],
)
def test_spades_by_hand(t, ranks, high, length):
    assert spade_counts(mask(ranks), 2) == (high, length)
    assert (t.spade_high[mask(ranks), 0], t.spade_takes[mask(ranks), 0]) == (high, high + length)


def test_spades_of_all_holdings(t):
    """The rule of naive.spade_tricks with ranks two lower: the two lowest ranks that drop out never count as high."""
    for holding in range(0, 1 << 15, 7):
        ranks = [rank - 2 for rank in range(15) if holding >> rank & 1]
        for k in (0, 2, 9):
            assert t.spade_takes[holding, k] == naive.spade_tricks(ranks[k:])


def test_side_suits_of_two_sizes(tables, t):
    """A K Q of clubs count as in a suit of 12 cards, those of diamonds as in the game without jokers."""
    assert np.array_equal(t.side_high[4:], tables.arrays["side_high"])
    assert t.side_high[2, mask("A9876")] == float(naive.length_probability(2, 7, 1))
    assert t.side_high[2, mask("K9876")] == float(naive.length_probability(2, 7, 2))
    assert t.side_high[1, mask("Q9876")] == float(naive.length_probability(1, 7, 3))
    assert (t.side_high[:4, 1::2] == 0).all()  # no deuce


def test_ruffs_of_two_sizes(tables, t):
    # Rows are the lengths of clubs, diamonds and hearts up to 3, in base 4.
    clubs, diamonds = t.p_length[2, 0, 1], tables.arrays["p_length"][2, 0, 1]
    assert clubs < diamonds
    assert t.ruffs[2, 60, 1] == clubs
    assert t.ruffs[2, 51, 1] == diamonds
    assert t.ruffs[2, 48, 2] == diamonds + clubs


def test_a_hand_by_hand(tables, t):
    """A hand with a guarded BJ and A, three hearts to the ace, two diamonds to the king and four clubs to the queen."""
    long = tables.arrays["p_length"]
    made = regular_takes(suits_of(parse_pbn("BA32.A54.K2.Q543")), 2, NO_BID, 0.0, 0.0, t)
    assert made.hearts == t.p_length[2, 3, 1]
    assert made.diamonds == long[2, 2, 2]
    assert made.clubs == t.p_length[2, 4, 3]
    assert made.spade_high + made.spade_long == 2
    assert made.ruffs == long[2, 2, 3]  # a doubleton's third round


# ---- nils ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spades", "honours", "reason"),
    [
        ("B", 1, BIG_JOKER_OUT),
        ("LA", 1, JOKER_ACE),
        ("AKQ", 1, THREE_ABOVE_JACK),
        ("AJT", 1, NOT_RULED_OUT),
        ("KQJ", 0, NOT_RULED_OUT),
        ("5432", 1, FOUR_SPADES),
        ("L2", 0, JOKER_HONOUR),
        ("A2", 0, JOKER_HONOUR),
        ("A2", 1, NOT_RULED_OUT),
        ("K2", 0, NOT_RULED_OUT),  # with jokers a king is the fourth highest trump
    ],
)
def test_what_rules_a_nil_out(spades, honours, reason):
    hand = mask(spades) << 48 | parse_pbn(".543.6543.543")
    assert ruled_out(hand >> 48, -1, honours, 1, EVERY_BID, 2) == reason


def test_reasons_name_the_jokers(tables):
    position = Position(parse_pbn("B2.6543.6543.543"), (), rules=RULES)
    told = decide(position, parse_policy("bis", JOKERS), tables).explanation
    assert told is not None
    assert told["nil"]["ruled_out"] == "big joker"
    assert "No nil: the big joker always wins a trick." in told["sentence"]


# ---- bidders that do not know jokers --------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(hands, st.sampled_from(("bis:variant=ignore", "rb", "ms", "io")))
def test_others_read_an_ordinary_hand(tables, hand, text):
    bids = [
        decide(Position(cards, (3,), rules=rules), parse_policy(text, rules.variant), tables).bid
        for cards, rules in ((hand, RULES), (without_jokers(hand), make_rules()))
    ]
    assert bids[0] == bids[1]


@settings(max_examples=100, deadline=None)
@given(hands)
def test_any_hand_has_a_bid(tables, hand):
    made = decide(Position(hand, (3, 0), Standing(450, 440, 3, 0), RULES), parse_policy("bis", JOKERS), tables)
    assert 0 <= made.bid <= 10
    assert (made.kind == "nil") == (made.bid == 0)
    if hand >> BIG_JOKER & 1:
        assert made.bid > 0


# ---- deals and play -----------------------------------------------------------------------------------------------


def dealt(number, bids, player):
    s = states.empty()
    s.deck = JOKER_DECK
    deck = cards_of(JOKER_DECK)
    random.Random(number).shuffle(deck)
    for seat in range(4):
        s.hand[seat] = sum(1 << card for card in deck[13 * seat : 13 * seat + 13])
    return states.seated(s, bids, (player,) * 4, (511,) * 4)


@pytest.mark.parametrize("player", sorted(IDS))
def test_players_play_the_jokers_deck_by_the_rules(player):
    """Every card is legal, and every trick goes to the highest trump, or to the highest card of the suit led.

    Jokers beat the ace of spades.
    """
    rounds = 3 if player.startswith("uct") else 25
    for number in range(rounds):
        s = dealt(number, states.random_bids(random.Random(number)), player)
        hands_before = [s.hand[seat] for seat in range(4)]
        for _ in range(52):
            seat = states.to_play(s)
            before = s.hand[seat]
            legal = states.legal_now(s)
            states.play_on(s)
            played = (before ^ s.hand[seat]).bit_length() - 1
            assert played in legal
        assert sum(s.taken[seat] for seat in range(4)) == 13
        holder = next(seat for seat in range(4) if hands_before[seat] >> BIG_JOKER & 1)
        assert s.taken[holder] >= 1  # nothing beats the big joker


def test_a_joker_is_a_spade_and_beats_the_ace():
    s = states.empty()
    s.deck = JOKER_DECK
    for seat, hand in enumerate(("A2.3..", "L3.4..", "B.5..4", "4.6..5")):
        s.hand[seat] = parse_pbn(hand)
    states.seated(s, (3, 3, 3, 3), ("srp",) * 4, (511,) * 4)
    assert cards_of(legal_cards(s.hand[1], 1, 60, 0)) == [49, LITTLE_JOKER]  # spades follow spades
    s.broken = 1
    for card in (60, LITTLE_JOKER, BIG_JOKER, 50):
        play_card(s, states.to_play(s), card)
    assert [s.taken[seat] for seat in range(4)] == [0, 0, 1, 0]


# ---- requests -----------------------------------------------------------------------------------------------------

HAND_OF_CARDS = ["BJ", "lJ", "AS", "3S", "AH", "QH", "QD", "2D", "KC", "9C", "5C", "4C", "3C"]


def request(hand, rules):
    return {"hand": hand, "previous_bids": [], "seat": 0, "rules": rules}


@pytest.mark.parametrize("hand", [HAND_OF_CARDS, "BLA3.AQ.Q2.K9543", "bla3.aq.q2.k9543"])
def test_a_hand_with_jokers_is_read(hand):
    call = read_bid(request(hand, {"preset": "jokers"}))
    assert call.position.hand == parse_pbn("BLA3.AQ.Q2.K9543")
    assert read_bid(request(hand, {"variant": "jokers"})).position.hand == call.position.hand


@pytest.mark.parametrize(
    ("hand", "rules", "card", "where"),
    [
        ([*HAND_OF_CARDS[:12], "2C"], {"preset": "jokers"}, "2C", "/hand/12"),
        (["2h", *HAND_OF_CARDS[1:]], {"preset": "jokers"}, "2h", "/hand/0"),
        ("AK32.A2.Q2.K9543", {"preset": "jokers"}, "2H", "/hand"),
        (["BJ", "KS", *HAND_OF_CARDS[2:]], {}, "BJ", "/hand/0"),
        ("BKA3.AQ.Q2.K9543", {"preset": "whiz"}, "BJ", "/hand"),
    ],
)
def test_a_card_of_another_deck_is_refused(hand, rules, card, where):
    (fault,) = faults_of(request(hand, rules))
    deck = "jokers" if rules == {"preset": "jokers"} else "standard"
    assert (fault.pointer, fault.code) == (where, "unknown-card")
    assert fault.detail == f"{card} is not in the deck {deck}"


def test_a_doubled_joker_is_refused():
    doubled = ["BJ", "bj", *HAND_OF_CARDS[2:]]
    assert [fault.code for fault in faults_of(request(doubled, {"preset": "jokers"}))] == ["duplicate-card"]
