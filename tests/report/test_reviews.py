"""Reviews of played rounds: the values on other deals, and the rows of the tables."""

import numpy as np
import pytest

from report.reviews import DEALS, MORE, Judged, _level, _share, without
from spades.round_review import ReviewedChoice, ValuedCard


def valued(card, worths, of_played):
    gains = worths - of_played
    return ValuedCard(card, worths.mean(), gains.mean(), gains.std() / len(gains) ** 0.5)


def test_the_values_on_the_other_deals():
    """Deals made at random: all, the first ones, and what is left."""
    random_numbers = np.random.default_rng(1)
    played, other = random_numbers.uniform(0.4, 0.6, (2, DEALS * (1 + MORE)))
    first = [valued(1, played[:DEALS], played[:DEALS]), valued(2, other[:DEALS], played[:DEALS])]
    both = [valued(1, played, played), valued(2, other, played)]
    wanted = [valued(1, played[DEALS:], played[DEALS:]), valued(2, other[DEALS:], played[DEALS:])]
    for found, expected in zip(without(first, both), wanted, strict=True):
        assert found == pytest.approx(expected)
    assert without([], []) == []


def test_a_row_of_a_level():
    card = ReviewedChoice(0, "card", "", "", None, None, 0.0, None, "best", [])
    choices = card._replace(kind="bid", loss=0.04, grade="mistake"), card, card._replace(loss=0.08, grade="blunder")
    judged = [Judged(2, choice) for choice in choices]
    level, decisions, of_bids, of_cards, both, error, blunders = _level(judged, 2)
    assert (level, decisions, of_bids, of_cards, both, blunders) == (2, 3, 4.0, 4.0, 4.0, 33.3)
    assert error == pytest.approx(1.96 * np.std([4, 0, 8]) / 3**0.5, abs=0.01)
    assert _share(judged, "mistake") == 33.3
