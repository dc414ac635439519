"""The holder nets, one for each policy whose bids are read: they say who holds each unseen card (`holders`).

A policy bids deals at scores drawn from whole games, as for the priors. A sample is one player's view of such a deal
after one to four bids. The net learns the seat of each card that the player does not see, by cross-entropy. It does not
take into account that each player holds 13 cards. `spades.inference.deals` does that later; it changes the
log-loss by less than 0.0001 nats a card.

Training is split into parts, so that it can continue after an interruption: a part ends with the weights and with the
state of the optimiser.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from arena.errors import BuildError
from spades.inference import (
    DECK_SIZE,
    HOLDER_INPUTS,
    OTHER_SEATS,
    SCORE_INPUTS,
    WEIGHT_UNIT,
    HolderNet,
    holder_inputs,
    holder_shares,
    places_of,
)
from spades.legal import BLIND_NIL, NO_BID
from tables.counts import SCORES_BY, bid_deals, drawn_scores, tables_with_first_net
from tables.run.family import Context

LAYERS = (256, 128)  # sizes of the hidden layers
DEALS = 250_000  # in a chunk
BATCH = 1024  # samples in a step
RATE = 3e-3  # learning rate at the start; it falls to 0 along a cosine
PARTS = 8  # parts of the training
ALL_BIDS = 0.5  # share of samples after four bids; in the others one, two or three
UNKNOWN = 0.02  # share of bids that the net does not get to know, as after a blind nil
MOST_WEIGHT = 2**20  # in WEIGHT_UNIT; a test checks that sums in the shipped nets stay below 2**53, so they are exact
# The factor of each input in training. Scores are large numbers: without it, their weights would change too fast.
SCALES = np.array([1.0] * (HOLDER_INPUTS - SCORE_INPUTS) + [0.05, 0.05, 0.1, 0.1], np.float32)
NET = HolderNet._fields
FIELDS = ("hands", "bids", "scores", "bags")


# Deals and bids by the names of fields: rows of `arena.engine.rounds.ROUND`, or `hands` (n, 4), `bids` (n, 4), and
# `scores` and `bags` (n, 2) of the sides.
Deals: TypeAlias = Mapping[str, NDArray[Any]] | NDArray[np.void]


class Views(NamedTuple):
    """What n players see of deals, and who holds the cards."""

    inputs: NDArray[np.int16]  # (n, HOLDER_INPUTS)
    # (n, DECK_SIZE), in the net's order of cards: which of the next three seats holds it, 0..2; -1 for the player.
    owners: NDArray[np.int8]


def views_of(deals: Deals, seats: NDArray[np.int64], bids: NDArray[np.int64]) -> Views:
    """Return what the player in ``seats[i]`` sees of deal i; ``seats`` (n,).

    ``bids`` (n, 4), by seat: those that the player knows, and NO_BID for the others.
    """
    n = np.arange(len(seats))
    hands = deals["hands"][n, seats]
    places = places_of(hands)
    side = seats & 1
    standing = [deals[field][n, own] for field in ("scores", "bags") for own in (side, 1 - side)]
    scores = np.stack(standing, axis=1).astype(np.int64)
    owners = np.full((len(seats), DECK_SIZE), -1, np.int8)
    cards = np.flatnonzero(np.arange(64) % 16 < 13)
    for other in range(OTHER_SEATS):
        held = deals["hands"][n, seats + other + 1 & 3][:, None] >> cards & 1
        rows, columns = np.nonzero(held)
        owners[rows, places[rows, cards[columns]]] = other
    return Views(holder_inputs(hands, seats, bids, scores, places), owners)


def known_bids(bids: NDArray[np.int8], made: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ``bids`` (n, 4) with NO_BID for blind nils and for all but the first ``made[i]`` bids of deal i."""
    known = np.where(np.arange(4) < made[:, None], bids.astype(np.int64), NO_BID)
    return np.where(known == BLIND_NIL, NO_BID, known)


def drawn_views(deals: Deals, rng: np.random.Generator, n: int) -> Views:
    """Return ``n`` views: each of a random deal, from a random seat, after a random number of bids."""
    rows = rng.integers(0, len(deals["hands"]), n)
    made = np.where(rng.random(n) < ALL_BIDS, 4, rng.integers(1, 4, n))
    bids = known_bids(deals["bids"][rows], made)
    bids[rng.random((n, 4)) < UNKNOWN] = NO_BID
    return views_of({field: deals[field][rows] for field in FIELDS}, rng.integers(0, 4, n), bids)


