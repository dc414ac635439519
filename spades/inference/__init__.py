"""Who holds what: probabilities and deals of the cards that a player cannot see.

`spades.infer` reads texts. With a view of your own:

>>> from spades import Rules, open_tables
>>> from spades.cards import DECK, parse_pbn
>>> from spades.scoring import START
>>> view = View(DECK, 0, parse_pbn("AKJ62.AQ.Q.K9543"), 0, 0, played=(0, 0, 0, 0), voids=(0, 0, 0, 0))
>>> found = infer(view, Bids((6, 0), "bis", START), Rules(), open_tables().readers)
>>> found.unseen.seats, found.deals.probabilities.shape
((1, 2, 3), (39, 3))
"""

from spades.inference.deals import Deals, Sampler, deals_of, draw, sampler_of
from spades.inference.holders import BIDDERS, Bids, Inferred, Readers, infer, random_deals, readers_of
from spades.inference.knowledge import SPECTATOR, Contradiction, Unseen, View, contradictions

__all__ = [
    "BIDDERS",
    "SPECTATOR",
    "Bids",
    "Contradiction",
    "Deals",
    "Inferred",
    "Readers",
    "Sampler",
    "Unseen",
    "View",
    "contradictions",
    "deals_of",
    "draw",
    "infer",
    "random_deals",
    "readers_of",
    "sampler_of",
]
