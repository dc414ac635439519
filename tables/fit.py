"""Searches behind the constants in the code: `python -m tables fit WHAT` prints one as a Markdown table.

- `factor`: the price of a bag in the previous-bids factor.
- `rb`: the three nil ranks of RB.
- `bis`: nil threshold and offset (`bis:tuned`), the floor of the desperate nil, spade honours.
- `conventions`: the threshold of a nil that answers partner's signal.
- `variants`: nil threshold, its slope and the offset in whiz, suicide and with jokers.
- `cutthroat`: the same in cutthroat, and how much each piece of SOLO wins.
- `rules`: the effect of stakes and limits (`spades.bis.estimates`).
- `srp`, `srp@1` and `srp@4`: how much each piece that SRP 2, SRP 1 or SRP 4 added wins.
- `leads`: the weights of SRP 4's leads (`spades.play.srp.leads`).
- `levels`: the noise of each skill level.

Nothing is written. The constants are in `spades.policies` and `spades.bis.estimates`, with their
source.
"""

import argparse
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.arguments import integer
from spades.cards import RANKS
from spades.options import FULL_LEVEL, Policy
from spades.play import ALL_PIECES, LEAD_FEATURES, OVER, SRP_1_PIECES, SRP_3_PIECES, SRP_PIECE_NAMES, STRONG_UNDER
from spades.play import SOLO_1_PIECES as PIECES_OF_SOLO_1
from spades.play import SOLO_PIECE_NAMES as PIECES_OF_SOLO
from spades.policies import POLICY_KINDS, SERVED, parse_policy, with_skill
from spades.rules import CUTTHROAT, PRESETS, Rules, make_rules
from spades.tables import SEQUENCES, Tables
from spades.tableset import open_tables
from tables.arena import stats
from tables.arena.match import PAPER_RULES
from tables.builders import cutthroat
from tables.builders.curve_fit import log_loss_by_bin
from tables.builders.curves import BINS, Judge, nil_rounds
from tables.builders.factor import START, learn
from tables.builders.rb import FIT_RULES
from tables.engine.game import PAIR_DD, PAIR_RR, POINTS, ROUNDS, SUMS, Lineup
from tables.engine.selfplay import play_pairs, play_rounds
from tables.engine.simulate import kernel_tables, numba_typed, player_rows, policies_by_chair, tables_for
from tables.lead_fit import fit_leads
from tables.markdown import gain, table
from tables.players.names import player_for
from tables.run.executors import add_jobs_argument, executor_of
from tables.run.family import Arrays, Chunk

PAPER = PRESETS["bis-paper"]
LEVEL_STEP = 3.0  # percent of games between neighbouring levels


class Estimate(NamedTuple):
    """A mean and half the width of its 95% interval."""

    mean: float
    half: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.half:.2f}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("what", choices=sorted(SEARCHES), help="the search to run")
    parser.add_argument("--pairs", type=integer, default=4000, help="pairs per candidate (default %(default)s)")
    parser.add_argument("--seed", type=integer, default=9, help="seed of the deals (default %(default)s)")
    add_jobs_argument(parser)


def main(arguments: argparse.Namespace) -> int:
    """Run one search and print its table."""
    opened = open_tables()
    print(f"tables {opened.version}, seed {arguments.seed}, {arguments.pairs} duplicate pairs per candidate\n")
    search = SEARCHES[arguments.what]
    print(search(kernel_tables(opened.arrays), arguments.pairs, arguments.seed, arguments.jobs))
    return 0


def win_rate(
    profiles: tuple[Tables, ...],
    a: Policy,
    b: Policy,
    pairs: int,
    seed: int,
    rules: Rules = PAPER,
    players: NDArray[np.int64] | None = None,
) -> Estimate:
    """Return the percentage of games that side a wins, measured with duplicate pairs.

    If ``players`` is None, all four seats have the card player of the rules (`player_for`).
    """
    scores = np.zeros((pairs, 2), np.int64)
    if players is None:
        players = player_rows(player_for(rules), player_for(rules))
    play_pairs(seed, 0, pairs, rules, Lineup(policies_by_chair(a, b), players), profiles, scores, np.zeros(SUMS))
    found = stats.win_rate(scores)
    return Estimate(100 * found.rate, 50 * (found.high - found.low))


