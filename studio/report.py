"""Judge a table set on a log, beside the shipped one: `python -m studio report`.

The log should be one that the tables were not fitted to. The report says how well both sets' stated chances come true,
which bids change, and where the log has too few cases to say. It is written as Markdown and HTML, with plots.
report.md.j2 has its text.

Log-loss and Brier score: G. W. Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather
Review 78, 1950. The calibration error is the mean distance between stated and observed over ten bins of stated
probability, weighted by their cases (M. P. Naeini et al., "Obtaining well calibrated probabilities using Bayesian
binning", AAAI 2015).
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from numpy.typing import NDArray

from arena.chunks import Arrays, Executor
from arena.engine.rounds import bids_of, states_at
from arena.engine.simulate import kernel_tables, tables_for
from arena.errors import BuildError
from arena.executors import add_executor_arguments, executor_of
from arena.markdown import gain as gain_text
from arena.markdown import rate_with_interval, table
from arena.progress import working_on
from arena.stats import CONFIDENCE, Gain, wilson, z_of
from arena.store import forget, write_atomically
from spades.arguments import integer
from spades.legal import bid_word
from spades.policies import parse_policy
from spades.rules import Rules
from spades.set_options import SetOptions, options_of, with_options
from spades.tables import Tables
from spades.tableset import TableSet, open_tables
from spades.winprob import complete_outcomes
from studio import plots
from studio.beside_people import Change, add_seats_arguments, beside_people, change
from studio.fit.counting import BINS as BINS_OF_NILS
from studio.fit.counting import FIELDS, Counted, Counts, Sample, by_rules, count_log, read_segments
from studio.fit.fit_command import FAMILY, PLAIN
from studio.fit.win_fit import bids_of_sample, win_chances
from studio.reading import FILES
from studio.set_folders import empty_folder, move_content, work_folder, working
from studio.sets import shipped_set
from tables.regression import LEAST_P, sequences, value_at_bins

BINS = 10  # of stated chances
BIDS = 15  # nil, the numbers, blind nil
FEW = 1_000  # cases; with fewer, the report warns
COMMON = 5  # changes of bids that are listed
POLICIES = ("bis", "winprob")
KINDS = ("nils", "contracts", "win chances")
HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A table set judged on a log</title>
<style>body { font: 16px/1.5 sans-serif; max-width: 80em; margin: 2em auto; padding: 0 1em }
td, th { padding: .2em .8em; text-align: left }</style>"""
Floats = NDArray[np.float64]


class Stated(NamedTuple):
    """Stated probabilities and what happened, by cell."""

    p: Floats  # (cells,)
    n: Floats  # (cells,): cases
    made: Floats  # (cells,): cases in which it happened


class Judged(NamedTuple):
    """Figures over all cases of some `Stated`."""

    n: int
    stated: float  # mean
    observed: float
    low: float  # ends of the 95% interval of `observed`
    high: float
    log_loss: float
    brier: float
    calibration_error: float


class Bin(NamedTuple):
    """The cases with a stated probability in one of BINS bins."""

    n: int
    stated: float
    observed: float
    low: float
    high: float


def judged(cells: Stated) -> Judged:
    """Return the figures of ``cells``, which have at least one case."""
    n = float(cells.n.sum())
    p = np.clip(cells.p, LEAST_P, 1 - LEAST_P)
    lost = -(cells.made * np.log(p) + (cells.n - cells.made) * np.log(1 - p)).sum() / n
    brier = (cells.made * (1 - cells.p) ** 2 + (cells.n - cells.made) * cells.p**2).sum() / n
    observed = float(cells.made.sum() / n)
    error = sum(one.n * abs(one.stated - one.observed) for one in bins(cells)) / n
    stated = float((cells.p * cells.n).sum() / n)
    return Judged(int(n), stated, observed, *wilson(observed, n), float(lost), float(brier), float(error))


def bins(cells: Stated) -> list[Bin]:
    """Return the bins that have cases, by stated probability."""
    found = []
    where = np.minimum((cells.p * BINS).astype(int), BINS - 1)
    for number in range(BINS):
        own = Stated(*(part[where == number] for part in cells))
        n = float(own.n.sum())
        if n:
            observed = float(own.made.sum() / n)
            found.append(Bin(int(n), float((own.p * own.n).sum() / n), observed, *wilson(observed, n)))
    return found


def nils(arrays: Arrays, prefix: str, counts: Counts) -> Stated:
    """Return the stated chances of the nils that were bid; ``prefix``: of the arrays' names, such as ``whiz_``."""
    return _by_cell(value_at_bins(_own_array(arrays, prefix, "curves")), counts.nils)


