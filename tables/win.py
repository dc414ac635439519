"""Win probability by score and bags: value iteration over scores.

A policy plays rounds at random scores. Positions are grouped into buckets by how many points each side still needs.
Only the points (without bags) and the bags of both sides are kept. Value iteration then updates, for every score, the
probability that the side that bids first wins, until no cell changes by RESIDUAL or more.

`win` has the games of SHIPPED_SLICES, on which the net is trained, from rounds of FIRST. `extra_win` has games that the
net was not trained on: MORE, and a studio's own. `python -m tables build --rules five-bags:win=200,lose=-100` adds one,
and a later build keeps it. The net also serves these games, because its inputs describe a game only by its goals, its
bags and the values of its outcomes. Their tables are made twice: FIRST bids in the first rounds. With these tables
SECOND bids in the second rounds, from which the tables come that ship: so they value scores for the bidder that uses
them. The array `games` says where the table of each of them is.

If the points of a penalty or a nil are no whole number of tens, exact rows cover fewer than ten points. Where these
would be too many, the table has rows of ten points; see `parts_of`.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from arena.engine.deal import Deals
from arena.engine.jit import entry
from arena.engine.rounds import Batch
from arena.engine.simulate import kernel_tables, policy_rows
from arena.errors import BuildError
from spades.errors import RulesError
from spades.policies import parse_policy
from spades.rules import CLASSIC, PRESETS, Rules, make_rules, overrides_of
from spades.scoring import START, effective_bag_rules, game_winner
from spades.tables import Tables
from spades.winprob import (
    GOAL_WIDTHS,
    KEY_FIELDS,
    LONGEST_GOAL,
    LOSING_GOAL,
    ROW_POINTS,
    SHIPPED,
    SHIPPED_SLICES,
    SLICE_COLUMNS,
    WIN_SCALE,
    WinTableSlice,
    cells_of,
    game_of,
    key_of,
    win_probability,
    win_slice_of,
    win_slices_of,
)
from tables.counts import SelfPlay, chunk_seed, dealt, self_play_of, tables_with_first_net
from tables.run.family import Context

# Lower edge of each bucket, in points to the goal. A bucket ends before the next edge.
EDGES = np.array([*range(1, 102, 10), 116, 131, 151, 171, 201, 231, 261, 400])
BUCKETS = len(EDGES) - 1
KEPT = 512  # most frequent outcomes of a bucket; a rarer outcome is added to the nearest kept outcome
FIRST = "bis:tuned"  # bidder of the rounds of `win`, and of the first rounds of `extra_win`
SECOND = "winprob"  # bidder of the second rounds
RESIDUAL = 1e-4
MOST_SWEEPS = 200
NO_PENALTY = 10**6  # a bag limit that no round reaches
START_SLOPE = 1 / 150  # first guess of the value: logit of the win probability = START_SLOPE x lead in points
NO_BAGS = PRESETS["no-bags"]
NIL_50 = CLASSIC._replace(nil_points=50)
NARROW = (300, 450, 600)  # widths of the tables with bags and a losing goal
Overrides = dict[str, Any]  # fields that differ from classic's rules, as in a request
N = TypeVar("N", bound=np.generic)


def _sweep(value: Any, win_slice: WinTableSlice, rules: Rules, found: Any, share: Any, buckets: Any) -> float:
    # Update value in place, from high scores to low, and return the largest change. value: float64 (size, size, bags,
    # bags). The outcomes are found (BUCKETS, BUCKETS, K, 4), with points in rows, and share (BUCKETS, BUCKETS, K).
    # buckets: bucket by points to the goal.
    size, limit, floor, unit = win_slice.size, win_slice.bags, win_slice.floor, win_slice.unit
    # Rows by which a score moves when the bag counter wraps and the penalty is paid.
    carry = (limit - rules.bag_penalty) // unit
    most = 0.0
    for total in range(2 * size - 2, -1, -1):
        for i in range(max(0, total - size + 1), min(size, total + 1)):
            j = total - i
            for b in range(limit):
                us = unit * (i + floor) + b
                for c in range(limit):
                    them = unit * (j + floor) + c
                    if us <= rules.lose or them <= rules.lose or us >= rules.win or them >= rules.win:
                        continue
                    here = found[buckets[rules.win - us], buckets[rules.win - them]]
                    chance = share[buckets[rules.win - us], buckets[rules.win - them]]
                    new = 0.0
                    for k in range(here.shape[0]):
                        if chance[k] == 0.0:
                            break
                        our_row = i + here[k, 0]
                        their_row = j + here[k, 2]
                        our_bags = b + here[k, 1]
                        their_bags = c + here[k, 3]
                        while our_bags >= limit:
                            our_bags -= limit
                            our_row += carry
                        while their_bags >= limit:
                            their_bags -= limit
                            their_row += carry
                        winner = game_winner(
                            unit * (our_row + floor) + our_bags, unit * (their_row + floor) + their_bags, rules
                        )
                        if winner != 0:
                            new += chance[k] if winner > 0 else 0.0
                        else:
                            our_row = min(max(our_row, 0), size - 1)
                            their_row = min(max(their_row, 0), size - 1)
                            new += chance[k] * (1.0 - value[their_row, our_row, their_bags, our_bags])
                    most = max(most, abs(new - value[i, j, b, c]))
                    value[i, j, b, c] = new
    return most


sweep = entry(_sweep)


def bucket_of_distance(most: int) -> NDArray[np.int64]:
    """Return int64 (most + 1,): the bucket of each distance to the goal, in points."""
    return np.clip(np.searchsorted(EDGES, np.arange(most + 1), side="right") - 1, 0, BUCKETS - 1).astype(np.int64)


def kept_outcomes(out: NDArray[np.int64]) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """Return the KEPT most frequent rows of ``out`` (n, 4), and their shares; see `most_frequent`."""
    rows, times = np.unique(out, axis=0, return_counts=True)
    return most_frequent(rows, times.astype(np.float64))


def most_frequent(rows: NDArray[np.int64], times: NDArray[Any]) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """Return the KEPT most frequent of different ``rows`` (n, 4), and their shares; ``times`` is how often each occurs.

    A rarer row is added to the nearest kept row.
    """
    order = np.argsort(-times, kind="stable")
    rows, times = rows[order], times[order]
    kept = rows[:KEPT]
    for row, n in zip(rows[KEPT:], times[KEPT:], strict=True):
        times[int(np.abs(kept - row).sum(axis=1).argmin())] += n
    found = np.zeros((KEPT, 4), np.int16)
    share = np.zeros(KEPT)
    found[: len(kept)] = kept
    share[: len(kept)] = times[:KEPT] / times[:KEPT].sum()
    return found, share


def solve(
    rules: Rules, win_slice: WinTableSlice, found: NDArray[Any], share: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float, int]:
    """Return a game's table (size, size, bags, bags), the largest change of its last sweep, and the number of sweeps.

    ``found`` and ``share``: the results of `bucket_outcomes` for all buckets, reshaped by `by_both_sides`. Raises
    `BuildError` if the table does not converge.
    """
    size, bags, unit = win_slice.size, win_slice.bags, win_slice.unit
    ahead = np.subtract.outer(np.arange(size), np.arange(size)) * unit * START_SLOPE
    value = np.array(np.broadcast_to((1 / (1 + np.exp(-ahead)))[:, :, None, None], (size, size, bags, bags)), order="C")
    buckets = bucket_of_distance(rules.win - unit * win_slice.floor + unit)
    change = 1.0
    for sweeps in range(1, MOST_SWEEPS + 1):
        change = float(sweep(value, win_slice, rules, found.astype(np.int64), share, buckets))
        if change < RESIDUAL:
            return value, change, sweeps
    raise BuildError(f"win: change is {change:g} after {MOST_SWEEPS} sweeps; accepted: less than {RESIDUAL:g}")


def points_and_bags(batch: Batch) -> NDArray[np.int64]:
    """Score a batch that was played; return points without bags, and bags, of this round alone, by seat (n, 4, 2)."""
    batch.rounds["bags"] = 0
    batch.score(rules=batch.rules._replace(bag_limit=NO_PENALTY))
    points, bags = (batch.rounds[field].astype(np.int64) for field in ("points", "bags_after"))
    return np.stack([points - bags, bags], axis=2)


def bucket_outcomes(
    bucket: int, seed: int, n: int, self_play: SelfPlay, unit: int
) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """Play ``n`` rounds of ``self_play`` in one of BUCKETS * BUCKETS buckets; return the outcomes and their shares.

    Shapes: int16 (KEPT, 4), with points in rows of ``unit`` points, and float64 (KEPT,).
    """
    rules = self_play.rules
    i, j = divmod(bucket, BUCKETS)
    near, width = EDGES[[i, j]], EDGES[[i + 1, j + 1]] - EDGES[[i, j]]
    parts = []
    for batch in dealt(self_play, Deals(chunk_seed(seed), 0, n)):
        drawn = batch.draw(*width.tolist(), rules.bag_limit, rules.bag_limit)
        scores = rules.win - near - drawn[:, :2]
        batch.set_scores(np.stack([scores[:, 0], drawn[:, 2], scores[:, 1], drawn[:, 3]], axis=1))
        batch.bid(policy_rows([self_play.policy]), self_play.profiles)
        batch.exchange()
        batch.play()
        parts.append(points_and_bags(batch)[:, :2].reshape(-1, 4))
    out = np.concatenate(parts)
    out[:, (0, 2)] //= unit  # all points are multiples of the unit
    return kept_outcomes(out)


def make_win_tables(
    ctx: Context, games: Mapping[Rules, WinTableSlice], n: int, profiles: tuple[Tables, ...], policy: str = FIRST
) -> NDArray[np.uint16]:
    """Make the win tables of ``games`` and write each at its position in the array.

    ``n``: rounds per bucket. ``policy`` bids in them. The result of a round depends on the points still needed, not on
    the goals. So games that differ only in their goals share their rounds.
    """
    cells = np.zeros(sum(map(cells_of, games.values())), np.uint16)
    alike: dict[tuple[Rules, int], list[Rules]] = {}
    for rules, place in games.items():
        alike.setdefault((rules._replace(win=Rules().win, lose=Rules().lose), place.unit), []).append(rules)
    residuals: list[float] = []
    prefix = "" if policy == FIRST else f"{policy}-"  # prefix of chunk names
    for (rules, unit), group in alike.items():
        name = ",".join(f"{field}={value}" for field, value in overrides_of(rules).items()) or "classic"
        self_play = self_play_of(rules, parse_policy(policy, rules.variant), profiles)

        def play(index: int, seed: int, self_play: SelfPlay = self_play, unit: int = unit) -> Arrays:
            found, share = bucket_outcomes(index, seed, n, self_play, unit)
            return {"found": found[None], "share": share[None]}

        played = ctx.gathered(f"{prefix}rounds-{name}", BUCKETS * BUCKETS, play)
        found, share = by_both_sides(played["found"]), by_both_sides(played["share"])

        def solve_one(index: int, _: int, group: Any = group, found: Any = found, share: Any = share) -> Arrays:
            value, change, _sweeps = solve(group[index], games[group[index]], found, share)
            return {"cells": np.round(value.ravel() * WIN_SCALE).astype(np.uint16), "residual": np.array([change])}

        made = ctx.gathered(f"{prefix}games-{name}", len(group), solve_one)
        at = 0
        for member in group:
            place = games[member]
            size = cells_of(place)
            cells[place.start : place.start + size] = made["cells"][at : at + size]
            at += size
        residuals.extend(made["residual"])
    ctx.figure("residual", max(residuals))
    return cells


def by_both_sides(rows: NDArray[N]) -> NDArray[N]:
    """Split the first axis (BUCKETS * BUCKETS) into two axes: our bucket and their bucket."""
    return rows.reshape(BUCKETS, BUCKETS, *rows.shape[1:])


def win(ctx: Context) -> Arrays:
    """Make `win`."""
    cells = make_win_tables(ctx, SHIPPED_SLICES, ctx.size("rounds_per_bucket"), kernel_tables(ctx.inputs))
    for goal, lose in ((200, -100), (500, -200)):
        nearest = SHIPPED.nearest(Rules(win=goal, lose=lose))
        assert nearest is not None, "a partnership's game"
        ctx.figure(f"first_bidder_wins_{goal}_{-lose}", win_probability(START, nearest.win_slice, cells))
    return {"win": cells}


def _more_games() -> list[Rules]:
    """Return the games of MORE: nil points that the presets do not have at these goals.

    Without bags, where tables are small, they are at every width of `GOAL_WIDTHS`.
    """
    widths = {NO_BAGS._replace(nil_points=points): GOAL_WIDTHS for points in (50, 200)} | {NIL_50: NARROW}
    return [
        *(rules._replace(win=LONGEST_GOAL) for rules in widths),
        *(rules._replace(win=width + LOSING_GOAL, lose=LOSING_GOAL) for rules, own in widths.items() for width in own),
    ]


def rules_of_text(text: str) -> Rules:
    """Return the rules of ``text``: a preset, with changed fields as in `no-bags:win=200,lose=-200`; values are JSON.

    Raises `BuildError`.
    """
    preset, _, rest = text.partition(":")
    overrides: dict[str, object] = {}
    for part in rest.split(",") if rest else ():
        field, equals, value = part.partition("=")
        if not equals:
            raise BuildError(f"--rules {text}: found {part!r}; accepted: FIELD=VALUE such as win=200")
        try:
            overrides[field] = json.loads(value)
        except ValueError:
            overrides[field] = value  # a word such as failed_nil_tricks=contract
    try:
        rules = make_rules(preset, overrides)
        if not _ships(rules):
            parts_of(rules)
    except (RulesError, ValueError) as error:
        raise BuildError(f"--rules {text}: {error}") from error
    return rules


def parts_of(rules: Rules) -> dict[Rules, float]:
    """Return the games whose win tables make that of ``rules``, and the share of each; the shares sum to 1.

    Usually this is the game itself. If its exact table has too many rows, the table has rows of ten points. Then the
    points of a penalty and of a nil are rounded down and up to tens. A table is made for each combination, and the
    result is their weighted mean: a nearer multiple of ten weighs more. Raises `ValueError` if the rules cannot have a
    win table.
    """
    parts = tens_around(rules)
    try:
        win_slice_of(rules, 0)
        return {rules: 1.0}
    except ValueError:
        if len(parts) == 1:
            raise
    for part in parts:
        win_slice_of(part, 0)  # raises ValueError if the part cannot have a table
    return parts


def tens_around(rules: Rules) -> dict[Rules, float]:
    """Return ``rules`` with the tens around the points of a penalty and of a nil, and the share of each in the mean."""
    limit, penalty = effective_bag_rules(rules)
    bags = {"bag_penalty": penalty - limit} if rules.bags else {}
    parts = {rules: 1.0}
    for field, points in {**bags, "nil_points": rules.nil_points}.items():
        below, more = divmod(points, ROW_POINTS)
        shares = {below: 1 - more / ROW_POINTS, below + 1: more / ROW_POINTS}
        of_bags = limit if field in bags else 0
        parts = {
            part._replace(**{field: ROW_POINTS * tens + of_bags}): share * of_tens
            for part, share in parts.items()
            for tens, of_tens in shares.items()
            if of_tens
        }
    return parts


def game_overrides(rules: Rules) -> Overrides:
    """Return the fields in which the game of ``rules`` differs from preset `classic`, as in a request.

    Fields that change no win table are left out.
    """
    return overrides_of(game_of(rules))


def games_parameters(own: Mapping[str, object], built: Mapping[str, object], rules: Iterable[str]) -> dict[str, object]:
    """Return the parameters of family `games`: ``own``, with the games in ``built`` and those of ``rules`` too.

    ``built``: the parameters in the manifest, empty if there are none; ``rules``: see `rules_of_text`.
    """
    before: Any = built.get("games", ())
    return {**own, "games": _in_order((*MORE, *before, *(game_overrides(rules_of_text(text)) for text in rules)))}


def _in_order(games: Iterable[Overrides]) -> list[Overrides]:
    """Return each of ``games`` once, without those that ship, in an order that does not depend on theirs."""
    wanted = {json.dumps(game, sort_keys=True): game for game in games}
    return [wanted[text] for text in sorted(wanted) if not _ships(make_rules("classic", wanted[text]))]


def _ships(rules: Rules) -> bool:
    """Return whether a shipped win table values the game of ``rules`` exactly."""
    nearest = SHIPPED.nearest(rules)
    return nearest is not None and not nearest.instead


def games(ctx: Context) -> Arrays:
    """Make `extra_win` and `games`."""
    found: Any = ctx.family.parameters["games"]
    if not found:  # neither array may be empty
        return {"extra_win": np.zeros(1, np.uint16), "games": np.zeros((1, len(KEY_FIELDS) + SLICE_COLUMNS), np.int64)}
    games = {rules: parts_of(rules) for rules in (make_rules("classic", game) for game in found)}
    solved = win_slices_of(dict.fromkeys(part for parts in games.values() for part in parts), extra=1)
    first = make_win_tables(ctx, solved, ctx.size("first_rounds_per_bucket"), tables_with_first_net(ctx.inputs), FIRST)
    rows = [(*key_of(part), *place[:SLICE_COLUMNS]) for part, place in solved.items()]
    valued = tables_with_first_net({**ctx.inputs, "extra_win": first, "games": np.array(rows, np.int64)})
    cells = make_win_tables(ctx, solved, ctx.size("rounds_per_bucket"), valued, SECOND)
    rows, tables, start = [], [], 0
    for rules, parts in games.items():
        place = solved[next(iter(parts))]._replace(start=start)  # those of all parts have the same shape
        start += cells_of(place)
        rows.append((*key_of(rules), *place[:SLICE_COLUMNS]))
        tables.append(mean_cells({solved[part]: share for part, share in parts.items()}, cells))
    return {"extra_win": np.concatenate(tables), "games": np.array(rows, np.int64)}


def mean_cells(shares: Mapping[WinTableSlice, float], cells: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Return the mean of tables in ``cells``, weighted with their shares; they have the same shape."""
    mean = sum(share * cells[place.start : place.start + cells_of(place)] for place, share in shares.items())
    return np.round(mean).astype(np.uint16)


MORE = _in_order(map(game_overrides, _more_games()))
