"""Priors: counts of bid deals, compiled and in plain Python, and what becomes of rare sequences of bids."""

import numpy as np
import pytest

from arena import counters
from arena.counters import AUCTIONS, CLASSES
from arena.engine.simulate import kernel_tables
from spades.inference import BID_CLASSES, FIRST_PRIOR_ROWS, PRIOR_COLUMNS, prior_column_of, prior_row_of
from spades.inference import BIDDERS as READ
from spades.rules import Rules
from spades.tableset import open_tables
from tables.counts import bid_deals
from tables.fits import ENOUGH, LEAST, READ_POLICIES, SCALE, priors_of

A_DEAL = np.repeat([3, 1], 13)  # cards in each column


def deals(n=40):
    scores = np.array([[120, 3, 480, 0]])
    (rounds,) = bid_deals(5, 0, n, Rules(), "bis", kernel_tables(open_tables().arrays), scores)
    return rounds


def test_counts_in_plain_python_and_compiled():
    plain, compiled = (np.zeros((AUCTIONS, 4, PRIOR_COLUMNS), np.int64) for _ in range(2))
    counters._count_cards(deals().view(np.recarray), CLASSES, plain)
    counters.count_cards(compiled, deals())
    assert np.array_equal(plain, compiled)
    assert np.array_equal(plain.sum(axis=(0, 1)), 40 * A_DEAL)
    assert (plain.sum(axis=2) % 13 == 0).all()


def test_the_service_offers_the_policies_that_are_counted():
    assert tuple(READ_POLICIES) == READ


def counts_of(*rows):
    """Counts of ``deals`` with the four ``bids`` in which bidder ``seat`` holds all that is counted."""
    counts = np.zeros((AUCTIONS, 4, PRIOR_COLUMNS), np.int64)
    for bids, seat, deals in rows:
        counts[prior_row_of(bids) - FIRST_PRIOR_ROWS[4], seat] += deals * A_DEAL
    return counts


def chance(found, bids, seat):
    return found[prior_row_of(bids), seat, prior_column_of(12)] / SCALE


def test_a_common_sequence_counts_for_itself():
    found = priors_of(counts_of(((3, 3, 3, 3), 1, ENOUGH), ((3, 3, 3, 4), 2, 9 * ENOUGH)))
    assert chance(found, (3, 3, 3, 3), 1) == 1.0
    assert chance(found, (3, 3, 3), 2) == pytest.approx(0.9, abs=1 / SCALE)
    assert found.min() == 1, "a card that was never seen with a bidder is still possible"


def test_neighbours_fill_up_a_rare_sequence():
    found = priors_of(counts_of(((3, 3, 3, 3), 1, ENOUGH // 4), ((3, 3, 3, 4), 2, 9 * ENOUGH)))
    assert chance(found, (3, 3, 3, 3), 1) == pytest.approx(0.25, abs=1 / SCALE)
    assert chance(found, (3, 3, 3, 3), 2) == pytest.approx(0.75, abs=1 / SCALE)


def test_a_nil_is_nobodys_neighbour():
    found = priors_of(counts_of(((3, 3, 3, 0), 3, ENOUGH), ((3, 3, 3, 1), 2, LEAST)))
    assert chance(found, (3, 3, 3, 1), 2) == 1.0
    assert chance(found, (3, 3, 3, 0), 3) == 1.0


def test_a_sequence_that_was_never_seen_has_the_priors_of_the_bids_before():
    found = priors_of(counts_of(((3, 5, 3, 3), 1, ENOUGH)))
    assert np.array_equal(found[prior_row_of((3, 5, 3, 0))], found[prior_row_of((3, 5, 3))])
    assert np.array_equal(found[prior_row_of((3, 5, 0, 6))], found[prior_row_of((3, 5))])
    assert np.allclose(found[prior_row_of((0, 0, 0, 0))] / SCALE, 0.25, atol=1 / SCALE)


def test_rows_and_columns():
    sequences = [(a, b) for a in range(BID_CLASSES) for b in range(BID_CLASSES)]
    assert [prior_row_of(bids) for bids in sequences] == list(range(FIRST_PRIOR_ROWS[2], FIRST_PRIOR_ROWS[3]))
    assert prior_row_of((14, 13, 7, 2)) == prior_row_of((0, 7, 9, 2))
    assert {prior_column_of(16 * suit + 4) for suit in range(3)} == {4}