def points(
    profiles: tuple[Tables, ...], pieces: int, pairs: int, seed: int, player: str = "srp@1", cost: Rules = FIT_RULES
) -> Estimate:
    """Return how many points per round full SRP gains on ``player`` with ``pieces``, if both bid `bis:endgame=off`."""
    difference = np.zeros((pairs, 2))
    bidder = parse_policy("bis:endgame=off")
    table = player_rows("srp@1", player, ALL_PIECES, pieces)
    play_rounds(
        seed, 0, pairs, cost, Lineup(policies_by_chair(bidder, bidder), table), profiles, difference, np.zeros(SUMS)
    )
    by_pair = difference.mean(axis=1)
    return Estimate(float(by_pair.mean()), float(1.96 * by_pair.std() / np.sqrt(pairs)))


def ranked(
    profiles: tuple[Tables, ...],
    texts: Iterable[str],
    against: str,
    pairs: int,
    seed: int,
    jobs: int,
    finals: int,
    rules: Rules = PAPER,
) -> list[tuple[Estimate, str]]:
    """Return candidates ordered by their win rate against ``against``, best first.

    The best ``finals`` are measured again with 5 times as many pairs. These pairs are new deals, so that the best of
    many candidates is not overestimated.
    """
    opponent = parse_policy(against, rules.variant)

    def measure(text: str, pairs: int, seed: int) -> tuple[Estimate, str]:
        return win_rate(profiles, parse_policy(text, rules.variant), opponent, pairs, seed, rules), text

    with ThreadPoolExecutor(jobs) as pool:
        first = sorted(pool.map(lambda text: measure(text, pairs, seed), texts), reverse=True)
        return sorted(pool.map(lambda row: measure(row[1], 5 * pairs, seed + 1), first[:finals]), reverse=True)


def fit_rb(profiles: tuple[Tables, ...], pairs: int, seed: int, jobs: int) -> str:
    """Search RB's nil ranks X, Y, Z by win rate against BIS at 200/-100."""
    grid = [
        f"rb:nil={RANKS[x]}-{RANKS[y]}-{RANKS[z]}"
        for x in range(3, 10)
        for y in range(x + 1, min(x + 5, 12))
        for z in range(y + 1, min(y + 5, 13))
    ]
    rows = ranked(profiles, grid, "bis", pairs, seed, jobs, 10)
    rows.append(
        (win_rate(profiles, parse_policy("rb:nil=5-8-T"), parse_policy("bis"), 5 * pairs, seed + 1), "rb:nil=5-8-T")
    )
    return table(f"RB (best of {len(grid)}) | win rate against bis, %", [(text, rate) for rate, text in rows])


def fit_bis(profiles: tuple[Tables, ...], pairs: int, seed: int, jobs: int) -> str:
    """Search BIS's options by win rate against `bis` at 200/-100."""
    grid = [f"bis:nil_threshold={th},offset={o}" for th in range(-15, 30, 3) for o in (0, 0.05, 0.1, 0.15, 0.2, 0.25)]
    single = [f"bis:nil_floor={floor}" for floor in (0, 0.1, 0.2, 0.4, 0.5, 0.6)]
    single += ["bis:spade_honours=allow", "bis:factor=off", "bis:factor=off,offset=-0.4"]
    rows = ranked(profiles, grid, "bis", pairs, seed, jobs, 8) + ranked(
        profiles, single, "bis", pairs, seed, jobs, len(single)
    )
    return table("BIS | win rate against bis, %", [(text, rate) for rate, text in rows])


