"""BIS, the bidder of the paper: regular takes, nil, end of game, conventions, blind nil, cutthroat.

"The paper" is Cohensius, Meir, Oved and Stern, *Bidding in Spades*, ECAI 2020. docs/explanation/how-bis-bids.md
describes the whole bidder. `spades.decide` bids with a hand;
`spades.bidder.decide_blind` decides before the hand is seen. Here is one step of it:

>>> from spades.cards import parse_pbn
>>> certain_tricks(parse_pbn("AKQ2.A32.432.432") >> 48, extra_spades=0)
3
"""

from spades.bis.blind_nil import HIGH_SUM, decide_blind_nil
from spades.bis.conventions import covers_nil, partner_signalled
from spades.bis.cutthroat import CutthroatDecision, bis_cutthroat, own_and_best
from spades.bis.estimates import (
    GRID,
    MOST_RUFFS,
    NOT_RULED_OUT,
    Nil,
    NilTerms,
    Regular,
    certain_tricks,
    consider_nil,
    interpolate,
    limit_takes,
    nil_value,
)
from spades.bis.partnership import BisDecision, Endgame, bis

__all__ = [
    "GRID",
    "HIGH_SUM",
    "MOST_RUFFS",
    "NOT_RULED_OUT",
    "BisDecision",
    "CutthroatDecision",
    "Endgame",
    "Nil",
    "NilTerms",
    "Regular",
    "bis",
    "bis_cutthroat",
    "certain_tricks",
    "consider_nil",
    "covers_nil",
    "decide_blind_nil",
    "interpolate",
    "limit_takes",
    "nil_value",
    "own_and_best",
    "partner_signalled",
]
