"""BIS, the bidder of the paper: regular takes, nil, end of game, conventions, blind nil, cutthroat.

"The paper" is Cohensius, Meir, Oved and Stern, *Bidding in Spades*, ECAI 2020. docs/explanation/how-bis-bids.md
describes the whole bidder. `spades.decide` bids with a hand; here is the decision before the hand is seen:

>>> from spades import make_rules, open_tables, parse_policy
>>> rules, policy = make_rules("blind-nil"), parse_policy("bis:tuned")
>>> decide_blind((4, 3, 5), 100, 450, rules, policy, seed=1, tables=open_tables()).explanation["rule"]
'fourth-seat'
"""

from spades.bis.blind_decision import BlindDecision, decide_blind
from spades.bis.cutthroat import CutthroatDecision
from spades.bis.nil import Nil
from spades.bis.partnership import BisDecision
from spades.bis.regular import Regular

__all__ = ["BisDecision", "BlindDecision", "CutthroatDecision", "Nil", "Regular", "decide_blind"]
