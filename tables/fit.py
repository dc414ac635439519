"""`python -m tables fit WHAT`: the searches behind the constants in the code, each printed as a Markdown table.

`factor`: the price of a bag in the previous-bids factor. `rb`: RB's three nil ranks. `bis`: nil threshold and
offset (`bis:tuned`), the desperate nil's floor, spade honours. `srp`: what each piece of SRP is worth. `nil`:
success of nils after the bids 1, 3 at value .8 by who plays. Nothing is written: the constants stand in
`service.bidding.policies`, with their source.
"""

import argparse
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from service.bidding.auction import SEQUENCES, sequence_index
from service.bidding.cards import RANKS
from service.bidding.policies import Policy, parse_policy
from service.bidding.rules import PRESETS, Rules
from service.bidding.tableset import Tables, open_tables
from tables.curves import BINS, nil_rounds
from tables.factor import START, learn
from tables.family import Arrays, Chunk
from tables.game import SUMS
from tables.players.srp1.goals import ALL_PIECES, PIECE_NAMES
from tables.rb import FIT_RULES
from tables.selfplay import play_pairs, play_rounds
from tables.simulate import chairs, kernel_tables, seated, typed

PAPER = PRESETS["bis-paper"]


class Estimate(NamedTuple):
    """A mean with half its 95% interval."""

    mean: float
    half: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.half:.2f}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument("what", choices=sorted(SEARCHES))
    parser.add_argument("--pairs", type=int, default=4000, help="duplicate pairs a candidate")
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--jobs", type=int, default=2)


def main(arguments: argparse.Namespace) -> int:
    """Print the search's table."""
    opened = open_tables()
    print(f"tables {opened.version}, seed {arguments.seed}, {arguments.pairs} duplicate pairs a candidate\n")
    search = SEARCHES[arguments.what]
    print(search(kernel_tables(opened.arrays), arguments.pairs, arguments.seed, arguments.jobs))
    return 0


def win_rate(ts: tuple[Tables, ...], a: Policy, b: Policy, pairs: int, seed: int, rules: Rules = PAPER) -> Estimate:
    """Percent of games side a wins under SRP, from duplicate pairs."""
    scores = np.zeros((pairs, 2), np.int8)
    play_pairs(seed, 0, pairs, rules, chairs(a, b), seated("srp@1", "srp@1"), ts, scores, np.zeros(SUMS))
    by_pair = (scores.sum(axis=1) + 2) * 25.0
    return Estimate(float(by_pair.mean()), float(1.96 * by_pair.std() / np.sqrt(pairs)))


def points(
    ts: tuple[Tables, ...], pieces: int, pairs: int, seed: int, player: str = "srp@1", cost: Rules = FIT_RULES
) -> Estimate:
    """Points a round by which full SRP beats ``player`` with ``pieces``, both bidding `bis:endgame=off`."""
    difference = np.zeros((pairs, 2))
    bidder = parse_policy("bis:endgame=off")
    table = seated("srp@1", player, ALL_PIECES, pieces)
    play_rounds(seed, 0, pairs, cost, chairs(bidder, bidder), table, ts, difference, np.zeros(SUMS))
    by_pair = difference.mean(axis=1)
    return Estimate(float(by_pair.mean()), float(1.96 * by_pair.std() / np.sqrt(pairs)))


def ranked(
    ts: tuple[Tables, ...], texts: Iterable[str], against: str, pairs: int, seed: int, jobs: int, finals: int
) -> list[tuple[Estimate, str]]:
    """Candidates by win rate against ``against``; the best ``finals`` again, on other deals and 5 times as many.

    The finals' deals are new, so that the winner of many is not overrated.
    """
    opponent = parse_policy(against)

    def measure(text: str, pairs: int, seed: int) -> tuple[Estimate, str]:
        return win_rate(ts, parse_policy(text), opponent, pairs, seed), text

    with ThreadPoolExecutor(jobs) as pool:
        first = sorted(pool.map(lambda text: measure(text, pairs, seed), texts), reverse=True)
        return sorted(pool.map(lambda row: measure(row[1], 5 * pairs, seed + 1), first[:finals]), reverse=True)


def table(head: str, rows: Iterable[tuple[object, ...]]) -> str:
    """A Markdown table; the head's cells are parted by bars."""
    columns = head.count("|") + 1
    lines = [f"| {head} |", "|" + "---|" * columns]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def fit_rb(ts: tuple[Tables, ...], pairs: int, seed: int, jobs: int) -> str:
    """RB's nil ranks X, Y, Z by win rate against BIS at 200/-100."""
    grid = [
        f"rb:nil={RANKS[x]}-{RANKS[y]}-{RANKS[z]}"
        for x in range(3, 10)
        for y in range(x + 1, min(x + 5, 12))
        for z in range(y + 1, min(y + 5, 13))
    ]
    rows = ranked(ts, grid, "bis", pairs, seed, jobs, 10)
    rows.append((win_rate(ts, parse_policy("rb:nil=5-8-T"), parse_policy("bis"), 5 * pairs, seed + 1), "rb:nil=5-8-T"))
    return table(f"RB (best of {len(grid)}) | win rate against bis, %", [(text, rate) for rate, text in rows])


