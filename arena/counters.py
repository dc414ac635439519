"""Count rounds (`arena.engine.rounds.ROUND`): of matches, self-play and studios' logs alike.

A counter adds to arrays of counts, which it gets as arguments.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import entry
from arena.engine.simulate import KernelTables, numba_typed
from spades.bis import GRID, NOT_RULED_OUT, NilTerms, consider_nil, partner_signalled
from spades.cards import ACE, FIRST_SPADE, suits_of
from spades.inference import BID_CLASSES, SUIT_RANKS, bid_class
from spades.legal import HIGHEST_BID, contract_of, extra_spades_of, is_nil
from spades.options import RAW, Policy
from spades.position import allowed_at_turn, read_auction, without_partner
from spades.rules import CUTTHROAT, Rules
from spades.scoring import START
from spades.tables import convention_of, profile_of

Rounds: TypeAlias = NDArray[np.void]  # (n,) of `arena.engine.rounds.ROUND`
BID_SUMS = 40  # sums of the previous bids: 0..39 tricks
AUCTIONS = BID_CLASSES**4  # sequences of four bids, by class of bid
CLASSES = np.array([bid_class(bid) for bid in range(HIGHEST_BID + 1)])

# The sums of a match. Fields of two are for sides a and b. All cells are floats, so that chunks are added as arrays.
# Bags are overtricks and the tricks of failed nils, as under the default rules. In cutthroat a contract is one seat's.
MATCH_SUMS = np.dtype(
    [
        ("games", np.float64),
        ("rounds", np.float64),
        ("wins_a", np.float64),
        ("draws", np.float64),
        ("points", np.float64, 2),
        ("nils", np.float64, 2),
        ("nils_made", np.float64, 2),
        ("bids", np.float64, 2),
        ("sets", np.float64, 2),
        ("bags", np.float64, 2),
        ("contracts", np.float64, 2),
        ("sum_of_bids", np.float64),
        ("choices", np.float64),  # number of legal cards, summed over all plays
        ("plays", np.float64),
        # Over duplicate pairs: sums of d*d, d*r and r*r, where d is the points of a minus those of b in both games, and
        # r is the rounds of both games.
        ("pair_dd", np.float64),
        ("pair_dr", np.float64),
        ("pair_rr", np.float64),
        # By contract: rounds, made contracts, overtricks of made contracts, missing tricks of set contracts.
        ("by_contract", np.float64, (2, 27, 4)),
        # By bid, also blind ones (`spades.legal`): bids, the bidder's tricks, contracts made (of nils, the nils made).
        ("by_bid", np.float64, (2, HIGHEST_BID + 1, 3)),
        # By which players bid nil, one bit each (a0, b0, a1, b1): rounds, points of a, of b, nils made by a, by b.
        ("nil_patterns", np.float64, (16, 5)),
        # By sum of the four bids: rounds; then of the rounds without nils: rounds, points of a, of b.
        ("bid_sums", np.float64, (53, 4)),
    ]
)


def _count_match(rounds: Any, active: Any, rules: Rules, places: Any, points: Any, sums: Any) -> None:
    # places (4,): by chair, the index in a lineup (a0, b0, a1, b1). points (n,): the points of a minus those of b are
    # added. sums (1,) of MATCH_SUMS.
    s = sums[0]
    for i in range(len(rounds)):
        if not active[i]:
            continue
        row = rounds[i]
        alone = rules.variant == CUTTHROAT
        points_a = 0
        points_b = 0
        total = 0
        pattern = 0
        nils_made_a = 0
        nils_made_b = 0
        for seat in range(4):
            who = places[(row.first_chair + seat) & 3]
            side = who & 1
            bid = row.bids[seat]
            tricks = row.tricks[seat]
            if alone or seat < 2:
                points_a += row.points[seat] if side == 0 else 0
                points_b += row.points[seat] if side == 1 else 0
            own = contract_of(bid)
            total += own
            nil = is_nil(bid)
            # The contract of the seat, or of its side: tricks bid, and taken by seats without a nil.
            contract = own
            taken = 0 if nil else tricks
            if not alone:
                partner = (seat + 2) & 3
                contract += contract_of(row.bids[partner])
                taken += 0 if is_nil(row.bids[partner]) else row.tricks[partner]
            kept = 1 if taken >= contract else 0
            s.bids[side] += 1
            s.by_bid[side, bid, 0] += 1
            s.by_bid[side, bid, 1] += tricks
            if nil:
                made = 1 if tricks == 0 else 0
                pattern |= 1 << who
                s.nils[side] += 1
                s.nils_made[side] += made
                s.bags[side] += tricks
                s.by_bid[side, bid, 2] += made
                nils_made_a += made if side == 0 else 0
                nils_made_b += made if side == 1 else 0
            else:
                s.by_bid[side, bid, 2] += kept
            if (alone and nil) or (not alone and seat >= 2):
                continue  # no contract, or that of the side, which was counted with its other seat
            s.by_contract[side, contract, 0] += 1
            s.by_contract[side, contract, 1] += kept
            if contract > 0:
                s.contracts[side] += 1
                s.sets[side] += 1 - kept
            if kept == 1:
                s.bags[side] += taken - contract
                s.by_contract[side, contract, 2] += taken - contract
            else:
                s.by_contract[side, contract, 3] += contract - taken
        points[i] += points_a - points_b
        s.rounds += 1
        s.points[0] += points_a
        s.points[1] += points_b
        s.sum_of_bids += total
        s.nil_patterns[pattern, 0] += 1
        s.nil_patterns[pattern, 1] += points_a
        s.nil_patterns[pattern, 2] += points_b
        s.nil_patterns[pattern, 3] += nils_made_a
        s.nil_patterns[pattern, 4] += nils_made_b
        s.bid_sums[total, 0] += 1
        if pattern == 0:
            s.bid_sums[total, 1] += 1
            s.bid_sums[total, 2] += points_a
            s.bid_sums[total, 3] += points_b
        s.choices += row.choices
        s.plays += 52


count_match = entry(_count_match)


# ---- single rounds ---------------------------------------------------------------------------------------------------

CONTRACTS = np.array([contract_of(bid) for bid in range(HIGHEST_BID + 1)])  # by bid
NILS = np.array([is_nil(bid) for bid in range(HIGHEST_BID + 1)])  # by bid, whether it is a nil


def add_at(counts: NDArray[Any], at: tuple[Any, ...], numbers: Any) -> None:
    """Add ``numbers`` to the cells ``at`` of ``counts``; a cell may come several times."""
    np.add.at(counts, at, numbers)


class Auctions(NamedTuple):
    """The previous bids at each turn; arrays (n, 4) by seat."""

    sequences: NDArray[np.int64]  # 0..SEQUENCES - 1
    sums: NDArray[np.int64]  # tricks


def _auctions(rounds: Any, sequences: Any, sums: Any) -> None:
    for i in range(len(rounds)):
        bids = rounds[i].bids
        for seat in range(4):
            auction = read_auction(seat, bids[0], bids[1], bids[2])
            sequences[i, seat] = auction.sequence
            sums[i, seat] = auction.sum_of_bids


def _nil_values(rounds: Any, seats: Any, rules: Rules, policy: Policy, tables: Any, values: Any, open_to: Any) -> None:
    # tables: those of a profile. values (n,): the nil's value; open_to (n,): 1 if nothing rules out a nil.
    convention = convention_of(rules, policy, START)
    for i in range(len(rounds)):
        row, seat = rounds[i], seats[i]
        auction = read_auction(seat, row.bids[0], row.bids[1], row.bids[2])
        hand = row.hands[seat]
        allowed = allowed_at_turn(hand, auction, rules)
        honours = 1 if partner_signalled(auction.partner_bid, convention) else policy.spade_honours
        terms = NilTerms(0.0, RAW, honours, 1, extra_spades_of(rules.variant, rules))
        seen = without_partner(auction) if rules.variant == CUTTHROAT else auction
        nil = consider_nil(suits_of(hand), seen, terms, allowed, rules, tables)
        values[i] = nil.value
        open_to[i] = 1 if nil.ruled_out == NOT_RULED_OUT else 0


def _count_cards(rounds: Any, classes: Any, counts: Any) -> None:
    # classes: `bid_class` by bid. counts (AUCTIONS, 4, PRIOR_COLUMNS).
    for i in range(len(rounds)):
        row = rounds[i]
        sequence = 0
        for seat in range(4):
            sequence = BID_CLASSES * sequence + classes[row.bids[seat]]
        for seat in range(4):
            for suit in range(4):
                for rank in range(SUIT_RANKS):
                    column = rank + (SUIT_RANKS if 16 * suit >= FIRST_SPADE else 0)
                    counts[sequence, seat, column] += row.hands[seat] >> (16 * suit + rank) & 1


_auctions_of, _nil_values_of, _count_cards_of = entry(_auctions), entry(_nil_values), entry(_count_cards)


def auctions_of(rounds: Rounds) -> Auctions:
    """Return the previous bids at each turn."""
    found = Auctions(np.zeros((len(rounds), 4), np.int64), np.zeros((len(rounds), 4), np.int64))
    _auctions_of(rounds, *found)
    return found


def nil_values(
    rounds: Rounds, seats: NDArray[np.int64], rules: Rules, policy: Policy, tables: KernelTables
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the value of a nil by ``seats`` (n,), and whether nothing rules it out.

    ``tables``: from `tables_for` with ``policy``.
    """
    values, open_to = np.zeros(len(rounds)), np.zeros(len(rounds), np.int64)
    profile = tables.rows[tables.row_of[profile_of(rules, policy, START)]]
    _nil_values_of(rounds, seats, rules, numba_typed(policy), profile, values, open_to)
    return values, open_to == 1


