"""The distribution over deals: against all deals listed one by one, and random deals against the probabilities."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades.inference.deals import deals_of, draw, sampler_of


def listed(weights, counts):
    """The probability that each seat holds each card, from all deals; None if none fits."""
    total, found = 0.0, np.zeros(weights.shape)
    for deal in itertools.product(range(len(counts)), repeat=len(weights)):
        if all(deal.count(seat) == count for seat, count in enumerate(counts)):
            p = np.prod([weights[card, seat] for card, seat in enumerate(deal)])
            total += p
            found[range(len(deal)), deal] += p
    return found / total if total else None


@pytest.mark.parametrize("counts", [(2, 2, 2), (1, 3, 2), (0, 4, 2), (6, 0, 0), (1, 2, 1, 2), (3, 3)])
def test_probabilities_are_those_of_all_deals(counts):
    rng = np.random.default_rng(len(counts))
    for _ in range(5):
        weights = rng.random((sum(counts), len(counts))) * (rng.random((sum(counts), len(counts))) < 0.8)
        deals, expected = deals_of(weights, counts), listed(weights, counts)
        if expected is None:
            assert deals is None
            continue
        assert deals is not None
        assert np.allclose(deals.probabilities, expected, atol=1e-12)


def test_without_a_deal_that_fits():
    assert deals_of(np.array([[1.0, 0.0], [1.0, 0.0]]), (1, 1)) is None


def test_without_cards():
    deals = deals_of(np.zeros((0, 3)), (0, 0, 0))
    assert deals is not None
    assert draw(sampler_of(deals), 2, np.random.default_rng(1)).shape == (2, 0)


@given(st.integers(0, 2**32), st.lists(st.integers(0, 13), min_size=3, max_size=4))
def test_sums_are_exact(seed, counts):
    rng = np.random.default_rng(seed)
    weights = rng.random((sum(counts), len(counts))) ** 4
    deals = deals_of(weights, tuple(counts))
    assert deals is not None
    assert np.allclose(deals.probabilities.sum(axis=1), 1.0, atol=1e-9)
    assert np.allclose(deals.probabilities.sum(axis=0), counts, atol=1e-9)


@pytest.mark.parametrize("seats", [3, 4])
def test_random_deals_match_the_probabilities(seats):
    rng = np.random.default_rng(3)
    weights = rng.random((13 * seats, seats)) ** 2
    weights[:6, 1] = 0.0
    deals = deals_of(weights, (13,) * seats)
    assert deals is not None
    drawn = draw(sampler_of(deals), 20_000, rng)
    for seat in range(seats):
        assert ((drawn == seat).sum(axis=1) == 13).all()
        share = (drawn == seat).mean(axis=0)
        assert np.abs(share - deals.probabilities[:, seat]).max() < 0.016  # 4.5 standard errors
    assert not (drawn[:, :6] == 1).any()


def test_a_seed_gives_the_same_deals():
    deals = deals_of(np.random.default_rng(4).random((39, 3)), (13, 13, 13))
    assert deals is not None
    first, second = (draw(sampler_of(deals), 50, np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(first, second)