def contracts(arrays: Arrays, prefix: str, counts: Counts) -> Stated:
    """Return the stated chances of the contracts of both partners."""
    return _by_cell(_own_array(arrays, prefix, "contract_made"), counts.contracts)


def _own_array(arrays: Arrays, prefix: str, name: str) -> Floats:
    own = f"{prefix}{name}"
    return np.asarray(arrays[own if own in arrays else name], np.float64)


def _by_cell(p: Floats, counts: Any) -> Stated:
    # counts: of the games to fit on and of those held out, cases and successes by cell.
    cells = counts.sum(axis=0)
    return Stated(p.ravel(), cells[..., 0].ravel(), cells[..., 1].ravel())


def nils_by_auction(cells: Stated) -> Iterator[tuple[str, Stated]]:
    """Yield the nils of each seat, and those by what partner and the opponents have bid, if there are any."""
    by_sequence = Stated(*(part.reshape(-1, len(_AUCTIONS), BINS_OF_NILS) for part in cells))
    for name in dict.fromkeys(name for names in _AUCTIONS for name in names):
        rows = [row for row, names in enumerate(_AUCTIONS) if name in names]
        own = Stated(*(part[:, rows].ravel() for part in by_sequence))
        if own.n.any():
            yield name, own


def _kinds_of(bids: tuple[int, ...]) -> list[str]:
    seat = len(bids)
    names = [f"seat {seat}"]
    if seat >= 2:
        partner = bids[seat - 2]
        bid = "nil" if partner == 0 else ("1 to 3" if partner <= 3 else "4 or more")
        names.append(f"partner bid {bid}")
    opponents = [bid for place, bid in enumerate(bids) if (seat - place) % 2]
    if opponents:
        names.append("an opponent bid nil" if 0 in opponents else "no opponent bid nil")
    return names


_AUCTIONS = [_kinds_of(bids) for bids in sequences()]


def cases(p: Floats, happened: Floats) -> Stated:
    """Return single cases as cells; those whose outcome is not known (NaN) are left out."""
    known = ~np.isnan(happened)
    return Stated(p[known], np.ones(int(known.sum())), happened[known])


