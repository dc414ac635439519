"""The bids that policy `winprob` considers, as a kernel.

For each candidate the net gives the probabilities of its outcomes (`outcomes`). Each outcome is worth the win
probability of the score that it leads to (`win_table`). The policy takes the candidate with the highest win
probability, but a higher number only if it is better by MARGIN. The service computes the sums with numpy (`decision`),
the simulator with loops (`tables.engine.winprob`).
"""

from service.bidding.bis.nil import NOT_RULED_OUT
from service.bidding.game.legal import NIL_BIT, bids_between
from service.bidding.game.scoring import contract_of

BELOW, ABOVE = 2, 2  # numbers considered below and above the regular takes
MANY_TAKES = 12  # regular takes from which on no lower number is considered: the net was not trained on such hands
MOST_CANDIDATES = BELOW + ABOVE + 2
MARGIN = 2e-3  # win probability; the net's error is larger than this, and a lower bid is set less often
TIE_TOLERANCE = (
    1e-5  # win probabilities this close to each other are equal, and the lower bid wins: the service uses float32
)


def candidates(takes: int, partner_bid: int, ruled_out: int, allowed: int) -> int:
    """Return the set of bids to consider: those near the regular takes, and nil unless a reason rules it out.

    The set contains only bids in ``allowed``. If none of these bids is allowed, it is all of ``allowed``.
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
