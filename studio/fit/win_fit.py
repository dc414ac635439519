"""Fit what `winprob` reads to a log: win tables, and the last layer of its net.

A win table is what a round brings, by the distance to the goal, and value iteration over it. The outcomes of the
engine's rounds in each bucket (`tables.win`) count as many rounds as the weight says, and the log's rounds one each.
The win table of each of the log's games is then made anew.

The last layer is moved so that the win probabilities that it states agree with the log's results. The target is the win
probability after the round that followed each bid, from the win table. The loss is the squared error. The largest
weights keep the shipped layer.
"""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import softmax

from arena.chunks import Arrays, Executor
from arena.engine.simulate import KernelTables, packed, with_games
from arena.source_files import chunk_code
from arena.store import finished_chunks, joined_chunks, stored
from spades.policies import parse_policy
from spades.rules import Rules, overrides_of
from spades.scoring import score_side
from spades.tables import PARTNERSHIP_PROFILE, Tables, plain_profile
from spades.winprob import OUTCOMES, SHIPPED, WIN_SCALE, WinTableSlice, cells_of, complete_outcomes
from studio.fit.counting import Sample, by_rules, is_held_out, rows_of
from studio.fit.fitting import Fitted, best_weight
from studio.rounds import NO_WINNER
from studio.sets import shipped_profiles, shipped_set
from tables.counts import SelfPlay, self_play_of
from tables.learning.training_data import MOST_TRIED, NONE, Played, empty_labels, label
from tables.regression import shrunk
from tables.win import (
    BUCKETS,
    EDGES,
    FIRST,
    NO_PENALTY,
    bucket_of_distance,
    bucket_outcomes,
    by_both_sides,
    most_frequent,
    solve,
)

TABLE_WEIGHTS = (10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4)  # in rounds of a bucket
ENGINE_ROUNDS = 4_000  # in a bucket
SEED = 1
FEWEST = 2_000  # rounds of a game; with fewer, its win table is kept
RARE = 1e-4  # probability of an outcome that was never seen
FARTHEST = int(EDGES[-1])  # points to the goal
LAYER_WEIGHTS = (1.0, 1e1, 1e2, 1e3, 1e4)  # in bids
MOST_BIDS = 100_000
AT_ONCE = 10_000  # bids
STEPS = 60  # of the minimizer
Floats = NDArray[np.float32]


class Outcomes(NamedTuple):
    """The outcomes of rounds in each bucket of both sides' distances to the goal, and their shares."""

    found: NDArray[Any]  # int16 (BUCKETS * BUCKETS, KEPT, 4): points in rows of the win table, and bags, by side
    share: NDArray[np.float64]  # (BUCKETS * BUCKETS, KEPT)


def win_tables(win: NDArray[np.uint16], sample: Sample, folder: Path, executor: Executor) -> Fitted:
    """Return the array `win` with new tables of the log's games that have FEWEST rounds and a table of their own.

    The weight is that of the game with most rounds. The engine's rounds are kept in ``folder`` until the end.
    """
    array = win.copy()
    n, weight, loss, before = 0, np.inf, 0.0, 0.0
    for rules, own in by_rules(sample):
        nearest = SHIPPED.nearest(rules)
        if nearest is None or nearest.instead or len(own.keys) < FEWEST:
            continue
        engine = _engine_outcomes(rules, nearest.win_slice, folder, executor)
        fitted, chosen = _moved(rules, nearest.win_slice, engine, own)
        if len(own.keys) > n:
            weight, loss, before = fitted
        n += len(own.keys)
        if chosen is not None:
            place = nearest.win_slice
            value, _, _ = solve(rules, place, by_both_sides(chosen.found), by_both_sides(chosen.share))
            array[place.start : place.start + cells_of(place)] = np.round(value.ravel() * WIN_SCALE).astype(np.uint16)
    return Fitted(array, n, weight, loss, before)


@cache  # each process makes its own, because the tables are large to send
def _self_play(rules: Rules) -> SelfPlay:
    return self_play_of(rules, parse_policy(FIRST, rules.variant), shipped_profiles())


def _engine_outcomes(rules: Rules, place: WinTableSlice, folder: Path, executor: Executor) -> Outcomes:
    text = ",".join(f"{field}={value}" for field, value in overrides_of(rules).items()) or "classic"

    def play(bucket: int) -> Arrays:
        found, share = bucket_outcomes(bucket, SEED + bucket, ENGINE_ROUNDS, _self_play(rules), place.unit)
        return {"found": found[None], "share": share[None]}

    label = f"rounds of the engine, {text}"
    with stored((label, SEED, ENGINE_ROUNDS, shipped_set().sha256, chunk_code(__name__)), folder, remove=False) as kept:
        return Outcomes(**joined_chunks(finished_chunks(play, BUCKETS * BUCKETS, kept, executor, label, progress=True)))