def fit_bis(ts: tuple[Tables, ...], pairs: int, seed: int, jobs: int) -> str:
    """BIS's options by win rate against `bis` at 200/-100."""
    grid = [f"bis:nil_threshold={th},offset={o}" for th in range(-15, 30, 3) for o in (0, 0.05, 0.1, 0.15, 0.2, 0.25)]
    single = [f"bis:nil_floor={floor}" for floor in (0, 0.1, 0.2, 0.4, 0.5, 0.6)]
    single += ["bis:spade_honours=allow", "bis:factor=off", "bis:factor=off,offset=-0.4"]
    rows = ranked(ts, grid, "bis", pairs, seed, jobs, 8) + ranked(ts, single, "bis", pairs, seed, jobs, len(single))
    return table("BIS | win rate against bis, %", [(text, rate) for rate, text in rows])


def fit_factor(ts: tuple[Tables, ...], pairs: int, seed: int, jobs: int) -> str:
    """The previous-bids factor learned at several prices of a bag, against the best constant; nils off."""
    inputs = dict(open_tables().arrays)
    numbers, constant = parse_policy("bis:nils=off,endgame=off"), parse_policy("bis:nils=off,endgame=off,factor=off")
    rivals = constant._replace(offset=START)

    def run(name: str, n_chunks: int, chunk: Chunk) -> Arrays:
        seeds = np.random.default_rng([seed, zlib.crc32(name.encode())]).integers(0, 2**31, n_chunks)
        with ThreadPoolExecutor(jobs) as pool:
            parts = list(pool.map(chunk, range(n_chunks), map(int, seeds)))
        return {key: np.sum([part[key] for part in parts], axis=0) for key in parts[0]}

    rows: list[tuple[object, ...]] = []
    for cost in (0, 3, 6, 10, 14):
        rules = Rules(bag_limit=1, bag_penalty=cost)
        ours = kernel_tables({**inputs, "factor": learn(inputs, rules, 12 * pairs, run)})
        short = win_rate(ours, numbers, rivals, 5 * pairs, seed)
        rows.append((cost, short, win_rate(ours, numbers, rivals, 5 * pairs, seed, PRESETS["classic"])))
    return table("price of a bag | factor against constant -0.4, 200/-100 | 500", rows)


def fit_srp(ts: tuple[Tables, ...], pairs: int, seed: int, jobs: int) -> str:
    """What each piece of SRP is worth, points a round against SRP without it, and against WRP."""
    tries = [(name, ALL_PIECES ^ 1 << i, "srp@1") for i, name in enumerate(PIECE_NAMES)]
    tries.append(("all (against WRP)", ALL_PIECES, "wrp"))
    with ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda x: points(ts, x[1], 10 * pairs, seed, x[2]), tries)
        rows = [(name, estimate) for (name, _, _), estimate in zip(tries, found, strict=True)]
    return table("piece | points a round it is worth", rows)


def fit_nil(ts: tuple[Tables, ...], pairs: int, seed: int, jobs: int) -> str:
    """Nils made, percent, in third seat after (1, 3) at values .75 to .85, by who plays; and over all nils."""
    cast: dict[str, tuple[str, str]] = {
        "SRP all": ("srp@1", "srp@1"),
        "SRP, partner WRP": ("wrp", "srp@1"),
        "SRP, opponents WRP": ("srp@1", "wrp"),
        "SRP, all others WRP": ("wrp", "wrp"),
    }
    row = sequence_index(2, 1, 3, -1)

    def measure(name: str) -> tuple[object, ...]:
        partner, opponents = cast[name]
        players = np.array([seated(p, p)[0] for p in ("srp@1", opponents, partner, opponents)])
        counts = np.zeros((SEQUENCES, BINS, 2), np.int32)
        policy = typed(parse_policy("bis:endgame=off"))
        cnil = np.array(open_tables().arrays["cnil"])
        readings = np.zeros((3, BINS, 2), np.int64)
        nil_rounds(seed, 0, 500 * pairs, Rules(), policy, players, ts, 1, cnil, counts, readings)
        n, made = counts[row, 75:85].sum(axis=0)
        good = counts[:, 40:].sum(axis=(0, 1))
        return name, f"{100 * made / max(n, 1):.1f} of {n}", f"{100 * good[1] / good[0]:.1f}"

    with ThreadPoolExecutor(jobs) as pool:
        rows = list(pool.map(measure, cast))
    return table("players | made after 1, 3 at value .75-.85, % | made at value over .4, %", rows)


SEARCHES: dict[str, Callable[[tuple[Tables, ...], int, int, int], str]] = {
    "factor": fit_factor,
    "rb": fit_rb,
    "bis": fit_bis,
    "srp": fit_srp,
    "nil": fit_nil,
}
