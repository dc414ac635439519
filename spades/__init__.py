"""The game of Spades as a library: bids, cards to play, who may hold a card, and the reasons. It needs numpy only.

>>> tables = open_tables()
>>> position = Position.of("AKJ62.AQ.Q.K9543", bids=(3, 1), us=120, them=95)
>>> decide(position, tables).bid
6

`docs/how-to/use-as-a-library.md` has more examples. To read the code, start at `spades.bidder`.

Each module in this package is about one thing that its name says, such as `spades.cards`, `spades.rules` or
`spades.scoring`. The subpackages `spades.bis`, `spades.winprob`, `spades.inference` and `spades.play` export what
others use of them.
"""

from spades.api import CardChoice, Inference, Review, choose_card, decide, explain, infer, review
from spades.bidder import Decision
from spades.errors import BiddingError, CardError, HandSizeError, PolicyError, PositionError, RulesError, TablesError
from spades.legal import BLIND_NIL, BLIND_NUMBER
from spades.policies import parse_policy
from spades.position import Position
from spades.reasons import REASONS
from spades.rules import PRESETS, Rules, make_rules
from spades.tableset import TableSet, open_tables

__version__ = "1.0.0"

__all__ = [
    "BLIND_NIL",
    "BLIND_NUMBER",
    "PRESETS",
    "REASONS",
    "BiddingError",
    "CardChoice",
    "CardError",
    "Decision",
    "HandSizeError",
    "Inference",
    "PolicyError",
    "Position",
    "PositionError",
    "Review",
    "Rules",
    "RulesError",
    "TableSet",
    "TablesError",
    "__version__",
    "choose_card",
    "decide",
    "explain",
    "infer",
    "make_rules",
    "open_tables",
    "parse_policy",
    "review",
]