def joined(parts: Sequence[Stated]) -> Stated:
    """Return the cells of all parts."""
    return Stated(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def gain(before: Stated, after: Stated) -> Gain:
    """Return by how much the log-loss of ``after`` is lower than that of ``before``, for the same cases.

    The interval is computed as if the cases were independent.
    """
    p, q = (np.clip(one.p, LEAST_P, 1 - LEAST_P) for one in (before, after))
    of_made, of_failed = np.log(q / p), np.log((1 - q) / (1 - p))
    n, made = before.n, before.made
    total = float(n.sum())
    mean = float((made * of_made + (n - made) * of_failed).sum() / total)
    squares = float((made * of_made**2 + (n - made) * of_failed**2).sum() / total)
    half = z_of(CONFIDENCE) * float(np.sqrt(max(0.0, squares - mean * mean) / total))
    return Gain(mean, mean - half, mean + half)


def changes(
    policy: str, before: tuple[Tables, ...], after: tuple[Tables, ...], sample: Sample, options: SetOptions = ()
) -> NDArray[np.int64]:
    """Count what ``policy`` bids in the rounds of a sample, (BIDS, BIDS): with the tables ``before`` and ``after``.

    ``options``: those that the set of the tables ``after`` gives to policies.
    """
    counts = np.zeros((BIDS, BIDS), np.int64)
    for rules, own in by_rules(sample):
        one = _bids(policy, before, rules, own)
        other = _bids(with_options(policy, rules.variant, options), after, rules, own)
        asked = one >= 0
        np.add.at(counts, (one[asked], other[asked]), 1)
    return counts


def most_common(counts: NDArray[np.int64], most: int) -> list[tuple[int, int, int]]:
    """Return the most frequent of `changes`: bid before, bid after, and how often."""
    changed = counts * (1 - np.eye(BIDS, dtype=np.int64))
    cells = np.argsort(-changed.ravel(), kind="stable")[:most].tolist()
    return [(*divmod(cell, BIDS), int(changed.ravel()[cell])) for cell in cells if changed.ravel()[cell]]


def _bids(policy: str, profiles: tuple[Tables, ...], rules: Rules, sample: Sample) -> NDArray[np.int8]:
    # The bids (n, 4) of the seats that are `chosen`; -1 for the others.
    parsed = parse_policy(policy, rules.variant)
    bids = np.full(sample.bids.shape, -1, np.int8)
    rows, seats = np.nonzero(sample.chosen & (sample.hands != 0))
    states = states_at(rules, sample.hands[rows], sample.bids[rows], sample.scores[rows], sample.bags[rows])
    bids[rows, seats] = bids_of(states, seats, rules, parsed, tables_for(profiles, rules, [parsed]))
    return bids


class Sets(NamedTuple):
    """The two table sets that are compared."""

    shipped: TableSet
    fitted: TableSet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the action."""
    files = f"{FILES}; the tables were not fitted to them"
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=files)
    parser.add_argument("--tables", type=Path, required=True, metavar="FOLDER", help="the table set to judge")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the report goes; a new folder")
    parser.add_argument("--label", metavar="FIELD=VALUE,...", help="judge only seats with this label")
    by = f"also judge the seats of each value of these fields: {', '.join(FIELDS)}"
    parser.add_argument("--by", metavar="FIELD,...", help=by)
    people = "also play games beside and against people of this model, such as model(folder=FOLDER, kind=human)"
    parser.add_argument("--people", metavar="MODEL", help=people)
    add_seats_arguments(parser)
    parser.add_argument("--pairs", type=integer, default=4_000, help="pairs of such games (default %(default)s)")
    parser.add_argument("--seed", type=integer, default=1, help="seed of their deals (default %(default)s)")
    add_executor_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Run the action. Raises `BuildError` or `TablesError`."""
    out = empty_folder(arguments.out)
    sets = Sets(shipped_set(), open_tables(arguments.tables))
    segments = read_segments(arguments.label, arguments.by)
    with working(work_folder(out, "report")) as work:
        with executor_of(arguments.scheduler, arguments.jobs, processes=True) as executor:
            counted = count_log(arguments.files, segments, work, executor)
        played: list[Change] = []
        if arguments.people:
            with executor_of(arguments.scheduler, arguments.jobs) as executor:
                played += _played(counted, arguments, work, executor)
        unfinished = work / "report"
        forget(unfinished)
        unfinished.mkdir()
        with working_on("studio report: judge stated chances, bid again and draw plots"):
            figures, text = report(counted, sets, unfinished, played, arguments.both_partners)
        write_atomically(unfinished / "report.json", json.dumps(figures, indent=1).encode())
        write_atomically(unfinished / "report.md", text.encode())
        page = MarkdownIt("commonmark").enable("table").render(text)
        write_atomically(unfinished / "report.html", f"{HEAD}<body>{page}</body></html>\n".encode())
        move_content(unfinished, out)
    print(text, end="")
    return 0


def report(
    counted: Counted, sets: Sets, out: Path, played: Sequence[Change] = (), both_partners: bool = False
) -> tuple[dict[str, Any], str]:
    """Return the report's figures and its text; its plots go to ``out``.

    ``played``: games beside people, in which the policy has the seats of ``both_partners`` or one of them.
    """
    stated = {segment: _stated(counted, segment, sets) for segment in counted.segments}
    every = {kind: tuple(joined([stated[s][kind][i] for s in stated]) for i in range(2)) for kind in KINDS}
    drawn = {kind: f"{kind.replace(' ', '-')}.svg" for kind in KINDS if every[kind][0].n.size}
    for kind, name in drawn.items():
        write_atomically(out / name, plot(kind, every[kind]))
    auctions = [dict(nils_by_auction(one)) for one in every["nils"]]
    segments = {f"{segment}: {kind}": found[kind] for segment, found in stated.items() for kind in KINDS}
    changed = list(_changes(counted, sets))
    text = _TEMPLATES.get_template("report.md.j2").render(
        counted=counted,
        sets=sets,
        options=options_of(sets.fitted),
        every=every,
        few=FEW,
        gain=gain,
        held_out=_held_out(counted, sets.fitted),
        chances=lambda pairs: table(_HEAD, _rows(pairs)),
        plots=drawn,
        by_auction={name: tuple(one[name] for one in auctions) for name in auctions[0]},
        by_segment=segments if len(stated) > 1 else {},
        table=table,
        changes=changed,
        played=played,
        both_partners=both_partners,
        games=map(_game_row, played),
    )
    figures = {
        "shipped": sets.shipped.version,
        "fitted": sets.fitted.version,
        "rounds": counted.good,
        "stated": {kind: [judged(one)._asdict() for one in every[kind]] for kind in drawn},
        "changes": [list(row) for row in changed],
    }
    if played:
        figures["games"] = [one._asdict() for one in played]
    return figures, text


_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)
_HEAD = (
    "what | cases | observed | shipped: stated | fitted: stated | shipped: log-loss | fitted: log-loss | gain |"
    " shipped: Brier | fitted: Brier | shipped: calibration error | fitted: calibration error"
)


