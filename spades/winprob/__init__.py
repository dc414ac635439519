"""The bidder `winprob`: features, outcomes, win tables, candidates, decision.

It bids with `spades.decide(..., policy="winprob")`, for the games that have a win table:

>>> from spades import make_rules, open_tables
>>> games = open_tables().games
>>> games.nearest(make_rules("classic")).instead, games.nearest(make_rules("classic", {"bag_limit": 9})).instead
((), (('bag_limit', 10),))
>>> games.nearest(make_rules("cutthroat")) is None
True
"""

from spades.winprob.decision import WinDecision, win_decision
from spades.winprob.games import WON_VARIANTS, Games, Nearest, games_of

__all__ = ["WON_VARIANTS", "Games", "Nearest", "WinDecision", "games_of", "win_decision"]
