"""The success curve of a position: the probability that a nil is made, by its nil value, after these previous bids."""

from spades.bidder import turn_of
from spades.bis.nil import GRID
from spades.options import RAW, SINGLE, Policy
from spades.position import Position
from spades.tableset import TableSet


def success_curve(position: Position, policy: Policy, tables: TableSet) -> list[float]:
    """Return the GRID + 1 probabilities that a nil of value 0, 1 / GRID, ... 1 is made, by the policy's curve."""
    if policy.curves == RAW:
        return [point / GRID for point in range(GRID + 1)]
    turn = turn_of(position, policy, tables, None, False)
    curves, row = turn.tables.curves, turn.auction.sequence
    if policy.curves == SINGLE:
        curves, row = turn.tables.single_curve, 0
    return [curves[row, point] for point in range(GRID + 1)]
