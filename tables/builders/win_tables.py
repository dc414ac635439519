"""Win probability by score and bags: value iteration over scores, for every game in SHIPPED_SLICES.

POLICY plays rounds at random scores. Positions are grouped into buckets by how many points each side still needs. Only
the points (without bags) and the bags of both sides are kept. Value iteration then updates, for every score, the
probability that the side that bids first wins, until no cell changes by RESIDUAL or more. The tables go to the array
`win`. `tables.builders.extra_win_tables` does this in two steps for other games: a second run uses `winprob` as the
bidder.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from arena.engine.deal import Deals, below, deal_round, prepare_state, seat_players
from arena.engine.game import Lineup, bid_seat, play_out, score_of_side
from arena.engine.jit import entry, round_loop
from arena.engine.simulate import kernel_tables, player_rows, policies_by_chair, tables_for
from arena.errors import BuildError
from arena.players.names import TABLES_PLAYER
from spades.play import PlayState, write_rules
from spades.policies import parse_policy
from spades.rules import Rules, overrides_of
from spades.scoring import START, game_winner
from spades.tables import Tables
from spades.winprob import SHIPPED, SHIPPED_SLICES, WIN_SCALE, WinTableSlice, win_probability
from spades.winprob import cells_of as count_cells
from tables.builders.jokers import EXACT_OF_JJDD, EXACT_OF_JOKERS
from tables.run.family import Context, Family

# Lower edge of each bucket, in points to the goal. A bucket ends before the next edge.
EDGES = np.array([*range(1, 102, 10), 116, 131, 151, 171, 201, 231, 261, 400])
BUCKETS = len(EDGES) - 1
KEPT = 512  # most frequent outcomes of a bucket; a rarer outcome is added to the nearest kept outcome
POLICY = "bis:tuned"
RESIDUAL = 1e-4
MOST_SWEEPS = 200
NO_PENALTY = 10**6  # a bag limit that no round reaches
START_SLOPE = 1 / 150  # first guess of the value: logit of the win probability = START_SLOPE x lead in points
N = TypeVar("N", bound=np.generic)


def _outcomes(
    states: list[PlayState],
    deals: Deals,
    rules: Rules,
    free: Rules,
    lineup: Lineup,
    profiles: Any,
    distance: Any,
    out: Any,
) -> None:
    # free: the rules without a bag penalty. distance (2, 2): for each side, the bucket's lower edge and the next
    # bucket's lower edge. out (n, 4): points without bags, and bags, by side.
    state = prepare_state(states, rules)
    write_rules(state, rules)
    for number in range(deals.first, deals.last):
        deal_round(state, deals.seed, number, 0)
        state.score[0] = rules.win - distance[0, 0] - below(state, distance[0, 1] - distance[0, 0])
        state.score[1] = rules.win - distance[1, 0] - below(state, distance[1, 1] - distance[1, 0])
        state.bags[0] = below(state, rules.bag_limit)
        state.bags[1] = below(state, rules.bag_limit)
        seat_players(state, lineup.players)
        for seat in range(4):
            state.bid[seat] = bid_seat(state, seat, rules, lineup.policies[seat], profiles)
        play_out(state)
        for side in range(2):
            points, bags = score_of_side(state, side, 0, free)
            out[number - deals.first, 2 * side] = points - bags
            out[number - deals.first, 2 * side + 1] = bags


outcomes = round_loop(_outcomes)


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


def bucket_outcomes(
    bucket: int, seed: int, n: int, rules: Rules, unit: int, profiles: tuple[Tables, ...], policy_text: str = POLICY
) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """Play ``n`` rounds under ``rules`` in one of BUCKETS * BUCKETS buckets; return the outcomes and their shares.

    All four seats bid by ``policy_text``. Shapes: int16 (KEPT, 4), with points in rows of ``unit`` points, and float64
    (KEPT,).
    """
    policy = parse_policy(policy_text, rules.variant)
    lineup = Lineup(policies_by_chair(policy, policy), player_rows(TABLES_PLAYER, TABLES_PLAYER))
    free = rules._replace(bag_limit=NO_PENALTY)
    i, j = divmod(bucket, BUCKETS)
    out = np.zeros((n, 4), np.int64)
    distance = np.array([EDGES[i : i + 2], EDGES[j : j + 2]])
    used = tables_for(profiles, rules, [policy])
    outcomes(seed & 0x7FFFFFFF, 0, n, rules, free, lineup, used, distance, out)
    out[:, (0, 2)] //= unit  # all points are multiples of the unit
    return kept_outcomes(out)


def make_win_tables(
    ctx: Context, games: Mapping[Rules, WinTableSlice], n: int, profiles: tuple[Tables, ...], policy: str = POLICY
) -> NDArray[np.uint16]:
    """Make the win tables of ``games`` and write each at its position in the array.

    ``n``: rounds per bucket. ``policy`` bids in them. The result of a round depends on the points still needed, not on
    the goals. So games that differ only in their goals share their rounds.
    """
    cells = np.zeros(sum(map(count_cells, games.values())), np.uint16)
    alike: dict[tuple[Rules, int], list[Rules]] = {}
    for rules, place in games.items():
        alike.setdefault((rules._replace(win=Rules().win, lose=Rules().lose), place.unit), []).append(rules)
    residuals: list[float] = []
    prefix = "" if policy == POLICY else f"{policy}-"  # prefix of chunk names
    for (rules, unit), group in alike.items():
        name = ",".join(f"{field}={value}" for field, value in overrides_of(rules).items()) or "classic"

        def play(index: int, seed: int, rules: Rules = rules, unit: int = unit) -> Arrays:
            found, share = bucket_outcomes(index, seed, n, rules, unit, profiles, policy)
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
            size = count_cells(place)
            cells[place.start : place.start + size] = made["cells"][at : at + size]
            at += size
        residuals.extend(made["residual"])
    ctx.figure("residual", max(residuals))
    return cells


def by_both_sides(rows: NDArray[N]) -> NDArray[N]:
    """Split the first axis (BUCKETS * BUCKETS) into two axes: our bucket and their bucket."""
    return rows.reshape(BUCKETS, BUCKETS, *rows.shape[1:])


def _make(ctx: Context) -> Arrays:
    cells = make_win_tables(ctx, SHIPPED_SLICES, ctx.size("rounds_per_bucket"), kernel_tables(ctx.inputs))
    for win, lose in ((200, -100), (500, -200)):
        nearest = SHIPPED.nearest(Rules(win=win, lose=lose))
        assert nearest is not None, "a partnership's game"
        ctx.figure(f"first_bidder_wins_{win}_{-lose}", win_probability(START, nearest.win_slice, cells))
    return {"win": cells}


# What rounds of `bis:tuned` need, in all variants that have win tables.
DEPENDS = (
    *("p_length", "cnil", "side", "spades", "ruffs", "factor", "curves", "means"),
    *("pass2_curves", "pass2_means", "pass4_curves", "pass4_means"),
    *("whiz_curves", "whiz_means", "suicide_factor", "suicide_curves", "suicide_means"),
    *(name for suits in (EXACT_OF_JOKERS, EXACT_OF_JJDD) for name in (family.name for family in suits)),
    *(f"{deck}_{made}" for deck in ("jokers", "jjdd") for made in ("factor", "curves", "means")),
)
FAMILIES = (
    Family(
        name="win",
        generator=3,
        make=_make,
        axes={"win": ("cells of one game after the other: tens of points, then bags, of both sides",)},
        parameters={
            "policy": POLICY,
            "player": TABLES_PLAYER,
            "kept": KEPT,
            "residual": RESIDUAL,
            "games": [[overrides_of(rules), *place[:3]] for rules, place in SHIPPED_SLICES.items()],
        },
        sizes={"rounds_per_bucket": 20_000},
        depends=DEPENDS,
    ),
)
