"""Time a decision in the service's plain Python and play in compiled code: `python -m tests.bench.decisions`.

`make bench` runs it. It prints medians of several interleaved runs. Absolute times vary on shared machines; ratios are
stable. It tests nothing. Positions and deals depend on the seed alone.
"""

import argparse
import platform
import random
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from arena.engine.deal import Deals
from arena.engine.jit import entry
from arena.engine.simulate import kernel_tables, player_rows, policies_by_chair, tables_for
from arena.engine.winprob import BIDS, winprob_bid
from arena.games import Lineup, play_pairs, play_rounds
from arena.markdown import table
from spades.arguments import integer
from spades.bidder import decide
from spades.cards import DECK, cards_of
from spades.options import Policy
from spades.policies import SERVED, parse_policy
from spades.position import Position, allowed_at_turn, read_auction
from spades.rules import PRESETS, Rules
from spades.scoring import Standing
from spades.tableset import open_tables

POSITIONS = 2000
ROUNDS = 50_000
PAIRS = 10_000
LAST_ROUNDS = "decide bis with explanation, both sides near the goal"


def main() -> None:
    """Print the times as a Markdown table."""
    parser = argparse.ArgumentParser(description="Time decisions and compiled play.")
    parser.add_argument("--runs", type=integer, default=5, help="interleaved runs (default %(default)s)")
    parser.add_argument("--seed", type=integer, default=1, help="seed of positions and deals (default %(default)s)")
    arguments = parser.parse_args()
    tables = open_tables()
    print(f"Python {platform.python_version()}, tables {tables.version}, {arguments.runs} interleaved runs, medians\n")
    positions = random_positions(POSITIONS, arguments.seed)
    close = [
        position._replace(standing=position.standing._replace(us=400 + i % 90, them=410 + i % 80))
        for i, position in enumerate(positions)
    ]
    decisions: dict[str, Callable[[Position], object]] = {}
    for text in SERVED:
        policy = parse_policy(text)
        decisions[f"decide {text} with explanation"] = partial(decide, policy=policy, tables=tables)
        decisions[f"decide {text} without"] = partial(decide, policy=policy, tables=tables, explain=False)
    figures: dict[str, list[float]] = {name: [] for name in (*decisions, LAST_ROUNDS)}
    for _ in range(arguments.runs):
        for name, decision in decisions.items():
            figures[name].append(median_us(decision, positions))
        figures[LAST_ROUNDS].append(median_us(decisions["decide bis with explanation"], close))
    rows = [
        (f"{name}, in-process, plain Python", f"{statistics.median(values):.1f}", "us")
        for name, values in figures.items()
    ]
    rows.append(("decide winprob, compiled", f"{compiled_us(positions, arguments.runs):.1f}", "us"))
    rows += [(name, f"{rate:,.0f}", "/s") for name, rate in compiled_rates(arguments.runs, arguments.seed).items()]
    print(table("measured | median | unit", rows))


def random_positions(count: int, seed: int) -> list[Position]:
    """Return random hands in all seats at random scores, with random previous bids, under preset `classic`."""
    draw = random.Random(seed)
    deck = cards_of(DECK)
    return [
        Position(
            hand=sum(1 << card for card in draw.sample(deck, 13)),
            bids=tuple(draw.choice((0, 1, 2, 2, 3, 3, 3, 4, 4, 5)) for _ in range(seat & 3)),
            standing=Standing(
                draw.randrange(-100, 480), draw.randrange(-100, 480), draw.randrange(10), draw.randrange(10)
            ),
            rules=PRESETS["classic"],
        )
        for seat in range(count)
    ]


def median_us(decision: Callable[[Position], object], positions: list[Position]) -> float:
    """Return the median time of one decision in microseconds, minus the time of reading the clock."""
    times, empty = [], []
    for position in positions:
        start = time.perf_counter_ns()
        decision(position)
        times.append(time.perf_counter_ns() - start)
        start = time.perf_counter_ns()
        empty.append(time.perf_counter_ns() - start)
    return (statistics.median(times) - statistics.median(empty)) / 1000


def _decide_all(where: Any, rules: Rules, policy: Policy, tables: Any, net: Any) -> None:
    # where, int64 (n, 9): hand, seat, three bids, two scores, two bags
    p_win = np.zeros(BIDS)
    for n in range(len(where)):
        hand, auction = where[n, 0], read_auction(where[n, 1], where[n, 2], where[n, 3], where[n, 4])
        standing = Standing(where[n, 5], where[n, 6], where[n, 7], where[n, 8])
        allowed = allowed_at_turn(hand, auction, rules)
        winprob_bid(hand, auction, standing, allowed, rules, policy, tables, net, p_win)


decide_all = entry(_decide_all)


def compiled_us(positions: list[Position], runs: int) -> float:
    """Return the microseconds of one compiled `winprob` decision, the median of several runs."""
    where = np.array([(at.hand, len(at.bids), *(*at.bids, -1, -1, -1)[:3], *at.standing) for at in positions], np.int64)
    policy, rules = parse_policy("winprob"), positions[0].rules
    net = tables_for(kernel_tables(open_tables().arrays), rules, [policy])
    decide_all(where[:1], rules, policy, net.rows[0], net)  # compile before the clock starts
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        decide_all(where, rules, policy, net.rows[0], net)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds) / len(positions) * 1e6


def compiled_rates(runs: int, seed: int) -> dict[str, float]:
    """Return units per second by name: full rounds with four SRP or four WRP, and games of bis against rb.

    The games run on one thread and on two.
    """
    bis = parse_policy("bis")
    policies = policies_by_chair(bis, parse_policy("rb"))
    profiles = tables_for(kernel_tables(open_tables().arrays), PRESETS["classic"], policies)

    def rounds(player: str, count: int) -> None:
        play_rounds(Deals(seed, 0, count), PRESETS["classic"], Lineup(policies, player_rows(player, player)), profiles)

    def games(first: int, last: int) -> None:
        play_pairs(
            Deals(seed, first, last), PRESETS["bis-paper"], Lineup(policies, player_rows("srp", "srp")), profiles
        )

    def in_two() -> None:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(games, (0, PAIRS // 2), (PAIRS // 2, PAIRS)))

    rounds("srp", 1)
    games(0, 1)  # compile before the clock starts
    work: dict[str, tuple[Callable[[], None], int]] = {
        "full rounds, SRP x4, one thread": (lambda: rounds("srp", ROUNDS), 2 * ROUNDS),
        "full rounds, WRP x4, one thread": (lambda: rounds("wrp", ROUNDS), 2 * ROUNDS),
        "games bis v. rb under SRP at 200/-100, one thread": (lambda: games(0, PAIRS), 2 * PAIRS),
        "games bis v. rb under SRP at 200/-100, two threads": (in_two, 2 * PAIRS),
    }
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(runs):
        for name, (run, _count) in work.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return {name: count / statistics.median(seconds[name]) for name, (_run, count) in work.items()}


if __name__ == "__main__":
    main()
