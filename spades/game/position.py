"""A position: what a bidder may know when it is their turn to bid."""

from typing import NamedTuple

from spades.game.rules import Rules


class Position(NamedTuple):
    """What a bidder may know. In cutthroat, "them" is the player with the best score of the three others."""

    hand: int  # 13 cards, see cards.py
    bids: tuple[int, ...]  # 0..3 previous bids, first bidder first, 0..13 or BLIND_NIL
    us: int  # points of the bidder's side; in cutthroat, of the bidder
    them: int  # points of the opponents
    us_bags: int
    them_bags: int
    rules: Rules
    scores: tuple[int, int, int, int] = (0, 0, 0, 0)  # in cutthroat: points by seat