def count_nils(
    counts: NDArray[Any], sequences: NDArray[Any], values: NDArray[np.float64], made: NDArray[np.bool_]
) -> None:
    """Add nils to ``counts`` (SEQUENCES, GRID + 1, 2): all, and those made, by previous bids and nil value.

    ``sequences``, ``values`` and ``made`` (n,): of each nil.
    """
    cells = (values * GRID).astype(np.int64)
    add_at(counts, (sequences, cells, 0), 1)
    add_at(counts, (sequences, cells, 1), made.astype(counts.dtype))


def count_blind_nils(counts: NDArray[Any], sequences: NDArray[Any], made: NDArray[np.bool_]) -> None:
    """Add blind nils to ``counts`` (SEQUENCES, 2): all, and those made, by the previous bids."""
    add_at(counts, (sequences, 0), 1)
    add_at(counts, (sequences, 1), made.astype(counts.dtype))


def count_contracts(counts: NDArray[Any], rounds: Rounds, chosen: NDArray[np.bool_] | None = None) -> None:
    """Add the sides' contracts to ``counts`` (2, 27, 2): all, and those made, by nil on the side and contract.

    ``chosen`` (n, 4): only those of sides with such a seat.
    """
    bids, tricks = rounds["bids"].astype(np.int64), rounds["tricks"].astype(np.int64)
    asked, nils, taken = CONTRACTS[bids], NILS[bids], np.where(NILS[bids], 0, tricks)
    for side in range(2):
        pair = [side, side + 2]
        own = slice(None) if chosen is None else chosen[:, pair].any(axis=1)
        contract, nil = asked[own][:, pair].sum(axis=1), nils[own][:, pair].any(axis=1).astype(np.int64)
        made = taken[own][:, pair].sum(axis=1) >= contract
        add_at(counts, (nil, contract, 0), 1)
        add_at(counts, (nil, contract, 1), made.astype(counts.dtype))


