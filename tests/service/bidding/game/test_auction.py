"""Positions in the auction: the numbering of all sequences, partners and opponents, sums."""

from itertools import product

import pytest

from service.bidding.game.auction import (
    NO_BID,
    SEQUENCES,
    opponents_nils,
    partner_bid,
    read_auction,
    sequence_index,
    sum_of_bids,
)
from service.bidding.game.scoring import BLIND_NIL


def padded(bids):
    return (*bids, *(NO_BID,) * (3 - len(bids)))


def test_sequences_are_numbered_one_by_one():
    """All 2,955 in the order of their lengths, then of their bids."""
    sequences = [bids for n in range(4) for bids in product(range(14), repeat=n)]
    assert len(sequences) == SEQUENCES == 2955
    assert [sequence_index(len(bids), *padded(bids)) for bids in sequences] == list(range(SEQUENCES))


def test_a_blind_nil_counts_as_nil():
    for n in range(1, 4):
        for bids in product((0, 1, 13, BLIND_NIL), repeat=n):
            same = tuple(0 if bid == BLIND_NIL else bid for bid in bids)
            assert sequence_index(n, *padded(bids)) == sequence_index(n, *padded(same))


def test_later_bids_than_the_seat_are_not_read():
    assert sequence_index(1, 4, 9, 9) == sequence_index(1, 4, NO_BID, NO_BID) == 5
    assert sequence_index(2, 4, 9, 9) == 15 + 14 * 4 + 9


@pytest.mark.parametrize(
    ("seat", "bids", "partner", "nils", "total"),
    [
        (0, (), NO_BID, 0, 0),
        (1, (3,), NO_BID, 0, 3),
        (1, (0,), NO_BID, 1, 0),
        (1, (BLIND_NIL,), NO_BID, 1, 0),
        (2, (3, 1), 3, 0, 4),
        (2, (0, 1), 0, 0, 1),  # partner's nil is no opponent's
        (2, (4, 0), 4, 1, 4),
        (2, (4, BLIND_NIL), 4, 1, 4),
        (3, (2, 5, 6), 5, 0, 13),
        (3, (0, 5, 6), 5, 1, 11),
        (3, (2, 0, 6), 0, 0, 8),
        (3, (2, 5, 0), 5, 1, 7),
        (3, (0, 5, BLIND_NIL), 5, 2, 5),
        (3, (BLIND_NIL, BLIND_NIL, 0), BLIND_NIL, 2, 0),
        (3, (13, 13, 13), 13, 0, 39),
    ],
)
def test_relations_by_hand(seat, bids, partner, nils, total):
    assert partner_bid(seat, *padded(bids)[:2]) == partner
    assert opponents_nils(seat, *padded(bids)) == nils
    assert sum_of_bids(seat, *padded(bids)) == total
    assert read_auction(seat, *padded(bids)) == (partner, nils, total, sequence_index(seat, *padded(bids)))
