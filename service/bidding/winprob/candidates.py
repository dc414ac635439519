"""The bids that the `winprob` policy weighs, as a kernel; it takes the one with the best chance to win the game, but
a higher number only where it is better by MARGIN.

For each the net gives the probabilities of its outcomes (`outcomes`), each worth the win probability of the score it
leads to (`win_table`). The sums are numpy's in the service (`decision`) and loops in the simulator
(`tables.engine.winprob`).
"""

from service.bidding.bis.nil import NOT_RULED_OUT
from service.bidding.game.legal import NIL_BIT, bids_between
from service.bidding.game.scoring import contract_of

BELOW, ABOVE = 2, 2  # bids around the regular takes
MANY_TAKES = 12  # takes from which on nothing below is weighed: the net has never met such hands
MOST_CANDIDATES = BELOW + ABOVE + 2
MARGIN = 2e-3  # the net errs by more, and a lower bid is set less often
TIE_TOLERANCE = (
    1e-5  # other chances no further apart are level, and the lower bid is taken: the service multiplies in float32
)


def candidates(takes: int, partner_bid: int, ruled_out: int, allowed: int) -> int:
    """Return the set of bids to weigh: those around the regular takes, and nil unless something rules it out.

    Only bids that are ``allowed``; all of these if none of the others is.
    """
    most = 13 - contract_of(partner_bid) if partner_bid > 0 else 13
    high, low = takes + ABOVE, takes - BELOW if takes < MANY_TAKES else takes
    if high > most:
        high = most if most > 1 else 1
    if low < 1:
        low = 1
    bids = bids_between(low if low < high else high, high) & allowed
    if ruled_out == NOT_RULED_OUT:
        bids |= NIL_BIT & allowed
    return bids if bids else allowed