def count_single_contracts(counts: NDArray[Any], rounds: Rounds) -> None:
    """Add the contracts of single seats to ``counts`` (2, 27, 2), as in cutthroat; a nil is no contract."""
    asked = CONTRACTS[rounds["bids"].astype(np.int64)]
    some = asked > 0
    add_at(counts, (0, asked[some], 0), 1)
    add_at(counts, (0, asked[some], 1), (rounds["tricks"][some] >= asked[some]).astype(counts.dtype))


def count_later_bids(
    sums: NDArray[Any],
    rounds: Rounds,
    auctions: Auctions,
    squares: NDArray[Any] | None = None,
    chosen: NDArray[np.bool_] | None = None,
) -> None:
    """Add to ``sums`` (SEQUENCES, 4) the number of auctions, and the next three bids, by the previous bids.

    ``squares`` (SEQUENCES, 3): the squares of these bids are added. ``chosen`` (n, 4): only turns of these seats.
    """
    asked = CONTRACTS[rounds["bids"].astype(np.int64)]
    for seat in range(4):
        own = slice(None) if chosen is None else chosen[:, seat]
        rows = auctions.sequences[own, seat]
        add_at(sums, (rows, 0), 1)
        for later in range(seat, min(4, seat + 3)):
            add_at(sums, (rows, 1 + later - seat), asked[own, later])
            if squares is not None:
                add_at(squares, (rows, later - seat), asked[own, later] ** 2)


def count_aces(
    counts: NDArray[Any], rounds: Rounds, auctions: Auctions, chosen: NDArray[np.bool_] | None = None
) -> None:
    """Add hands to ``counts`` (4, BID_SUMS, 2): all, and those with the ace of spades, by seat and sum of the bids."""
    aces = rounds["hands"] >> (FIRST_SPADE + ACE) & 1
    for seat in range(4):
        own = slice(None) if chosen is None else chosen[:, seat]
        sums = auctions.sums[own, seat]
        add_at(counts, (seat, sums, 0), 1)
        add_at(counts, (seat, sums, 1), aces[own, seat].astype(counts.dtype))


def count_cards(counts: NDArray[np.int64], rounds: Rounds) -> None:
    """Add the cards of each bidder to ``counts`` (AUCTIONS, 4, PRIOR_COLUMNS), by the classes of the four bids."""
    _count_cards_of(rounds, CLASSES, counts)
