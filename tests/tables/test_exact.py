"""The exact tables against the published cells, exact values, and a calculation that deals every card."""

from fractions import Fraction
from math import perm

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.cards import HOLDINGS, RANKS
from spades.tableset import DEFAULT_DIRECTORY
from tables import exact
from tables.run.build import npy_bytes
from tests import naive

# ECAI 2020, Tables 1, 5 and 6: n -> P_1, P_2, P_3 for m = 2, 1, 3
PUBLISHED = {
    0: ((0.997, 0.966, 0.817), (0.998, 0.983, 0.910), (0.996, 0.949, 0.729)),
    1: ((0.994, 0.942, 0.733), (0.997, 0.971, 0.866), (0.992, 0.915, 0.605)),
    2: ((0.990, 0.907, 0.624), (0.994, 0.954, 0.809), (0.986, 0.862, 0.450)),
    3: ((0.983, 0.855, 0.489), (0.992, 0.927, 0.733), (0.974, 0.784, 0.275)),
    4: ((0.970, 0.779, 0.350), (0.985, 0.891, 0.648), (0.955, 0.672, 0.110)),
    5: ((0.948, 0.678, 0.212), (0.974, 0.835, 0.546), (0.924, 0.523, 0)),
    6: ((0.915, 0.544, 0.095), (0.957, 0.761, 0.426), (0.872, 0.338, 0)),
    7: ((0.857, 0.381, 0.025), (0.928, 0.667, 0.308), (0.790, 0.145, 0)),
    8: ((0.774, 0.214, 0), (0.886, 0.546, 0.195), (0.664, 0, 0)),
    9: ((0.646, 0.074, 0), (0.819, 0.410, 0.100), (0.480, 0, 0)),
    10: ((0.462, 0, 0), (0.715, 0.252, 0.030), (0.240, 0, 0)),
    11: ((0.227, 0, 0), (0.561, 0.106, 0), (0, 0, 0)),
    12: ((0, 0, 0), (0.336, 0, 0), (0, 0, 0)),
}

AND, OR, ANY = range(3)
SIDE, SPADES = exact.SIDE, exact.SPADES


def mask(text: str) -> int:
    return sum(1 << RANKS.index(rank) for rank in text)


@pytest.fixture(scope="module")
def p_length():
    return exact.length_table()


@pytest.fixture(scope="module")
def cnil():
    return exact.cnil_table()


def test_length_published_cells(p_length):
    differences = [
        abs(p_length[m, n, k] - published)
        for n, columns in PUBLISHED.items()
        for m, cells in zip((2, 1, 3), columns, strict=True)
        for k, published in enumerate(cells, start=1)
    ]
    assert len(differences) == 13 * 9
    assert max(differences) < 0.007


@pytest.mark.parametrize(
    ("m", "n", "k", "value"),
    [
        (2, 11, 1, 0.2281),
        (2, 10, 1, 0.4623),
        (2, 5, 2, 0.6767),
        (2, 3, 3, 0.4947),
        (1, 12, 1, 1 / 3),
        (3, 4, 3, 0.1104),
    ],
)
def test_length_exact_values(p_length, m, n, k, value):
    assert round(p_length[m, n, k], 4) == round(value, 4)


def test_length_by_hand(p_length):
    # two unseen cards, both opponents hold one: 2 orders x 13 x 13 of 39 x 38 pairs of places
    assert p_length[2, 11, 1] == 338 / 1482
    # three unseen cards, one in each hand: 3! x 13^3 of 39 x 38 x 37
    assert p_length[3, 10, 1] == 6 * 13**3 / (39 * 38 * 37)


def test_length_shape_and_edges(p_length):
    assert p_length.shape == (4, 14, 4)
    assert p_length.dtype == np.float64
    assert (p_length[0] == 1).all()
    assert (p_length[:, :, 0] == 1).all()
    assert (p_length[1:, 13, 1:] == 0).all()
    assert (np.diff(p_length, axis=0) <= 0).all()  # more players: less likely
    assert (np.diff(p_length, axis=1) <= 0).all()  # more cards held
    assert (np.diff(p_length, axis=2) <= 0).all()  # more cards required


@pytest.mark.parametrize("n", [5, 7, 10, 12, 13])
def test_length_against_oracle(p_length, n):
    for m in range(4):
        for k in range(4):
            assert p_length[m, n, k] == float(naive.length_probability(m, 13 - n, k))


@pytest.mark.parametrize(
    ("held", "values"),
    [
        ("Q", (0.5714, 0.5714, 0.5714)),
        ("AQ", (0.0084, 0, 0.0084)),
        ("K9543", (1, 0.9945, 1)),
        ("58T", (0.9206, 0.6631, 0.9820)),
        ("", (1, 1, 1)),
        ("2", (1, 1, 1)),
    ],
)
def test_cnil_check_values(cnil, held, values):
    assert tuple(np.round(cnil[:, SIDE, mask(held)], 4)) == values


def test_cnil_bare_ace_by_hand(cnil):
    # 12 unseen cards, all below ours. Each opponent has none, or one below ours, in every layout. So the nil is set if
    # partner has a card (it cannot be higher), and made if partner is void: 26 x 25 .. x 15 of 39 x 38 .. x 28 places.
    void = Fraction(1)
    for i in range(12):
        void *= Fraction(26 - i, 39 - i)
    assert cnil[AND, SIDE, mask("A")] == float(void)


