"""Fit the last layer of `winprob`'s net to a log, so that its stated win probabilities agree with the log's results.

The target is the win probability after the round that followed each bid, from the win table. The loss is the squared
error. The largest weights keep the shipped layer.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import softmax

from arena.chunks import Arrays
from arena.engine.simulate import KernelTables, packed, with_games
from spades.rules import Rules
from spades.scoring import score_side
from spades.tables import PARTNERSHIP_PROFILE, Tables, plain_profile
from spades.winprob import OUTCOMES, SHIPPED, complete_outcomes
from studio.fit.counting import is_held_out
from studio.fit.fitting import Fitted, best_weight
from studio.fit.samples import Sample, rows_of
from studio.rounds import NO_WINNER
from tables.learning.training_data import MOST_TRIED, NONE, Played, empty_labels, label
from tables.win import NO_PENALTY

WEIGHTS = (1.0, 1e1, 1e2, 1e3, 1e4)  # in bids
MOST_BIDS = 100_000
AT_ONCE = 10_000
STEPS = 60

Floats = NDArray[np.float32]


class Bids(NamedTuple):
    """Inputs and targets of the last layer for n bids of a log. G is the size of the second hidden layer."""

    inputs: Floats  # (n, G + 1): the second hidden layer, and 1
    values: Floats  # (n, OUTCOMES): win probability after each outcome
    targets: Floats  # (n,): win probability after the round that was played
    won: Floats  # (n,): 1 if the bidder's side won the game, 0 if not; NaN if that is not known


def last_layer(arrays: Arrays, profiles: tuple[Tables, ...], sample: Sample) -> Fitted:
    """Return the last layer (G + 1, OUTCOMES); ``arrays`` hold the net, ``profiles`` all tables that it reads."""
    shipped = complete_outcomes(np.asarray(arrays["net_out"], np.float32))
    held_out = is_held_out(sample.games)
    fit_on, judged = (bids_of(arrays, profiles, rows_of(sample, rows)) for rows in (~held_out, held_out))
    n = len(fit_on.targets)
    before = _loss(shipped, judged)
    if not n or not len(judged.targets):
        return Fitted(shipped.astype(np.float64), n, np.inf, before, before)
    layers = {weight: _fitted(shipped, fit_on, weight) for weight in WEIGHTS} | {np.inf: shipped}
    losses = {weight: _loss(layer, judged) for weight, layer in layers.items()}
    weight = best_weight(losses)
    return Fitted(layers[weight].astype(np.float64), n, weight, losses[weight], before)


def bids_of(arrays: Arrays, profiles: tuple[Tables, ...], sample: Sample) -> Bids:
    """Return the chosen bids of a sample's rounds in games that have a win table: at most MOST_BIDS of them."""
    shapes = (0, len(arrays["net_out"])), (0, OUTCOMES), (0,), (0,)
    none: list[Floats] = [np.zeros(shape, np.float32) for shape in shapes]
    found = [Bids(*none)]
    left = MOST_BIDS
    for row in np.unique(sample.rules, axis=0):
        rules = Rules(*row.tolist())
        if SHIPPED.nearest(rules) is None:
            continue
        with_game = with_games(profiles, [rules])
        tables = packed(with_game, [plain_profile(rules)], with_game[PARTNERSHIP_PROFILE])
        own = rows_of(sample, (sample.rules == row).all(axis=1))
        counted = own.chosen & (own.hands != 0) & (own.bids <= 13)
        rounds, seats = np.nonzero(counted)
        rounds, seats = rounds[:left], seats[:left]
        left -= len(rounds)
        results = results_of(own, rules)
        for first in range(0, len(rounds), AT_ONCE):
            part = slice(first, first + AT_ONCE)
            found.append(_bids(arrays, tables, rules, own, results, rounds[part], seats[part]))
    return Bids(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def results_of(sample: Sample, rules: Rules) -> NDArray[np.int16]:
    """Return the results (n, 4) of rounds: points without bags, and bags, of each side.

    The side of seats 0 and 2 comes first, then the other side.
    """
    free = rules._replace(bag_limit=NO_PENALTY)
    found = np.zeros((len(sample.bids), 4), np.int16)
    for side in range(2):
        seats = [side, side + 2]
        given = np.concatenate([sample.bids[:, seats], sample.tricks[:, seats]], axis=1)
        different, where = np.unique(given, axis=0, return_inverse=True)
        scored = [score_side(b, t, p, u, 0, free) for b, p, t, u in different.tolist()]
        points = np.array([(total - bags, bags) for total, bags in scored], np.int16).reshape(-1, 2)
        found[:, 2 * side : 2 * side + 2] = points[where.ravel()]
    return found


def _bids(
    arrays: Arrays,
    tables: KernelTables,
    rules: Rules,
    sample: Sample,
    results: NDArray[np.int16],
    rounds: NDArray[np.int64],
    seats: NDArray[np.int64],
) -> Bids:
    n = len(rounds)
    played = Played(
        sample.hands[rounds, seats],
        np.column_stack([seats, sample.bids[rounds, :3]]).astype(np.int8),
        np.zeros((n, 3), np.int8),
        np.full((n, MOST_TRIED), NONE, np.int8),
        np.zeros((n, MOST_TRIED, 4), np.int16),
    )
    played.tried[:, 0] = sample.bids[rounds, seats]
    ours = np.where((seats & 1)[:, None] == 0, [[0, 1, 2, 3]], [[2, 3, 0, 1]])
    played.results[:, 0] = results[rounds[:, None], ours]
    standing = np.stack([sample.scores, sample.bags], axis=2)  # (rounds, side, points and bags)
    scores = standing.reshape(-1, 4)[rounds[:, None], ours].astype(np.int64)
    labels = empty_labels(n)
    rows, zeros = np.arange(n), np.zeros(n, np.int64)
    label(rows, played, scores, zeros, np.zeros((n, 3), np.int8), np.array([rules], np.int64), tables, labels)
    position, hidden = arrays["net_position"], arrays["net_hidden"]
    first = np.maximum(0.0, labels.x @ position[:-1] + position[-1] + labels.c[:, 0] @ arrays["net_bid"])
    second = np.maximum(0.0, first @ hidden[:-1] + hidden[-1])
    inputs = np.column_stack([second, np.ones(n)]).astype(np.float32)
    winner = sample.winner[rounds]
    won = np.where(winner == NO_WINNER, np.nan, (winner == (seats & 1)).astype(np.float64)).astype(np.float32)
    return Bids(inputs, labels.values[:, 0], labels.target[:, 0], won)


def _fitted(shipped: Floats, bids: Bids, weight: float) -> Floats:
    inputs, values, targets, _ = bids
    n = len(targets)

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        moved = flat.reshape(shipped.shape)
        shares = softmax(inputs @ (shipped + moved).astype(np.float32), axis=1)
        stated = (shares * values).sum(axis=1)
        error = stated - targets
        slope = shares * (values - stated[:, None]) * (2.0 / n * error)[:, None]
        gradient = (inputs.T @ slope).astype(np.float64) + 2.0 * weight / n * moved
        return float(np.mean(error.astype(np.float64) ** 2) + weight / n * (moved**2).sum()), gradient.ravel()

    found = minimize(loss, np.zeros(shipped.size), jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    layer: Floats = (shipped + found.x.reshape(shipped.shape)).astype(np.float32)
    return layer


def win_chances(layer: Floats, bids: Bids) -> Floats:
    """Return the win chances (n,) that ``layer`` states for bids."""
    stated: Floats = (softmax(bids.inputs @ layer, axis=1) * bids.values).sum(axis=1)
    return stated


def _loss(layer: Floats, bids: Bids) -> float:
    stated = win_chances(layer, bids)
    return float(((stated - bids.targets).astype(np.float64) ** 2).sum() / max(1, len(stated)))
