"""The bids that policy `winprob` considers, as a kernel.

For each candidate, the net gives the probabilities of its outcomes (`outcomes`). The value of an outcome is the win
probability of the score that it leads to (`win_table`). The win probability of a candidate is the sum of these values,
each times its outcome's probability. The policy takes the candidate with the highest win probability, but a higher
number or a nil only if it is better by a margin (`best_bid`). The service computes the sums with numpy (`decision`),
the simulator with loops (`tables.engine.winprob`).
"""

from typing import Any

from service.bidding.bis.nil import NOT_RULED_OUT
from service.bidding.game.legal import NIL_BIT, bids_between, nearest_allowed
from service.bidding.game.scoring import contract_of
from service.bidding.policy import Policy

BELOW, ABOVE = 2, 2  # numbers considered below and above the regular takes
MANY_TAKES = 12  # regular takes from which on no lower number is considered: the net was not trained on such hands
MOST_CANDIDATES = BELOW + ABOVE + 2
TIE_TOLERANCE = 1e-5  # win probabilities this close to each other count as equal, because the service uses float32


def candidates(takes: int, certain: int, partner_bid: int, ruled_out: int, allowed: int) -> int:
    """Return the set of bids to consider: those near the regular takes, and nil unless a reason rules it out.

    ``takes``: the regular takes; ``ruled_out``: `Nil.ruled_out`. No number is below ``certain``, the hand's certain
    tricks, unless partner's bid leaves fewer. The set contains only bids in the set ``allowed``. If it contains none of
    these numbers, the nearest number in it replaces them. If nothing is left, the set is ``allowed``.
    """
    if takes < certain:
        takes = certain
    most = 13 - contract_of(partner_bid) if partner_bid > 0 else 13
    high, low = takes + ABOVE, takes - BELOW if takes < MANY_TAKES else takes
    if high > most:
        high = most if most > 1 else 1
    if low < certain:
        low = certain
    if low < 1:
        low = 1
    bids = bids_between(low if low < high else high, high) & allowed
    numbers = allowed & ~NIL_BIT
    if not bids and numbers:
        bids = 1 << nearest_allowed(high if high > 0 else 1, high, numbers)
    if ruled_out == NOT_RULED_OUT:
        bids |= NIL_BIT & allowed
    return bids if bids else allowed


def best_bid(p_win: Any, natural: int, policy: Policy) -> int:
    """Return the bid with the highest win probability; differences within the net's error do not count.

    ``p_win`` (14,): win probability of each bid considered, -1 for the others; ``natural``: the regular takes. A higher
    number must be better than a lower one by `Policy.margin`. If all numbers differ by less than `Policy.even`, the
    choice is ``natural`` if it is considered. A nil must be better than the chosen number by `Policy.nil_margin`.
    """
    best = 0
    least, most = 1.0, 0.0
    enough = 0.0  # the win probability from which on a higher number is better by `margin`
    for bid in range(1, 14):
        p = p_win[bid]
        if p < 0.0:
            continue
        if best == 0 or p > enough:
            best = bid
            enough = p + policy.margin
        if p < least:
            least = p
        if p > most:
            most = p
    if best > 0 and most - least < policy.even and p_win[natural] >= 0.0:
        best = natural
    if p_win[0] >= 0.0 and (best == 0 or p_win[0] > p_win[best] + policy.nil_margin - TIE_TOLERANCE):
        best = 0
    return best