def _moved(
    rules: Rules, place: WinTableSlice, engine: Outcomes, sample: Sample
) -> tuple[tuple[float, float, float], Outcomes | None]:
    # Weight, loss on the games held out and that of the engine's outcomes; and the outcomes, None to keep the engine's.
    results = results_of(sample, rules).astype(np.int64)
    results[:, (0, 2)] //= place.unit
    rows = bucket_of_distance(FARTHEST)[np.clip(rules.win - sample.scores.astype(np.int64), 0, FARTHEST)]
    buckets = rows[:, 0] * BUCKETS + rows[:, 1]
    held_out = is_held_out(sample.games)
    by_bucket = [np.flatnonzero(buckets == bucket) for bucket in range(BUCKETS * BUCKETS)]
    losses = dict.fromkeys((*TABLE_WEIGHTS, np.inf), 0.0)
    for bucket, members in enumerate(by_bucket):
        fit_on, judged = (results[members[held_out[members] == part]] for part in (False, True))
        if len(judged):
            for weight, likelihood in _likelihoods(engine, bucket, fit_on, judged).items():
                losses[weight] -= likelihood
    n = max(1, int(held_out.sum()))
    losses = {weight: total / n for weight, total in losses.items()}
    weight = best_weight(losses)
    if weight == np.inf:
        return (weight, losses[weight], losses[weight]), None
    mixed = [_mixed(engine, bucket, results[members], weight) for bucket, members in enumerate(by_bucket)]
    made = Outcomes(np.stack([found for found, _ in mixed]), np.stack([share for _, share in mixed]))
    return (weight, losses[weight], losses[np.inf]), made


def _likelihoods(engine: Outcomes, bucket: int, fit_on: Any, judged: Any) -> dict[float, float]:
    # By weight, the sum of the log-likelihoods of the results ``judged``.
    n, m = len(engine.found[bucket]), len(fit_on)
    _, cells = np.unique(np.concatenate([engine.found[bucket], fit_on, judged]), axis=0, return_inverse=True)
    cells = cells.ravel()  # equal results have the same cell
    p_engine = np.bincount(cells[:n], engine.share[bucket], len(cells))[cells[n + m :]]
    times = np.bincount(cells[n : n + m], minlength=len(cells))[cells[n + m :]]
    stated = {weight: shrunk(times, m, p_engine, weight) for weight in TABLE_WEIGHTS} | {np.inf: p_engine}
    return {weight: float(np.log(np.maximum(p, RARE)).sum()) for weight, p in stated.items()}


def _mixed(engine: Outcomes, bucket: int, results: Any, weight: float) -> tuple[Any, NDArray[np.float64]]:
    # The most probable outcomes and their shares.
    rows = np.concatenate([engine.found[bucket].astype(np.int64), results])
    counts = np.concatenate([weight * engine.share[bucket], np.ones(len(results))])
    different, where = np.unique(rows, axis=0, return_inverse=True)
    return most_frequent(different, np.bincount(where.ravel(), weights=counts, minlength=len(different)))


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
    fit_on, judged = (bids_of_sample(arrays, profiles, rows_of(sample, rows)) for rows in (~held_out, held_out))
    n = len(fit_on.targets)
    before = _loss(shipped, judged)
    if not n or not len(judged.targets):
        return Fitted(shipped.astype(np.float64), n, np.inf, before, before)
    layers = {weight: _fitted(shipped, fit_on, weight) for weight in LAYER_WEIGHTS} | {np.inf: shipped}
    losses = {weight: _loss(layer, judged) for weight, layer in layers.items()}
    weight = best_weight(losses)
    return Fitted(layers[weight].astype(np.float64), n, weight, losses[weight], before)


def bids_of_sample(arrays: Arrays, profiles: tuple[Tables, ...], sample: Sample) -> Bids:
    """Return the chosen bids of a sample's rounds in games that have a win table: at most MOST_BIDS of them."""
    shapes = (0, len(arrays["net_out"])), (0, OUTCOMES), (0,), (0,)
    none: list[Floats] = [np.zeros(shape, np.float32) for shape in shapes]
    found = [Bids(*none)]
    left = MOST_BIDS
    for rules, own in by_rules(sample):
        if SHIPPED.nearest(rules) is None:
            continue
        with_game = with_games(profiles, [rules])
        tables = packed(with_game, [plain_profile(rules)], with_game[PARTNERSHIP_PROFILE])
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
