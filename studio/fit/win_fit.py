"""Fit win tables to a log: what a round brings, by the distance to the goal, and value iteration over it.

The outcomes of the engine's rounds in each bucket (`tables.win`) count as many rounds as the weight
says, and the log's rounds one each. The win table of each of the log's games is then made anew.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays, Executor
from arena.source_files import chunk_code
from arena.store import finished_chunks, joined_chunks, stored
from spades.manifest import read_manifest
from spades.rules import Rules, overrides_of
from spades.tableset import DEFAULT_DIRECTORY
from spades.winprob import SHIPPED, WIN_SCALE, WinTableSlice, cells_of
from studio.fit.counting import is_held_out, shipped_profiles
from studio.fit.fitting import Fitted, best_weight
from studio.fit.last_layer import results_of
from studio.fit.samples import Sample
from tables.regression import shrunk
from tables.win import (
    BUCKETS,
    EDGES,
    bucket_of_distance,
    bucket_outcomes,
    by_both_sides,
    most_frequent,
    solve,
)

WEIGHTS = (10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4)  # in rounds of a bucket
ENGINE_ROUNDS = 4_000  # in a bucket
SEED = 1
FEWEST = 2_000  # rounds of a game; with fewer, its win table is kept
RARE = 1e-4  # probability of an outcome that was never seen
FARTHEST = int(EDGES[-1])  # points to the goal
_BASE = 4096  # larger than the difference between two points, or two numbers of bags, of a round


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
    for rules, own in _by_game(sample).items():
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


def _by_game(sample: Sample) -> Mapping[Rules, Sample]:
    kinds, numbers = np.unique(sample.rules, axis=0, return_inverse=True)
    return {
        Rules(*row): Sample(*(part[numbers.ravel() == number] for part in sample))
        for number, row in enumerate(kinds.tolist())
    }


def _engine_outcomes(rules: Rules, place: WinTableSlice, folder: Path, executor: Executor) -> Outcomes:
    text = ",".join(f"{field}={value}" for field, value in overrides_of(rules).items()) or "classic"

    def play(bucket: int) -> Arrays:
        found, share = bucket_outcomes(bucket, SEED + bucket, ENGINE_ROUNDS, rules, place.unit, shipped_profiles())
        return {"found": found[None], "share": share[None]}

    label, tables = f"rounds of the engine, {text}", read_manifest(DEFAULT_DIRECTORY).sha256
    with stored((label, SEED, ENGINE_ROUNDS, tables, chunk_code(__name__)), folder, remove=False) as kept:
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
    losses = dict.fromkeys((*WEIGHTS, np.inf), 0.0)
    for bucket, members in enumerate(by_bucket):
        fit_on, judged = (results[members[held_out[members] == part]] for part in (False, True))
        if len(judged):
            for weight in losses:
                losses[weight] -= _likelihood(engine, bucket, fit_on, judged, weight)
    n = max(1, int(held_out.sum()))
    losses = {weight: total / n for weight, total in losses.items()}
    weight = best_weight(losses)
    if weight == np.inf:
        return (weight, losses[weight], losses[weight]), None
    mixed = [_mixed(engine, bucket, results[members], weight) for bucket, members in enumerate(by_bucket)]
    made = Outcomes(np.stack([found for found, _ in mixed]), np.stack([share for _, share in mixed]))
    return (weight, losses[weight], losses[np.inf]), made


def _likelihood(engine: Outcomes, bucket: int, fit_on: Any, judged: Any, weight: float) -> float:
    # The sum of the log-likelihoods of the results ``judged``.
    own, times = np.unique(_codes(fit_on), return_counts=True)
    known, share = _codes(engine.found[bucket].astype(np.int64)), engine.share[bucket]
    asked = _codes(judged)
    p_engine = _looked_up(known[share > 0], share[share > 0], asked)
    if weight == np.inf:
        p = p_engine
    else:
        p = shrunk(_looked_up(own, times.astype(np.float64), asked), len(fit_on), p_engine, weight)
    return float(np.log(np.maximum(p, RARE)).sum())


def _mixed(engine: Outcomes, bucket: int, results: Any, weight: float) -> tuple[Any, NDArray[np.float64]]:
    # The most probable outcomes and their shares.
    rows = np.concatenate([engine.found[bucket].astype(np.int64), results])
    counts = np.concatenate([weight * engine.share[bucket], np.ones(len(results))])
    different, where = np.unique(rows, axis=0, return_inverse=True)
    return most_frequent(different, np.bincount(where.ravel(), weights=counts, minlength=len(different)))


def _codes(results: Any) -> NDArray[np.int64]:
    # One number for each row of points and bags.
    codes: NDArray[np.int64] = ((results[:, 0] * _BASE + results[:, 1]) * _BASE + results[:, 2]) * _BASE + results[:, 3]
    return codes


def _looked_up(known: Any, values: Any, asked: Any) -> NDArray[np.float64]:
    if not len(known):
        return np.zeros(len(asked))
    order = np.argsort(known, kind="stable")
    at = np.minimum(np.searchsorted(known[order], asked), len(known) - 1)
    return np.where(known[order][at] == asked, values[order][at], 0.0)