def fit_conventions(profiles: tuple[Tables, ...], pairs: int, seed: int, jobs: int) -> str:
    """Search the answer's threshold: pairs with a convention against the same bidder without it, at 200/-100."""
    rows = []
    for bidder in ("bis:", "bis:tuned,"):
        for convention in ("big5", "big6"):
            grid = [f"{bidder}convention={convention},answer_threshold={points}" for points in range(-80, 21, 10)]
            rows += ranked(profiles, grid, bidder[:-1], pairs, seed, jobs, 6)
    return table("convention | win rate against the bidder without it, %", [(text, rate) for rate, text in rows])


def fit_variants(profiles: tuple[Tables, ...], pairs: int, seed: int, jobs: int) -> str:
    """Search nil threshold, slope, offset and spade honours in whiz, suicide and with jokers, at the presets' goals."""
    slopes = (0, 10, 20, 30)
    grids = {
        "whiz": [f"nil_threshold={th},nil_slope={slope}" for th in (0, 15, 30, 45) for slope in slopes],
        "suicide": [f"nil_threshold={th},nil_slope={slope}" for th in (-160, -130, -100, -70) for slope in slopes],
        "jokers": [f"nil_threshold={th},offset={offset}" for th in (-20, 0, 20) for offset in (0, 0.1, 0.2, 0.3)],
    }
    singles = {
        "whiz": ["spade_honours=allow"],
        "suicide": ["spade_honours=deny", "offset=-0.3", "offset=0.3"],
        "jokers": ["spade_honours=allow"],
    }
    rows: list[tuple[object, ...]] = []
    for preset, grid in grids.items():
        for options, finals in ((grid, 5), (singles[preset], 3)):
            texts = [f"bis:{option}" for option in options]
            found = ranked(profiles, texts, "bis", pairs, seed, jobs, finals, PRESETS[preset])
            rows += [(preset, text, rate) for rate, text in found]
    return table("variant | BIS | win rate against bis, %", rows)


def fit_cutthroat(profiles: tuple[Tables, ...], pairs: int, seed: int, jobs: int) -> str:
    """Search BIS's options in cutthroat to 300, and measure how much each piece of SOLO wins."""
    rules = PRESETS["cutthroat"]
    thresholds, offsets = (-60, -40, -30, -20, -10, 0, 25), (0, 0.1, 0.2, 0.3)
    grid = [f"bis:nil_threshold={th},offset={offset}" for th in thresholds for offset in offsets]
    single = ["nil_slope=10", "nil_slope=-10", "dynamic=on", "spade_honours=deny", "factor=off", "endgame=off"]
    single += ["nil_floor=0.15", "nil_floor=0.5", "nil_threshold=25,offset=0,spade_honours=deny"]
    rows: list[tuple[object, ...]] = []
    for texts, finals in ((grid, 6), ([f"bis:{options}" for options in single], len(single))):
        rows += [(text, rate) for rate, text in ranked(profiles, texts, "bis", pairs, seed, jobs, finals, rules)]
    rows += [
        (f"log-loss of nil values, {name}", f"{loss:.4f}")
        for name, loss in losses_by_attackers(profiles, 100 * pairs, seed)
    ]
    bis = parse_policy("bis", CUTTHROAT)
    first, added = PIECES_OF_SOLO_1, range(PIECES_OF_SOLO_1.bit_length(), len(PIECES_OF_SOLO))
    tries = [(f"SOLO without {PIECES_OF_SOLO[i]}", "solo@1", first ^ 1 << i) for i in range(added.start)]
    tries += [(f"SOLO with {PIECES_OF_SOLO[i]}", "solo@2", first | 1 << i) for i in added]
    tries += [("SOLO 2", "solo@2", ALL_PIECES)]
    tries += [("SOLO without any", "solo@1", 0), ("WRP", "wrp", ALL_PIECES), ("SRP", "srp@1", ALL_PIECES)]
    for name, player, pieces in tries:
        table_of_four = player_rows(player, "solo@1", pieces, ALL_PIECES)
        rows.append((name, win_rate(profiles, bis, bis, pairs, seed, rules, table_of_four)))
    return table("cutthroat | win rate against bis and SOLO, %", rows)


