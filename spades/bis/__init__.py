"""BIS, the bidder of the paper: regular takes, nil, end of game, conventions, blind nil, cutthroat.

"The paper" is Cohensius, Meir, Oved and Stern, *Bidding in Spades*, ECAI 2020. docs/explanation/how-bis-bids.md
describes the whole bidder. `spades.decide` bids with a hand; here is the decision before the hand is seen:

>>> from spades import make_rules, open_tables, parse_policy
>>> rules, policy = make_rules("blind-nil"), parse_policy("bis:tuned")
>>> decide_blind((4, 3, 5), 100, 450, rules, policy, seed=1, tables=open_tables()).explanation["rule"]
'fourth-seat'
"""

from spades.bis.blind_decision import BlindDecision, decide_blind
from spades.bis.blind_nil import HIGH_SUM, decide_blind_nil, hash_uniform
from spades.bis.conventions import BIG5_BID, BIG5_MOST_TAKES, covers_nil, partner_signalled
from spades.bis.cutthroat import CutthroatDecision, bis_cutthroat, own_and_best
from spades.bis.endgame import Endgame
from spades.bis.nil import GRID, NOT_RULED_OUT, Nil, NilTerms, consider_nil, interpolate, nil_value
from spades.bis.partnership import BisDecision, bis
from spades.bis.regular import MOST_RUFFS, Regular, certain_tricks, limit_takes

__all__ = [
    "BIG5_BID",
    "BIG5_MOST_TAKES",
    "GRID",
    "HIGH_SUM",
    "MOST_RUFFS",
    "NOT_RULED_OUT",
    "BisDecision",
    "BlindDecision",
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
    "decide_blind",
    "decide_blind_nil",
    "hash_uniform",
    "interpolate",
    "limit_takes",
    "nil_value",
    "own_and_best",
    "partner_signalled",
]