def test_cnil_of_the_papers_example_by_hand(cnil):
    """The cases that docs/explanation/how-bis-bids.md counts for Q and AQ; the paper prints .578 and < .001."""
    two_high = 1 - Fraction(26 * 25, 39 * 38)  # partner holds the ace or the king
    void_of_12 = Fraction(perm(26, 12), perm(39, 12))
    assert [round(float(one), 4) for one in (two_high, void_of_12)] == [0.5614, 0.0025]
    assert round(cnil[AND, SIDE, mask("Q")] - float(two_high + void_of_12), 4) == 0.0075
    void_of_11 = Fraction(perm(26, 11), perm(39, 11))
    only_king = Fraction(13 * perm(26, 10), perm(39, 11))
    # partner holds one card below the queen, one opponent only the king, and the other the nine other cards
    opponent_over = Fraction(2 * 10 * 13 * 13 * perm(13, 9), perm(39, 11))
    assert [round(float(one), 4) for one in (void_of_11, only_king, opponent_over)] == [0.0046, 0.0037, 0.0]
    assert cnil[AND, SIDE, mask("AQ")] == pytest.approx(float(void_of_11 + only_king + opponent_over), abs=1e-12)


@pytest.mark.parametrize("held", ["A8765432", "K97543", "QT8642", "JT987", "AKQJT98", "T6532", "A76543", "98765432"])
def test_cnil_against_oracle_long(cnil, held):
    check_against_oracle(cnil, held)


@pytest.mark.slow
@pytest.mark.parametrize("held", [pytest.param("T85", marks=pytest.mark.long), "KQJ", "K9543", "QJ32"])
def test_cnil_against_oracle_short(cnil, held):
    check_against_oracle(cnil, held)


@settings(max_examples=25, deadline=None)
@given(st.sets(st.sampled_from(range(13)), min_size=7, max_size=13))
def test_cnil_against_oracle_any(ranks):
    held = sum(1 << rank for rank in ranks)
    values = exact.cnil_of_zones(exact.zones_of(held))
    for (reading, spades), expected in naive.cnil(ranks).items():
        assert values[exact.READINGS.index(reading), SPADES if spades else SIDE] == float(expected)


@settings(max_examples=25, deadline=None)
@given(st.sets(st.sampled_from(range(8)), max_size=8))
def test_cnil_against_oracle_small_suit(ranks):
    """Every length, in a suit of 8 ranks and hands of 4 hidden places, where short holdings take little time too."""
    held = sum(1 << rank for rank in ranks)
    values = exact.cnil_of_zones(exact.zones_of(held, 8), places=4)
    for (reading, spades), expected in naive.cnil(ranks, n_ranks=8, places=4).items():
        assert values[exact.READINGS.index(reading), SPADES if spades else SIDE] == float(expected)


def check_against_oracle(cnil, held):
    expected = naive.cnil({RANKS.index(rank) for rank in held})
    for (reading, spades), value in expected.items():
        if spades:  # the table's cell may be 0 by rule
            found = exact.cnil_of_zones(exact.zones_of(mask(held)))[exact.READINGS.index(reading), SPADES]
        else:
            found = cnil[exact.READINGS.index(reading), SIDE, mask(held)]
        assert found == float(value), (held, reading, spades)


@pytest.mark.parametrize(
    ("held", "lost"),
    [
        ("A", True),
        ("A2", True),
        ("KQ", True),
        ("K2", False),
        ("QJ9", False),  # two cards above the 9
        ("QJT", True),
        ("JT9", False),
        ("5432", True),
        ("432", False),
        ("", False),
    ],
)
def test_spades_lost_by_rule(cnil, held, lost):
    assert (cnil[:, SPADES, mask(held)] == 0).all() == lost
    assert exact.spade_is_lost(mask(held)) == lost


def test_cnil_is_a_probability(cnil):
    assert cnil.shape == (3, 2, HOLDINGS)
    assert cnil.dtype == np.float64
    assert ((cnil >= 0) & (cnil <= 1)).all()
    assert (cnil[OR] <= cnil[AND]).all()  # `or` is set wherever `and` is
    assert (cnil[AND] <= cnil[ANY]).all()  # and `and` wherever `any` is
    rule = [exact.spade_is_lost(held) for held in range(HOLDINGS)]
    assert (cnil[AND, SPADES] == 0)[rule].all()


def test_cnil_a_lower_card_never_hurts(cnil):
    holdings = np.arange(HOLDINGS)
    for rank in range(1, 13):
        movable = holdings[(holdings >> rank & 1 == 1) & (holdings >> (rank - 1) & 1 == 0)]
        lowered = movable ^ (0b11 << (rank - 1))
        assert (cnil[:, :, lowered] >= cnil[:, :, movable]).all()


def test_zones_are_generic_in_the_ranks():
    assert exact.zones_of(0) == (13,)
    assert exact.zones_of(0b1, 15) == (0, 14)
    assert exact.zones_of(0b100_0000_0000_0000, 15) == (14, 0)
    # 14 unseen cards above a lone deuce, in a suit of 15: the deuce never takes a trick
    assert (exact.cnil_of_zones((0, 14)) == 1).all()
    assert exact.length_table(15, 13).shape == (4, 16, 4)


def test_bytes_are_those_committed(p_length, cnil):
    assert npy_bytes(p_length) == (DEFAULT_DIRECTORY / "p_length.npy").read_bytes()
    assert npy_bytes(cnil) == (DEFAULT_DIRECTORY / "cnil.npy").read_bytes()
    assert npy_bytes(exact.cnil_table()) == npy_bytes(cnil)