def losses_by_attackers(profiles: tuple[Tables, ...], rounds: int, seed: int) -> list[tuple[str, float]]:
    """Return the log-loss of calibrated nil values over all nils, for one to three opponents that attack a nil."""
    rules = PRESETS["cutthroat"]
    every = np.stack([cutthroat.cnil_table(hunters) for hunters in (3, 2, 1)])
    readings = np.zeros((3, BINS, 2), np.int64)
    counts = np.zeros((SEQUENCES, BINS, 2), np.int32)
    policy = numba_typed(parse_policy(cutthroat.BIDDER, CUTTHROAT))
    table_of_four = player_rows(player_for(rules), player_for(rules))
    nil_rounds(seed, 0, rounds, rules, policy, table_of_four, profiles, counts, Judge(1, every, readings))
    return [(f"{hunters} hunters", log_loss_by_bin(found)) for hunters, found in zip((3, 2, 1), readings, strict=True)]


def fit_rules(profiles: tuple[Tables, ...], pairs: int, seed: int, jobs: int) -> str:
    """Search BIS's adjustments to stakes and limits, against the unchanged BIS under the same rules at 500 points.

    The search varies the nil threshold if the stake is not 100, and the offset if a bag costs more or less. The points
    of a forced trick depend on the threshold, so `bis:tuned` has its own value.
    """
    thresholds, offsets = (0, 10, 20, 35, 50), (-0.2, -0.1, 0.1, 0.2)
    grid: tuple[tuple[dict[str, object], str, tuple[float, ...]], ...] = (
        ({"nil_points": 25}, "nil_threshold", thresholds),
        ({"nil_points": 50}, "nil_threshold", thresholds),
        ({"nil_points": 200}, "nil_threshold", thresholds),
        ({"bags": False}, "offset", offsets),
        ({"bag_penalty": 50}, "offset", offsets),
        ({"bag_penalty": 200}, "offset", offsets),
        ({"bag_limit": 5}, "offset", offsets),
        ({"bag_limit": 5, "bag_penalty": 200}, "offset", offsets),
        ({"ten_for_200": True}, "ten_from", (8.25, 8.5, 9, 9.5, 10, 30)),
        ({"min_bid": 2}, "forced_trick", (0, 10, 15, 25, 35)),
        ({"min_bid": 3}, "forced_trick", (0, 10, 15, 25, 35)),
        ({"min_bid": 4}, "forced_trick", (0, 10, 15, 25, 35)),
    )
    rows = []
    for overrides, option, values in grid:
        rules = make_rules("classic", overrides)
        shown = ", ".join(f"{field} {value}" for field, value in overrides.items())
        for bidder in ("bis:", "bis:tuned,") if option == "forced_trick" else ("bis:",):
            texts, rival = [f"{bidder}{option}={value}" for value in values], parse_policy(bidder[:-1])

            def rate(text: str, rules: Rules = rules, rival: Policy = rival) -> Estimate:
                return win_rate(profiles, parse_policy(text), rival, pairs, seed, rules)

            with ThreadPoolExecutor(jobs) as pool:
                rows += [(shown, text, found) for text, found in zip(texts, pool.map(rate, texts), strict=True)]
    return table("rules | BIS | win rate against the unchanged bidder, %", rows)


def fit_factor(profiles: tuple[Tables, ...], pairs: int, seed: int, jobs: int) -> str:
    """Compare the previous-bids factor, learned at several prices of a bag, with the best constant; without nils."""
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
    return table("price of a bag | wins of the factor against constant -0.4, %, 200/-100 | the same at 500", rows)


def fit_srp(profiles: tuple[Tables, ...], pairs: int, seed: int, jobs: int) -> str:
    """Measure how many points per round each piece of SRP 1 wins, and how many all of SRP 1 wins against WRP."""
    tries = [(name, ALL_PIECES ^ 1 << i, "srp@1") for i, name in enumerate(SRP_PIECE_NAMES) if SRP_1_PIECES >> i & 1]
    tries.append(("all (against WRP)", ALL_PIECES, "wrp"))
    with ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda x: points(profiles, x[1], 10 * pairs, seed, x[2]), tries)
        rows = [(name, estimate) for (name, _, _), estimate in zip(tries, found, strict=True)]
    return table("piece | points per round it wins", rows)