def _rows(pairs: Mapping[str, tuple[Stated, ...]]) -> Iterator[tuple[object, ...]]:
    for name, (before, after) in pairs.items():
        if not before.n.sum():
            continue
        one, other, won = judged(before), judged(after), gain(before, after)
        yield (
            name,
            f"{one.n:,}",
            f"{one.observed:.3f} [{one.low:.3f}, {one.high:.3f}]",
            *(f"{found.stated:.3f}" for found in (one, other)),
            *(f"{found.log_loss:.4f}" for found in (one, other)),
            gain_text(won.mean, won[1:], 4),
            *(f"{found.brier:.4f}" for found in (one, other)),
            *(f"{found.calibration_error:.3f}" for found in (one, other)),
        )


def _stated(counted: Counted, segment: str, sets: Sets) -> dict[str, tuple[Stated, Stated]]:
    # By kind, what the shipped and the fitted tables state in a segment.
    by_kind: dict[str, list[list[Stated]]] = {kind: [[], []] for kind in KINDS}
    for which, opened in enumerate(sets):
        for (own, profile), counts in counted.counts.items():
            if own == segment:
                prefix = "" if profile == PLAIN else f"{profile}_"
                by_kind["nils"][which].append(nils(opened.arrays, prefix, counts))
                by_kind["contracts"][which].append(contracts(opened.arrays, prefix, counts))
        sample = counted.samples[segment]
        arrays = dict(opened.arrays)
        bids = bids_of_sample(arrays, kernel_tables(arrays), sample)
        chances = win_chances(complete_outcomes(np.asarray(arrays["net_out"], np.float32)), bids)
        by_kind["win chances"][which].append(cases(chances.astype(np.float64), bids.won.astype(np.float64)))
    return {kind: (joined(one), joined(other)) for kind, (one, other) in by_kind.items()}


def _held_out(counted: Counted, fitted: TableSet) -> bool:
    family = fitted.families.get(FAMILY)
    seen = set(family.parameters.get("sample", ()) if family else ())
    return seen.isdisjoint(f"{key:016x}" for sample in counted.samples.values() for key in sample.keys.tolist())


def observed(name: str, cells: Stated) -> plots.Series:
    """Return how often what was stated happened, by stated probability, with 95% intervals."""
    x, y, low, high = np.array([(one.stated, one.observed, one.low, one.high) for one in bins(cells)]).T
    return plots.Series(name, x, y, np.array([y - low, high - y]))


def plot(kind: str, pair: tuple[Stated, ...]) -> bytes:
    """Return a plot of stated against observed, of the shipped and of the fitted tables."""
    series = [observed(name, cells) for name, cells in zip(("shipped", "fitted"), pair, strict=True)]
    ends = np.array([0.0, 1.0])
    return plots.lines([*series, plots.Series("as stated", ends, ends)], f"{kind}: stated", "observed")


def _changes(counted: Counted, sets: Sets) -> Iterator[tuple[str, str, str, str]]:
    before, after = (kernel_tables(dict(opened.arrays)) for opened in sets)
    for policy in POLICIES:
        samples = counted.samples.values()
        counts = np.sum([changes(policy, before, after, one, options_of(sets.fitted)) for one in samples], axis=0)
        n, same = int(counts.sum()), int(np.trace(counts))
        common = "; ".join(f"{_bid(a)} to {_bid(b)} {times:,}" for a, b, times in most_common(counts, COMMON))
        yield policy, f"{n:,}", f"{100 * (n - same) / max(1, n):.1f}", common or "none"


def _played(counted: Counted, arguments: argparse.Namespace, work: Path, executor: Executor) -> Iterator[Change]:
    # Play both policies under the rules that most rounds of the log have.
    rows = np.concatenate([sample.rules for sample in counted.samples.values()])
    if not len(rows):
        found = "--people chooses the game by the log's rounds with tricks and scores; found none"
        raise BuildError(f"{found}; accepted: a log that has some, or a report without --people")
    kinds, times = np.unique(rows, axis=0, return_counts=True)
    rules = Rules(*kinds[times.argmax()].tolist())
    seats = arguments.player, arguments.both_partners
    match = beside_people(arguments.people, rules, arguments.pairs, arguments.seed, *seats)
    for policy in POLICIES:
        yield change(policy, match, arguments.tables, work, executor)


def _game_row(one: Change) -> tuple[str, ...]:
    rates = (rate_with_interval(*found[:3]) for found in (one.shipped, one.fitted))
    return one.policy, *rates, gain_text(one.gain.mean, one.gain[1:], 1)


def _bid(bid: int) -> str:
    return bid_word(bid).replace("_", " ")
