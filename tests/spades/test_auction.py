"""Positions in the auction: the numbers of bid sequences, partners, opponents and sums."""

from itertools import product

import pytest

from spades.legal import BLIND_NIL, BLIND_NUMBER, NO_BID
from spades.position import auction_after, contract_factors, read_auction, sequence_after, without_partner
from spades.tables import SEQUENCES


def test_sequences_are_numbered_one_by_one():
    """All 2,955 sequences are numbered by length, then by bids."""
    sequences = [bids for n in range(4) for bids in product(range(14), repeat=n)]
    assert len(sequences) == SEQUENCES == 2955
    assert [auction_after(bids).sequence for bids in sequences] == list(range(SEQUENCES))


def test_a_blind_nil_counts_as_nil():
    for n in range(1, 4):
        for bids in product((0, 1, 13, BLIND_NIL), repeat=n):
            same = tuple(0 if bid == BLIND_NIL else bid for bid in bids)
            assert auction_after(bids).sequence == auction_after(same).sequence


def test_a_blind_number_is_read_as_its_number():
    auction = read_auction(3, 4, BLIND_NUMBER + 7, 6)
    assert auction == read_auction(3, 4, 7, 6)._replace(blind=0b010)
    assert contract_factors(auction) == (2, 1)  # the bidder is the partner of seat 1
    assert contract_factors(read_auction(2, 4, BLIND_NUMBER + 7, NO_BID)) == (1, 2)
    assert contract_factors(read_auction(3, BLIND_NUMBER + 6, BLIND_NUMBER + 6, 2)) == (2, 2)
    assert (
        sequence_after(0, BLIND_NUMBER + 6)
        == auction_after((BLIND_NUMBER + 6,)).sequence
        == auction_after((6,)).sequence
    )


def test_later_bids_than_the_seat_are_not_read():
    assert read_auction(1, 4, 9, 9)[4:] == read_auction(1, 4, NO_BID, NO_BID)[4:] == (NO_BID, 0, 4, 5, 0)
    assert read_auction(1, 4, BLIND_NUMBER + 6, NO_BID).blind == 0
    assert read_auction(2, 4, 9, 9).sequence == 15 + 14 * 4 + 9


def test_a_further_bid_leads_to_its_sequence():
    for n in range(3):
        for bids in product((0, 1, 13, BLIND_NIL), repeat=n):
            for bid in (0, 1, 13, BLIND_NIL):
                assert sequence_after(auction_after(bids).sequence, bid) == auction_after((*bids, bid)).sequence


@pytest.mark.parametrize(
    ("seat", "bids", "partner", "nils", "total"),
    [
        (0, (), NO_BID, 0, 0),
        (1, (3,), NO_BID, 0, 3),
        (1, (0,), NO_BID, 1, 0),
        (1, (BLIND_NIL,), NO_BID, 1, 0),
        (2, (3, 1), 3, 0, 4),
        (2, (0, 1), 0, 0, 1),  # a partner's nil is not an opponent's nil
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
    auction = auction_after(bids)
    assert auction.seat == seat
    assert (auction.partner_bid, auction.opponents_nils, auction.sum_of_bids) == (partner, nils, total)
    alone = without_partner(auction)
    assert (alone.partner_bid, alone.opponents_nils) == (NO_BID, sum(bid in (0, BLIND_NIL) for bid in bids))
    assert (alone.sum_of_bids, alone.sequence) == (total, auction.sequence)