def log_loss(net: HolderNet, views: Views) -> float:
    """Return the mean log-loss of the net's probabilities, in nats for each card that the player does not see."""
    unseen = views.owners >= 0
    found = np.take_along_axis(holder_shares(net, views.inputs), np.maximum(views.owners, 0)[:, :, None], axis=2)[
        :, :, 0
    ]
    return float(-np.log(found[unseen]).mean())


def whole_numbers(weights: Arrays) -> HolderNet:
    """Round trained weights to the net's integers, in WEIGHT_UNIT; the first layer takes over SCALES.

    Raises `BuildError` if a weight is larger than MOST_WEIGHT.
    """
    scales = np.append(SCALES, 1.0)[:, None]
    net = [np.round(weights[name] * (scales if name == "first" else 1.0) / WEIGHT_UNIT) for name in NET]
    most = max(float(np.abs(array).max()) for array in net)
    if most > MOST_WEIGHT:
        raise BuildError(f"a weight is {most * WEIGHT_UNIT:.3g}; accepted: at most {MOST_WEIGHT * WEIGHT_UNIT:.3g}")
    return HolderNet(*net)


def _deals(ctx: Context, name: str, bidder: str) -> Deals:
    # Return as many deals as the family's size ``name`` says, bid by ``bidder``.
    profiles, scores, rules = tables_with_first_net(ctx.inputs), drawn_scores(ctx), ctx.family.rules
    n = min(DEALS, ctx.size(name))

    def bid(index: int, seed: int) -> Arrays:
        batches = list(bid_deals(seed, index * n, n, rules, bidder, profiles, scores))
        made = {field: np.concatenate([rounds[field] for rounds in batches]) for field in FIELDS}
        return made | {field: made[field][:, :2].astype(np.int16) for field in ("scores", "bags")}

    return ctx.gathered(name, max(1, ctx.size(name) // n), bid)


def _trained(ctx: Context, deals: Deals) -> Arrays:
    """Return the trained weights as float32, by name."""
    # Not above: only this function needs JAX, which takes a second to import.
    from tables.learning.net import holder_fit

    steps = max(PARTS, ctx.size("samples") // BATCH) // PARTS  # of a part

    def batches_of(seed: int) -> Iterator[tuple[NDArray[Any], ...]]:
        rng = np.random.default_rng(seed)
        return (training_batch(drawn_views(deals, rng, BATCH)) for _ in range(steps))

    weights = first_weights(np.random.default_rng(ctx.seed), LAYERS)
    return holder_fit(RATE, PARTS * steps).train_in_parts(ctx, weights, PARTS, steps, batches_of)


def training_batch(views: Views) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Return the inputs, float32 and multiplied by SCALES, and the owners, int32: a batch of `net.holder_fit`."""
    return views.inputs.astype(np.float32) * SCALES, views.owners.astype(np.int32)


def first_weights(rng: np.random.Generator, layers: tuple[int, int]) -> dict[str, NDArray[np.float32]]:
    """Return random weights by name, float32 (inputs + 1, outputs); the last row, the biases, is 0.

    ``layers``: sizes of the hidden layers.
    """
    width, depth = layers
    found = {}
    for name, rows, columns, size in (
        ("first", HOLDER_INPUTS, width, np.sqrt(1.5 / HOLDER_INPUTS)),
        ("second", width, depth, np.sqrt(2.0 / width)),
        ("out", depth, DECK_SIZE * OTHER_SEATS, 0.01),
    ):
        drawn = np.zeros((rows + 1, columns), np.float32)
        drawn[:-1] = rng.normal(0.0, size, (rows, columns))
        found[name] = drawn
    return found


def make(ctx: Context) -> Arrays:
    """Make the arrays of the net that reads the bids of the family's policy."""
    policy = str(ctx.family.parameters["policy"])
    net = whole_numbers(_trained(ctx, _deals(ctx, "deals", policy)))
    held_out = _deals(ctx, "held_out", policy)
    seats = np.random.default_rng(ctx.seed).integers(0, 4, len(held_out["hands"]))
    for made in range(1, 5):
        bids = known_bids(held_out["bids"], np.full(len(seats), made))
        ctx.figure(f"log_loss_after_{made}_bids", log_loss(net, views_of(held_out, seats, bids)))
    return {f"{ctx.family.name}_{part}": array.astype(np.int32) for part, array in net._asdict().items()}


PARAMETERS: Mapping[str, object] = {
    "scores_by": SCORES_BY,
    "layers": list(LAYERS),
    "batch": BATCH,
    "rate": RATE,
    "parts": PARTS,
    "drawn": [ALL_BIDS, UNKNOWN],
}
