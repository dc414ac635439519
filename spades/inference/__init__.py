"""Who holds what: probabilities and deals of the cards that a player cannot see.

`spades.infer` reads texts. With a view of your own:

>>> from spades import Rules, open_tables
>>> from spades.cards import DECK, parse_pbn
>>> from spades.scoring import START
>>> view = View(DECK, 0, parse_pbn("AKJ62.AQ.Q.K9543"), 0, 0, played=(0, 0, 0, 0), voids=(0, 0, 0, 0))
>>> found = infer_from_view(view, Bids((6, 0), "bis", START), Rules(), open_tables().readers)
>>> found.unseen.seats, found.deals.probabilities.shape
((1, 2, 3), (39, 3))
"""

from spades.inference.deals import Deals, Floats, Sampler, Seats, deals_of, draw, sampler_of
from spades.inference.holders import (
    BID_CLASSES,
    BIDDERS,
    DECK_SIZE,
    FIRST_PRIOR_ROWS,
    HOLDER_INPUTS,
    OTHER_SEATS,
    PRIOR_COLUMNS,
    SCORE_INPUTS,
    SUIT_RANKS,
    WEIGHT_UNIT,
    Bids,
    HolderNet,
    Inferred,
    Readers,
    bid_class,
    holder_inputs,
    holder_shares,
    infer_from_view,
    places_of,
    prior_column_of,
    prior_row_of,
    random_deals,
    readers_of,
    reads_bids,
    scores_for_net,
)
from spades.inference.knowledge import NOTHING_FITS, SPECTATOR, Unseen, View, contradictions, unseen_of

__all__ = [
    "BIDDERS",
    "BID_CLASSES",
    "DECK_SIZE",
    "FIRST_PRIOR_ROWS",
    "HOLDER_INPUTS",
    "NOTHING_FITS",
    "OTHER_SEATS",
    "PRIOR_COLUMNS",
    "SCORE_INPUTS",
    "SPECTATOR",
    "SUIT_RANKS",
    "WEIGHT_UNIT",
    "Bids",
    "Deals",
    "Floats",
    "HolderNet",
    "Inferred",
    "Readers",
    "Sampler",
    "Seats",
    "Unseen",
    "View",
    "bid_class",
    "contradictions",
    "deals_of",
    "draw",
    "holder_inputs",
    "holder_shares",
    "infer_from_view",
    "places_of",
    "prior_column_of",
    "prior_row_of",
    "random_deals",
    "readers_of",
    "reads_bids",
    "sampler_of",
    "scores_for_net",
    "unseen_of",
]
