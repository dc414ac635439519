"""Who may hold each unseen card, from the bids made so far and from what a viewer knows.

If the viewer is a player, a net reads the own cards and the bids (`holder_net`). For a spectator, who knows no hand, a
table gives the priors (`prior_rows`). Both give each card a weight for each seat. `deals` turns the weights into
probabilities that fit what is known: every seat holds its number of cards, and no card that it cannot hold.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.errors import TablesError
from spades.inference.deals import Deals, Floats, deals_of, draw, sampler_of
from spades.inference.holder_net import HolderNet, inputs_of, places_of, shares
from spades.inference.knowledge import SPECTATOR, Unseen, View, unseen_of
from spades.inference.prior_rows import column_of, row_of
from spades.rules import PARTNERSHIP, Rules
from spades.scoring import BLIND_NIL, NO_BID, Standing, is_nil

BIDDERS = ("bis", "best")  # the policies whose bids can be read
EQUAL = 64  # a quarter, in 255ths, as in the tables of priors
# The game in which the nets and priors were made: its goal, its bag limit, and the lowest points that are common in it.
LEARNED_GOAL, LEARNED_BAGS, LEAST_POINTS = 500, 10, -100


class Bids(NamedTuple):
    """The bids of a round so far, and who makes them."""

    bids: tuple[int, ...]  # one to four bids, first bidder first
    bidder: str  # one of BIDDERS: the policy that all players are taken to bid by
    standing: Standing  # before the round, from the viewer's side; a spectator's has no effect


class Readers(NamedTuple):
    """The tables that say what bids mean, by the name of the bidder (one of BIDDERS); `readers_of` makes it."""

    priors: Mapping[str, NDArray[np.uint8]]  # (rows, 4, COLUMNS) of `prior_rows`
    nets: Mapping[str, HolderNet]


class Inferred(NamedTuple):
    """Who may hold the unseen cards."""

    unseen: Unseen
    deals: Deals  # rows: ``unseen.cards``; columns: ``unseen.seats``


def readers_of(arrays: Mapping[str, NDArray[Any]]) -> Readers:
    """Return the priors and the nets among the ``arrays`` of the tables. Raises `TablesError` if one is missing."""
    parts = [f"holders_{name}_{part}" for name in BIDDERS for part in HolderNet._fields]
    for array in (*parts, *(f"prior_{name}" for name in BIDDERS)):
        if array not in arrays:
            raise TablesError(f"found no file {array}.npy; expected one for each array of inference")
    nets = {
        name: HolderNet(*(arrays[f"holders_{name}_{part}"].astype(np.float64) for part in HolderNet._fields))
        for name in BIDDERS
    }
    return Readers({name: arrays[f"prior_{name}"] for name in BIDDERS}, nets)


def scores_for_net(scores: NDArray[np.int64], rules: Rules) -> NDArray[np.int64]:
    """Return ``scores`` (n, 4), points and bags of both sides, moved to the game that the nets learned.

    The points left to the goal stay the same, and so does the share of the bag limit. Scores that the nets have not
    seen become the nearest one that they have.
    """
    found = scores.copy()
    found[:, :2] = np.clip(scores[:, :2] + LEARNED_GOAL - rules.win, LEAST_POINTS, LEARNED_GOAL - 1)
    found[:, 2:] = scores[:, 2:] * LEARNED_BAGS // rules.bag_limit if rules.bags else 0
    return found


def nils_unread(view: View, bids: tuple[int, ...], rules: Rules) -> bool:
    """Return whether the nils among ``bids`` say little, because their bidders may still give dangerous cards away.

    So it is under rules with a pass, before cards are given or played.
    """
    passes = rules.nil_pass or rules.blind_nil_pass
    return bool(passes) and any(map(is_nil, bids)) and not (view.given or view.received or any(view.played))


def reads_bids(rules: Rules) -> bool:
    """Return whether `infer` uses bids under ``rules``: in other variants, bids do not mean what the tables say."""
    return rules.variant == PARTNERSHIP


def infer(view: View, bids: Bids, rules: Rules, readers: Readers) -> Inferred | None:
    """Return the probabilities of who holds each unseen card; None if no deal fits what is known.

    ``view`` has no contradictions (`knowledge.contradictions_in`).
    """
    unseen = unseen_of(view)
    weights = unseen.allowed
    if reads_bids(rules):
        known = tuple(NO_BID if bid == BLIND_NIL else bid for bid in bids.bids)
        if nils_unread(view, bids.bids, rules):
            known = tuple(NO_BID if is_nil(bid) else bid for bid in known)
        if view.seat == SPECTATOR:
            weights = weights * _priors(unseen, known, bids, readers)
        else:
            weights = weights * _shares(view, unseen, known, bids, rules, readers)
    deals = deals_of(weights, unseen.counts)
    return None if deals is None else Inferred(unseen, deals)


def random_deals(inferred: Inferred, number: int, seed: int) -> list[dict[int, list[int]]]:
    """Return ``number`` random deals of the unseen cards: for each deal, by seat, the cards that it holds now."""
    unseen, deals = inferred
    seats = sorted((seat, column) for column, seat in enumerate(unseen.seats))
    drawn = draw(sampler_of(deals), number, np.random.default_rng(seed)).tolist()
    return [
        {seat: [card for card, place in zip(unseen.cards, deal) if place == column] for seat, column in seats}
        for deal in drawn
    ]


def _priors(unseen: Unseen, known: tuple[int, ...], bids: Bids, readers: Readers) -> Floats:
    """Return the prior probabilities (m, 4) that each seat was dealt each unseen card.

    ``known``: the bids, with NO_BID for those that say nothing; their seats get equal probabilities.
    """
    prior = readers.priors[bids.bidder][row_of(bids.bids)].copy()
    prior[[seat for seat, bid in enumerate(known) if bid == NO_BID]] = EQUAL
    columns = [column_of(card) for card in unseen.cards]
    found: Floats = prior[:, columns].T / 255.0
    return found


def _shares(view: View, unseen: Unseen, known: tuple[int, ...], bids: Bids, rules: Rules, readers: Readers) -> Floats:
    """Return the net's shares (m, 3) of the other seats in each unseen card; ``known``: see `_priors`."""
    hands = np.array([view.hand])
    places = places_of(hands)
    four = np.array([[*known, *[NO_BID] * (4 - len(known))]])
    scores = scores_for_net(np.array([bids.standing]), rules)
    inputs = inputs_of(hands, np.array([view.seat]), four, scores, places)
    found: Floats = shares(readers.nets[bids.bidder], inputs)[0, places[0, list(unseen.cards)]]
    return found
