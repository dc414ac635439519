"""A position: what a bidder may know when it is their turn to bid."""

from typing import NamedTuple

from service.bidding.game.rules import Rules


class Position(NamedTuple):
    """What a bidder may know. Scores from its own side; in cutthroat its own, and the best of the others' as theirs."""

    hand: int  # 13 cards, see cards.py
    bids: tuple[int, ...]  # 0..3 previous bids, first bidder first, 0..13 or BLIND_NIL
    us: int
    them: int
    us_bags: int
    them_bags: int
    rules: Rules
    scores: tuple[int, int, int, int] = (0, 0, 0, 0)  # in cutthroat: by seat