def srp_without_pieces(profiles: tuple[Tables, ...], bidder: str, pairs: int, seed: int, jobs: int) -> str:
    """Measure how often SRP 3 without each of its pieces wins against WRP, with ``bidder`` on both sides."""
    tries = [("all pieces", SRP_3_PIECES)]
    tries += [
        (f"without {name}", SRP_3_PIECES ^ 1 << i) for i, name in enumerate(SRP_PIECE_NAMES) if SRP_3_PIECES >> i & 1
    ]
    policy = numba_typed(parse_policy(bidder))
    rows: list[tuple[object, ...]] = []
    for name, pieces in tries:
        players = player_rows("srp@3", "wrp", pieces)
        rows.append((name, *games_and_points(profiles, policy, players, pairs, seed, PAPER_RULES, jobs)))
    return table("SRP 3 | games won against WRP, % | points per round", rows)


def fit_srp2(profiles: tuple[Tables, ...], pairs: int, seed: int, jobs: int) -> str:
    """Measure how much each piece that SRP 2 added wins in whole games at 200/-100, and all of SRP against SRP 1."""
    of_srp2 = SRP_3_PIECES & ~SRP_1_PIECES
    tries = [(name, "srp", ALL_PIECES ^ 1 << i) for i, name in enumerate(SRP_PIECE_NAMES) if of_srp2 >> i & 1]
    tries.append(("all (against SRP 1)", "srp@1", ALL_PIECES))
    bis = parse_policy("bis")
    few = tables_for(profiles, PAPER, (bis,))

    def measure(row: tuple[str, str, int]) -> tuple[object, ...]:
        name, player, pieces = row
        scores, sums = np.zeros((10 * pairs, 2), np.int64), np.zeros(SUMS)
        players = player_rows("srp", player, ALL_PIECES, pieces)
        play_pairs(seed, 0, 10 * pairs, PAPER, Lineup(policies_by_chair(bis, bis), players), few, scores, sums)
        rate = stats.win_rate(scores)
        total = sums[POINTS] - sums[POINTS + 1]
        dd, dr, rr = map(float, sums[PAIR_DD : PAIR_RR + 1])
        gap = stats.ratio_of_sums(float(total), float(sums[ROUNDS]), dd, dr, rr, 10 * pairs)
        share = f"{100 * rate.rate:.2f} [{100 * rate.low:.2f}, {100 * rate.high:.2f}]"
        return name, share, gain(gap.mean, gap.interval, 2)

    with ThreadPoolExecutor(jobs) as pool:
        return table("piece | games won, % | points per round it wins", list(pool.map(measure, tries)))


def fit_srp4(profiles: tuple[Tables, ...], pairs: int, seed: int, jobs: int) -> str:
    """Measure what each piece of SRP 4 wins by itself against SRP 3, and all together, with two bidders.

    Two options that no version uses, for round types of ECAI 2020, appendix E, are measured on top of all pieces.
    """
    new = [(name, SRP_3_PIECES | 1 << i) for i, name in enumerate(SRP_PIECE_NAMES) if not SRP_3_PIECES >> i & 1]
    tries = [*new, ("all", ALL_PIECES), ("all, limit 8 for few bids", ALL_PIECES | STRONG_UNDER)]
    tries.append(("all, sets in over rounds only if near", ALL_PIECES | OVER))
    rows: list[tuple[object, ...]] = []
    for name, pieces in tries:
        shown: list[object] = [name]
        for text, goals in (("bis", PAPER_RULES), ("winprob", PAPER_RULES), ("bis", PRESETS["classic"])):
            bidder = numba_typed(parse_policy(text))
            players = player_rows("srp@4", "srp@3")
            players[::2, 1] = pieces
            shown += games_and_points(profiles, bidder, players, 5 * pairs, seed, goals, jobs)
        rows.append(tuple(shown))
    heads = ("`bis`, 200/-100", "`winprob`, 200/-100", "`bis`, 500")
    return table(" | ".join(["piece", *(f"{head}: games won, % | points per round" for head in heads)]), rows)


