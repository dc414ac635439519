"""The bids that policy `winprob` considers, as a kernel.

For each candidate, the net gives the probabilities of its outcomes (`outcomes`). The value of an outcome is the win
probability of the score that it leads to (`outcomes`). The win probability of a candidate is the sum of these values,
each times its outcome's probability. The policy takes the candidate with the highest win probability, but a higher
number or a nil only if it is better by a margin (`best_bid`). The service computes the sums with numpy (`decision`),
the simulator with loops (`arena.engine.winprob`).
"""

from typing import Any

from spades.bis.estimates import NOT_RULED_OUT
from spades.legal import NIL_BIT, bids_between, contract_of, nearest_allowed
from spades.options import Policy
from spades.position import Auction
from spades.rules import Rules
from spades.scoring import contract_points

CANDIDATES_BELOW, CANDIDATES_ABOVE = 2, 2  # numbers considered below and above the regular takes
MANY_TAKES = 12  # regular takes from which on no lower number is considered: the net was not trained on such hands
MOST_CANDIDATES = CANDIDATES_BELOW + CANDIDATES_ABOVE + 2
LAST_BAG_ERROR = 0.03  # win probability by which the net underrates a number that leaves no bag before the penalty
NO_NUMBER = 14  # more than every bid: no number is enough
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
    high, low = takes + CANDIDATES_ABOVE, takes - CANDIDATES_BELOW if takes < MANY_TAKES else takes
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


def needed_number(
    us: int,
    them: int,
    partner_tricks: int,
    opponents_tricks: int,
    factors: tuple[int, int],
    allowed: int,
    rules: Rules,
) -> tuple[int, bool]:
    """Return the smallest number with which we win the game if everybody makes their bid, and whether they could win.

    ``us`` and ``them``: the scores, with the points of the nils that others have bid; ``partner_tricks`` and
    ``opponents_tricks``: the other contracts, as the outcomes count them; ``factors``: from `contract_factors`;
    ``allowed``: the set of bids that the rules allow. The number is NO_NUMBER if no number in it wins. They could win
    if they reach the goal with their bids.
    """
    our_factor, their_factor = factors
    theirs = them + their_factor * contract_points(opponents_tricks, rules)
    for bid in range(1, NO_NUMBER):
        if allowed >> bid & 1:
            ours = us + our_factor * contract_points(partner_tricks + bid, rules)
            if ours >= rules.win and ours > theirs:
                return bid, theirs >= rules.win
    return NO_NUMBER, theirs >= rules.win


def far_bids(usual: int, needed: int, certain: int, certain_nil: int, allowed: int) -> int:
    """Return the bids outside ``usual`` that are compared if the round can end the game, as a set.

    They are nil, the number ``needed``, and the numbers next to those in ``usual``: one above and two below.
    ``usual``: from `candidates`; ``needed``: from `needed_number`; ``certain`` and ``certain_nil``: the hand's certain
    tricks with a number and with a nil. The set contains only bids in the set ``allowed``. It is empty if all usual
    numbers win the game if everybody makes their bid.
    """
    numbers = usual & ~NIL_BIT
    lowest, above = numbers & -numbers, 1 << numbers.bit_length()
    if numbers == 0 or lowest >= 1 << needed:
        return 0
    far = lowest >> 1 | lowest >> 2
    if above <= 1 << needed:
        far |= above | 1 << needed
    far = far & allowed & ~NIL_BIT & ~bids_between(1, certain - 1)
    return far if certain_nil > 0 else far | NIL_BIT & allowed & ~usual


def best_far_bid(p_win: Any, usual: int, far: int, needed: int, policy: Policy) -> int:
    """Return the best bid of the set ``far`` as a set, or the empty set if it is not good enough.

    It must be better than all bids in ``usual`` by `Policy.far_margin`, and the best number in ``usual`` must be below
    ``needed``. ``p_win`` (14,): win probability of each bid in both sets.
    """
    number = 0
    most = p_win[0] if usual & NIL_BIT else 0.0
    for bid in range(1, 14):
        if usual >> bid & 1 and (number == 0 or p_win[bid] > p_win[number] + TIE_TOLERANCE):
            number = bid
    if number >= needed:
        return 0
    if number > 0 and p_win[number] > most:
        most = p_win[number]
    best = 0
    most += policy.far_margin - TIE_TOLERANCE
    for bid in range(14):
        if far >> bid & 1 and p_win[bid] > most:
            best = 1 << bid
            most = p_win[bid] + TIE_TOLERANCE
    return best


def last_bag_bid(best: int, p_win: Any, needed: int, us_bags: int, auction: Auction, rules: Rules) -> int:
    """Return ``best``, or one trick more if the last bidder's side would get the penalty with one bag more.

    With one bag left until the penalty and one or two tricks that nobody has bid, one more trick is bid, unless it
    looks worse by LAST_BAG_ERROR: the net underrates how often a trick is left over. ``p_win`` (14,): win probability
    of each bid compared, -1 for the others; ``needed``: from `needed_number`.
    """
    if auction.seat < 3 or best == 0 or best < needed or best == 13:
        return best
    if not rules.bags or rules.bag_penalty == 0 or us_bags + 1 < rules.bag_limit:
        return best
    left = 13 - auction.sum_of_bids - best
    if 0 < left < 3 and p_win[best + 1] >= 0.0 and p_win[best + 1] > p_win[best] - LAST_BAG_ERROR:
        return best + 1
    return best
