"""`Turn`: a position with everything that a policy needs to bid, and its explanation to explain the bid."""

from typing import NamedTuple

from spades.auction import Auction
from spades.position import Position
from spades.scoring import Standing
from spades.table_views import Tables

NOT_EXPLAINED, EXPLAINED, BRIEF = False, True, 2  # how to explain a bid: not at all, in full, by its first reasons


class Turn(NamedTuple):
    """A position, values derived from it, the legal bids, and what explanation is wanted."""

    hand: int  # as the policy sees it: without jokers if the policy does not know them
    position: Position
    auction: Auction
    standing: Standing
    allowed: int  # set of the bids that the rules allow
    tables: Tables  # of the table profile
    legal: tuple[int, ...] | None  # the caller's legal bids, sorted; None if the rules alone decide
    explain: int  # NOT_EXPLAINED, EXPLAINED or BRIEF
