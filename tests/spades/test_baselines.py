"""RB, MS and IO: hands computed by hand, their nil rules, and slow reference implementations."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.baselines import io, io_side, lowest_at_most, ms, ms_side, naive_nil, rb
from spades.cards import parse_pbn
from spades.legal import BLIND_NIL, NO_BID
from spades.policies import parse_policy
from spades.position import read_auction
from tests import naive

WORKED = "AKJ62.AQ.Q.K9543"
LOW = "432.5432.5432.32"
PAPER_NIL = "nil=5-8-T"

hands = st.permutations(naive.DECK).map(lambda deck: naive.pbn_of(deck[:13]))
low_hands = st.permutations([c for c in naive.DECK if c[0] in "23456789T" or c[1] == "H"]).map(
    lambda deck: naive.pbn_of(deck[:13])
)


def mask(ranks):
    return sum(1 << naive.RANKS.index(rank) for rank in ranks)


def bid_of(kernel, worlds, pbn, seat=0, b0=-1, b1=-1, options=""):
    policy = parse_policy(kernel.__name__ + (f":{options}" if options else ""))
    return kernel(parse_pbn(pbn), read_auction(seat, b0, b1, 4).partner_bid, policy, worlds.plain)


@pytest.mark.parametrize(
    ("ranks", "ms_value", "io_value"),
    [
        ("", 0, 0),
        ("A", 1, 1),
        ("K", 0, 0),
        ("K2", 1, 0.5),
        ("AK", 2, 2),
        ("AQ", 1, 1),
        ("QJT9", 0, 0),
        ("AKQ", 2, 2),
    ],
)
def test_side_suits(ranks, ms_value, io_value):
    assert ms_side(mask(ranks)) == ms_value
    assert io_side(mask(ranks)) == io_value


def test_io_worked_hand(neutral):
    made = bid_of(io, neutral, WORKED)
    # spades 3 honours and two small, ace of hearts, guarded king of clubs: 3.8 + 1 + .5
    assert (made.spades, made.hearts, made.diamonds, made.clubs) == (pytest.approx(3.8), 1.0, 0.0, 0.5)
    assert made.estimate == pytest.approx(5.3)
    assert (made.bid, made.takes, made.nil) == (5, 5, False)


@pytest.mark.parametrize(
    ("pbn", "estimate", "takes"),
    [
        ("AT9.K43.432.5432", 2.9, 2),
        ("AT987.K43.K32.32", 4.2, 4),
        ("T9876.K43.K32.32", 3.6, 3),
        ("98765.A43.K2.K32", 4.0, 4),
        ("98.5432.432.5432", 0.8, 1),  # at least 1
    ],
)
def test_io_rounds_down(neutral, pbn, estimate, takes):
    made = bid_of(io, neutral, pbn)
    assert (made.estimate, made.takes) == (pytest.approx(estimate), takes)


def test_ms_worked_hand(neutral):
    made = bid_of(ms, neutral, WORKED)
    # A, K, two spades beyond the third; ace; guarded king
    assert (made.spades, made.hearts, made.diamonds, made.clubs, made.shape) == (4.0, 1.0, 0.0, 1.0, 0.0)
    assert (made.bid, made.nil) == (6, False)


@pytest.mark.parametrize(
    ("pbn", "shape", "estimate"),
    [
        (".AK32.AK32.AK432", -1, 5),  # spade void
        ("2.AK32.AK32.AK32", -1, 5),  # spade singleton
        ("K.AK32.AK32.AK32", -1, 5),  # an unguarded king
        ("32.AK32.AK32.AK2", 0, 6),
        ("432.2.AK432.AK32", 1, 5),
        ("432..AK432.AK432", 1, 5),
        ("432...AKQJT98765", 1, 3),  # two voids count once
        ("5432.2.AK432.AK2", 0, 5),  # four spades: no correction, one long
        ("AQ.432.5432.5432", 0, 2),
        ("KQ.432.5432.5432", 0, 1),  # a doubleton queen without the ace
        ("Q32.432.543.5432", 0, 1),
        ("Q.5432.5432.5432", -1, -1),
    ],
)
def test_ms_by_hand(neutral, pbn, shape, estimate):
    made = bid_of(ms, neutral, pbn, options="nils=off")
    assert (made.shape, made.estimate) == (shape, estimate)
    assert made.bid == max(1, estimate)


def test_rb_adds_its_suits(fitted):
    made = bid_of(rb, fitted, WORKED, options="nils=off")
    values = fitted.arrays.rb_suit
    assert made.spades == values[1, mask("AKJ62")]
    assert (made.hearts, made.diamonds, made.clubs) == (
        values[0, mask("AQ")],
        values[0, mask("Q")],
        values[0, mask("K9543")],
    )
    assert made.estimate == pytest.approx(made.spades + made.hearts + made.diamonds + made.clubs)
    assert made.bid == made.takes == naive.round_half_up(made.estimate)


@pytest.mark.parametrize("kernel", [rb, ms])
def test_nil_by_low_cards(neutral, kernel):
    assert bid_of(kernel, neutral, LOW, options=PAPER_NIL).bid == 0
    assert bid_of(kernel, neutral, LOW, options="nils=off").bid >= 1
    assert bid_of(kernel, neutral, LOW, 2, 0, 4, PAPER_NIL).bid >= 1  # partner's nil
    assert bid_of(kernel, neutral, LOW, 2, BLIND_NIL, 4, PAPER_NIL).bid >= 1
    assert bid_of(kernel, neutral, LOW, 2, 4, 0, PAPER_NIL).bid == 0  # an opponent's nil does not matter
    assert bid_of(kernel, neutral, LOW, 3, 4, 0, PAPER_NIL).bid >= 1


@pytest.mark.parametrize(
    ("ranks", "low"),
    [
        ("", True),
        ("5", True),
        ("6", False),
        ("58", True),
        ("59", False),
        ("58T", True),
        ("58J", False),
        ("58TA", True),  # only the three lowest cards count
        ("2345678", True),
        ("A", False),
        ("2A", False),
        ("23A", False),
    ],
)
def test_three_lowest(ranks, low):
    assert lowest_at_most(mask(ranks), 3, 6, 8) == low


def test_nil_needs_three_spades_at_most():
    policy = parse_policy(f"rb:{PAPER_NIL}")
    assert naive_nil(parse_pbn("432.432.5432.432"), NO_BID, policy)
    assert not naive_nil(parse_pbn("5432.432.432.432"), NO_BID, policy)


@pytest.mark.parametrize(
    ("pbn", "partner", "nil"),
    [
        ("432.5432.543.432", 4, True),
        ("432.5432.543.432", 3, False),
        ("432.5432.543.432", 13, True),
        ("432.5432.543.432", 0, False),
        ("432.5432.543.432", BLIND_NIL, False),  # a blind nil does not count as a bid of 14
        ("432.QJT9.QJT.QJT", 4, True),
        ("432.K432.543.432", 4, False),
        ("432.A432.543.432", 4, False),
        ("T32.5432.543.432", 4, False),
        ("932.5432.543.432", 4, True),
        ("5432.432.543.432", 4, False),  # four spades
    ],
)
def test_io_nil_by_hand(neutral, pbn, partner, nil):
    made = bid_of(io, neutral, pbn, 2, partner, 3)
    assert made.nil == nil
    assert (made.bid == 0) == nil


def test_io_nil_only_after_partner(neutral):
    assert not bid_of(io, neutral, "432.5432.543.432", 0).nil
    assert not bid_of(io, neutral, "432.5432.543.432", 1, 6).nil
    assert not bid_of(io, neutral, "432.5432.543.432", 2, 6, 3, "nils=off").nil


positions = st.sampled_from(((0, -1, -1), (1, 4, -1), (2, 4, 3), (2, 0, 3), (3, 0, 5), (3, 4, BLIND_NIL), (3, 2, 12)))


@settings(max_examples=300, deadline=None)
@given(hands | low_hands, positions, st.sampled_from(((3, 6, 8), (0, 3, 9), (7, 9, 10), (12, 12, 12))))
def test_against_oracles(fitted, pbn, position, limits):
    seat, b0, b1 = position
    partner = {2: b0, 3: b1}.get(seat)
    most = 13 if partner in (None, 0, BLIND_NIL) else max(1, 13 - partner)
    suits = naive.suits_of(pbn)
    nil = partner not in (0, BLIND_NIL) and naive.low_in_every_suit(suits, *limits)
    ranks = "-".join(naive.RANKS[limit] for limit in limits)

    made = bid_of(ms, fitted, pbn, seat, b0, b1, f"nil={ranks}")
    takes = max(1, min(most, naive.ms_tricks(suits)))
    assert (made.takes, made.nil, made.bid) == (takes, nil, 0 if nil else takes)

    made = bid_of(rb, fitted, pbn, seat, b0, b1, f"nil={ranks}")
    assert made.nil == nil
    assert made.bid == (0 if nil else made.takes)

    made = bid_of(io, fitted, pbn, seat, b0, b1)
    tricks = naive.io_tricks(suits)
    assert made.estimate == pytest.approx(float(tricks))
    takes = max(1, min(most, int(tricks)))
    assert made.takes == takes
    assert made.nil == naive.io_nil(suits, takes, partner)
