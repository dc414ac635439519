"""Regular takes: the worked hand, each rule by hand, and the split of the spades by brute force."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.bidder import decide
from spades.bis.estimates import MOST_RUFFS, certain_tricks, limit_takes, regular_takes
from spades.bis.partnership import MANY_SPADES, bis
from spades.cards import parse_pbn, suits_of
from spades.legal import BLIND_NIL, EVERY_BID
from spades.options import Policy
from spades.policies import parse_policy
from spades.position import Position, auction_after, read_auction
from spades.rules import Rules
from spades.scoring import START
from spades.tables import JOKERS_PROFILE
from tables.exact import ruff_values, side_value, spade_counts
from tests import naive
from tests.conftest import committed_tables

WORKED = "AKJ62.AQ.Q.K9543"
NOBODY = (0, -1, -1, -1)

hands = st.permutations(naive.DECK).map(lambda deck: naive.pbn_of(deck[:13]))


def mask(ranks):
    return sum(1 << naive.RANKS.index(rank) for rank in ranks)


def takes(neutral, pbn, seat=0, b0=-1, b1=-1, b2=-1, factor=0.0, offset=0.0):
    auction = read_auction(seat, b0, b1, b2)
    ruffers = 2 - auction.opponents_nils
    return regular_takes(suits_of(parse_pbn(pbn)), ruffers, auction.partner_bid, factor, offset, neutral.plain)


def test_worked_hand(neutral):
    """ECAI 2020, Fig. 1, with the numbers in docs/explanation/how-bis-bids.md."""
    made = takes(neutral, WORKED)
    assert round(made.clubs, 4) == 0.6767
    assert made.diamonds == 0.0
    assert round(made.hearts, 4) == 0.9908
    assert (made.spade_high, made.spade_long) == (2, 0)
    assert round(made.ruffs, 4) == 2.3034
    assert (made.factor, made.offset) == (0.0, 0.0)
    assert round(made.estimate, 3) == 5.971
    assert made.takes == 6


def test_worked_hand_oracle_agrees_with_the_paper():
    estimate, splits = naive.regular_estimate(WORKED, 2)
    assert round(float(estimate), 3) == 5.971
    # J62 by rank and length: 2; as ruffs .942 + .733 + .624
    assert splits[0] == 4
    assert round(float(splits[3]), 4) == 2 + 2.3034


def test_worked_hand_with_a_factor(neutral):
    assert takes(neutral, WORKED, factor=-0.5).takes == 5
    assert takes(neutral, WORKED, offset=0.6).takes == 7
    made = takes(neutral, WORKED, factor=0.25, offset=-0.5)
    assert made.estimate == pytest.approx(5.7209, abs=1e-4)
    assert (made.factor, made.offset) == (0.25, -0.5)


@pytest.mark.parametrize(
    ("pbn", "suit", "value"),
    [
        ("5432.A.65432.432", "hearts", 0.994),  # n, table 1
        ("5432.A2.6543.432", "hearts", 0.990),
        ("5432.K.65432.432", "hearts", 0.0),  # a bare king
        ("5432.K2.6543.432", "hearts", 0.907),
        ("5432.AK.6543.432", "hearts", 0.990 + 0.907),
        ("5432.Q2.6543.432", "hearts", 0.0),
        ("5432.Q32.654.432", "hearts", 0.489),
        ("5432.AKQ.654.432", "hearts", 0.983 + 0.855 + 0.489),
        ("2.432.AKQ65432.2", "diamonds", 0.774 + 0.214 + 0.0),
        ("5432.J32.654.432", "hearts", 0.0),
    ],
)
def test_side_high_cards(neutral, pbn, suit, value):
    assert getattr(takes(neutral, pbn), suit) == pytest.approx(value, abs=0.007 * 3)


@pytest.mark.parametrize(
    ("ranks", "high", "length"),
    [
        ("", 0, 0),
        ("A", 1, 0),
        ("K", 0, 0),
        ("K2", 1, 0),
        ("Q2", 0, 0),
        ("Q32", 1, 0),
        ("J32", 0, 0),
        ("J432", 1, 0),
        ("AKQJ", 4, 0),
        ("KQ", 1, 0),
        ("5432", 0, 0),
        ("65432", 0, 1),
        ("AKJ62", 3, 1),
        ("AKQJT98765432", 4, 9),
    ],
)
def test_spades_by_hand(ranks, high, length):
    assert spade_counts(mask(ranks)) == (high, length)


def test_spades_of_all_holdings(neutral):
    """Every holding and number of ruffs, compared with a reference implementation of the rule."""
    t = neutral.plain
    for holding in range(8192):
        ranks = [rank for rank in range(13) if holding >> rank & 1]
        high, length = spade_counts(holding)
        assert high + length == naive.spade_tricks(ranks)
        assert (t.spade_high[holding, 0], t.spade_takes[holding, 0]) == (high, high + length)
    for holding in range(0, 8192, 37):
        ranks = [rank for rank in range(13) if holding >> rank & 1]
        for k in range(MOST_RUFFS + 1):
            assert t.spade_takes[holding, k] == naive.spade_tricks(ranks[k:])


@pytest.mark.parametrize("m", range(4))
def test_sides_of_all_lengths(neutral, m):
    for ranks in ("", "A", "K", "Q", "AK", "KQ", "AQ", "AKQ", "K32", "Q432", "AKQ432", "KQJT98765", "AKQJT98765432"):
        expected = float(naive.side_tricks({naive.RANKS.index(rank) for rank in ranks}, m))
        assert side_value(mask(ranks), m, neutral.plain.p_length) == pytest.approx(expected, abs=1e-12)
        assert neutral.plain.side_high[m, mask(ranks)] == side_value(mask(ranks), m, neutral.plain.p_length)


def test_ruffs_by_hand(neutral):
    p = neutral.plain.p_length
    assert ruff_values((3, 4, 6), 2, p) == []
    assert ruff_values((2, 3, 3), 2, p) == [p[2, 2, 3]]
    assert ruff_values((1, 2, 9), 2, p) == [p[2, 1, 2], p[2, 1, 3], p[2, 2, 3]]
    assert ruff_values((0, 6, 6), 2, p) == [p[2, 0, 1], p[2, 0, 2], p[2, 0, 3]]
    assert [round(value, 3) for value in ruff_values((0, 1, 2), 2, p)] == sorted(
        [round(p[2, n, k], 3) for n, k in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))], reverse=True
    )
    assert len(ruff_values((0, 0, 0), 2, p)) == MOST_RUFFS


def test_a_ruff_needs_a_spade(neutral):
    assert takes(neutral, ".AKQJT.98765.432").ruffs == 0.0
    made = takes(neutral, "2..9876543.65432")  # a void, one spade: P_1(0)
    assert made.ruffs == neutral.plain.p_length[2, 0, 1]
    assert (made.spade_high, made.spade_long) == (0, 0)


def test_a_spade_counts_once(neutral):
    # A of spades beside a void: a trick by rank is worth more than any ruff, so the deuce ruffs and the ace stays.
    made = takes(neutral, "A2..9876543.6543")
    assert (made.spade_high, made.ruffs) == (1, neutral.plain.p_length[2, 0, 1])


def test_ruffs_that_are_worth_less_than_length(neutral):
    # Nine spades are nine tricks by themselves; each ruff would be worth a little less.
    made = takes(neutral, "AKQJT9876.32.54.")
    assert (made.spade_high, made.spade_long, made.ruffs) == (4, 5, 0.0)


@pytest.mark.parametrize(
    ("seat", "bids", "ruffers"),
    [
        (0, (-1, -1, -1), 2),
        (1, (0, -1, -1), 1),
        (1, (BLIND_NIL, -1, -1), 1),
        (1, (1, -1, -1), 2),
        (2, (0, 3, -1), 2),
        (2, (3, 0, -1), 1),
        (3, (0, 3, 3), 1),
        (3, (3, 0, 3), 2),
        (3, (3, 3, 0), 1),
        (3, (0, 3, BLIND_NIL), 0),
    ],
)
def test_who_might_cut(neutral, seat, bids, ruffers):
    made = takes(neutral, WORKED, seat, *bids)
    expected, _ = naive.regular_estimate(WORKED, ruffers)
    assert made.estimate == pytest.approx(float(expected), abs=1e-12)
    if ruffers == 0:
        assert (made.hearts, made.clubs, made.ruffs) == (1.0, 1.0, 3.0)


@settings(max_examples=150, deadline=None)
@given(hands, st.sampled_from(((0, (-1, -1, -1), 2), (1, (0, -1, -1), 1), (3, (0, 3, 0), 0))))
def test_against_brute_force(neutral, pbn, position):
    seat, bids, m = position
    made = takes(neutral, pbn, seat, *bids)
    expected, splits = naive.regular_estimate(pbn, m)
    suits = naive.suits_of(pbn)
    assert made.hearts == pytest.approx(float(naive.side_tricks(suits["H"], m)), abs=1e-12)
    assert made.estimate == pytest.approx(float(expected), abs=1e-12)
    assert made.spade_high + made.spade_long + made.ruffs == pytest.approx(float(max(splits.values())), abs=1e-12)
    if abs(expected * 2 % 2 - 1) > 1e-9:  # a half may fall either way in floats
        partner = bids[1] if seat == 3 else 0
        assert made.takes == max(1, min(13 - partner, naive.round_half_up(expected)))


@pytest.mark.parametrize("pbn", ["AKQJT98765432...", "A...KQJT98765432", "...AKQJT98765432", "2.AKQJT9876543.."])
@pytest.mark.parametrize("m", [2, 1, 0])
def test_extreme_shapes(neutral, pbn, m):
    seat, bids = {2: (0, (-1, -1, -1)), 1: (1, (0, -1, -1)), 0: (3, (0, 1, 0))}[m]
    made = takes(neutral, pbn, seat, *bids)
    assert made.estimate == pytest.approx(float(naive.regular_estimate(pbn, m)[0]), abs=1e-12)


@pytest.mark.parametrize(
    ("estimate", "partner", "bid"),
    [
        (-3.0, -1, 1),
        (0.0, -1, 1),
        (1.49, -1, 1),
        (1.5, -1, 2),  # halves up
        (2.5, -1, 3),
        (4.4999, -1, 4),
        (13.7, -1, 13),
        (9.0, 4, 9),
        (9.0, 5, 8),
        (6.0, 13, 1),  # the minimum wins
        (6.0, 12, 1),
        (6.0, 0, 6),  # partner's nil adds nothing
        (13.0, BLIND_NIL, 13),
    ],
)
def test_limits(estimate, partner, bid):
    assert limit_takes(estimate, partner) == bid


@given(st.floats(-5, 20), st.integers(-1, 14))
def test_limits_hold(estimate, partner):
    bid = limit_takes(estimate, partner)
    most = 13 if partner in (-1, 0, 14) else max(1, 13 - partner)
    assert 1 <= bid <= most
    assert bid == max(1, min(most, naive.round_half_up(Fraction(estimate))))


def test_factor_is_read_by_seat_and_sum(fitted):
    factor = fitted.arrays.factor
    for bids, total in (((), 0), ((4,), 4), ((4, 0), 4), ((4, BLIND_NIL, 5), 9), ((13, 13, 13), 39)):
        made = bis(parse_pbn(WORKED), auction_after(bids), START, EVERY_BID, Rules(), Policy(), fitted.plain)
        assert made.regular.factor == factor[len(bids), total]


# ---- certain tricks -----------------------------------------------------------------------------------------------


def test_certain_tricks_of_all_holdings(fitted):
    """The rule in cards, and the number that `bis` compares with to skip the count."""
    for spades in range(1 << 13):
        found = certain_tricks(spades, 0)
        assert found == naive.certain_tricks({rank for rank in range(13) if spades >> rank & 1})
        assert found <= fitted.plain.spade_takes[spades, 0] or spades.bit_count() > MANY_SPADES


def test_certain_tricks_with_jokers():
    spade_takes = committed_tables().kernel[JOKERS_PROFILE].spade_takes
    for spades in range(1 << 15):
        count = spades.bit_count()
        if count <= 13:
            assert certain_tricks(spades, 2) <= spade_takes[spades, 0] or count > MANY_SPADES
    assert certain_tricks(0b111 << 12, 2) == 3  # both jokers and the ace
    assert certain_tricks(0b1 << 12, 2) == 0  # the ace alone


@pytest.mark.parametrize(
    ("pbn", "previous", "policy", "bid"),
    [
        ("AKQJT98765432...", (), "bis:offset=-1", 13),
        ("AKQJT98765432...", (), "bis:offset=-1,certain=off", 12),
        ("AKQJT98765432...", (3, 3), "bis:offset=-5", 10),  # partner's 3 leaves no more
        ("AKQJT98765.2.3.4", (4, 0, 6), "bis", 10),
        ("AKQJT98765.2.3.4", (4, 0, 6), "bis:certain=off", 9),
        ("AKQT987654.2.3.4", (4, 0, 6), "bis", 10),
        ("AKQT987654.2.3.4", (4, 0, 6), "bis:certain=off", 8),
        ("AK.5432.5432.432", (6, 3, 4), "bis:offset=-5", 2),
        ("A2.5432.5432.432", (6, 3, 4), "bis:offset=-5", 1),
    ],
)
def test_a_number_is_at_least_the_certain_tricks(pbn, previous, policy, bid):
    position = Position(parse_pbn(pbn), previous, rules=Rules())
    made = decide(position, parse_policy(policy), committed_tables())
    assert made.bid == bid
    assert made.explanation is not None
    changed = [step["rule"] for step in made.explanation["adjustments"]]
    assert ("certain-tricks" in changed) == (bid in (13, 10, 2))