def games_and_points(
    profiles: tuple[Tables, ...], bidder: Policy, players: Any, pairs: int, seed: int, rules: Rules, jobs: int
) -> tuple[str, str]:
    """Return the games that side a wins and its points per round with intervals; the sides differ in card players."""
    few, size = tables_for(profiles, rules, (bidder,)), 1_000

    def chunk(first: int) -> tuple[Any, Any]:
        last = min(pairs, first + size)
        scores, sums = np.zeros((last - first, 2), np.int64), np.zeros(SUMS)
        play_pairs(seed, first, last, rules, Lineup(policies_by_chair(bidder, bidder), players), few, scores, sums)
        return scores, sums

    with ThreadPoolExecutor(jobs) as pool:
        parts = list(pool.map(chunk, range(0, pairs, size)))
    rate = stats.win_rate(np.concatenate([scores for scores, _ in parts]))
    sums = np.sum([sums for _, sums in parts], axis=0)
    total, (dd, dr, rr) = sums[POINTS] - sums[POINTS + 1], map(float, sums[PAIR_DD : PAIR_RR + 1])
    gap = stats.ratio_of_sums(float(total), float(sums[ROUNDS]), dd, dr, rr, pairs)
    return f"{100 * rate.rate:.2f} [{100 * rate.low:.2f}, {100 * rate.high:.2f}]", gain(gap.mean, gap.interval, 2)


def fit_lead_values(profiles: tuple[Tables, ...], pairs: int, seed: int, jobs: int) -> str:
    """Fit the weights of SRP 4's leads in self-play with ``bis``."""
    with executor_of(None, jobs) as executor:
        weights = fit_leads(profiles, 5 * pairs, seed, executor)
    rows = [(name, *(f"{weight:.1f}" for weight in column)) for name, column in zip(LEAD_FEATURES, weights.T)]
    return table("feature | no nil | covers | attacks | covers and attacks | covers without spades", rows)


def fit_levels(profiles: tuple[Tables, ...], pairs: int, seed: int, jobs: int) -> str:
    """Search the noise_sd with which each level of each policy wins `LEVEL_STEP` percent less than the next level.

    All levels play against level 5. Values between those of the grid are interpolated. The rate beside each value is
    measured on other deals.
    """
    rows: list[tuple[object, ...]] = []
    for name in SERVED:
        full = parse_policy(name)

        def rate(noise_sd: float, seed: int, full: Policy = full) -> Estimate:
            return win_rate(
                profiles, with_skill(full._replace(level=1))._replace(noise_sd=noise_sd), full, 2 * pairs, seed
            )

        most = 2 * POLICY_KINDS[full.kind].noise_sd[1]
        noise_sds = [most * k / 8 for k in range(1, 9)]
        with ThreadPoolExecutor(jobs) as pool:
            found = [50.0, *(each.mean for each in pool.map(lambda noise_sd: rate(noise_sd, seed), noise_sds))]
            targets = [50.0 - LEVEL_STEP * (FULL_LEVEL - level) for level in range(1, FULL_LEVEL)]
            fitted = np.interp(targets, found[::-1], [0.0, *noise_sds][::-1]).round(3).tolist()
            rates = pool.map(lambda noise_sd: rate(noise_sd, seed + 1), fitted)
            rows += [(name, level, *pair) for level, pair in enumerate(zip(fitted, rates, strict=True), 1)]
    return table("policy | level | noise_sd | win rate against level 5, %", rows)


SEARCHES: dict[str, Callable[[tuple[Tables, ...], int, int, int], str]] = {
    "factor": fit_factor,
    "rb": fit_rb,
    "bis": fit_bis,
    "conventions": fit_conventions,
    "variants": fit_variants,
    "cutthroat": fit_cutthroat,
    "rules": fit_rules,
    "srp": fit_srp2,
    "srp@1": fit_srp,
    "srp@4": fit_srp4,
    "leads": fit_lead_values,
    "levels": fit_levels,
}
