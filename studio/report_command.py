"""Judge a table set on a log, beside the shipped one: `python -m studio report`.

The log should be one that the tables were not fitted to. The report says how well both sets' stated chances come true,
which bids change, and where the log has too few cases to say. It is written as Markdown and HTML, with plots.
report.md.j2 has its text.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt

from arena.chunks import Executor
from arena.engine.simulate import kernel_tables
from arena.errors import BuildError
from arena.executors import add_executor_arguments, executor_of
from arena.markdown import gain as gain_text
from arena.markdown import rate_with_interval, table
from arena.progress import working_on
from arena.store import forget, write_atomically
from spades.arguments import integer
from spades.legal import bid_word
from spades.rules import Rules
from spades.set_options import options_of
from spades.tableset import TableSet, open_tables
from spades.winprob import complete_outcomes
from studio import plots
from studio.beside_people import Change, add_seats_arguments, beside_people, change
from studio.fit.counting import FIELDS, Counted, count_log, read_segments
from studio.fit.fit_command import FAMILY, PLAIN, nobody
from studio.fit.win_fit import bids_of, win_chances
from studio.judged import Changes, Stated, bins, cases, changes, contracts, gain, joined, judged, nils, nils_by_auction
from studio.reading import FILES
from studio.set_folders import empty_folder, move_content, work_folder, working
from studio.sets import shipped_set

FEW = 1_000  # cases; with fewer, the report warns
COMMON = 5  # changes of bids that are listed
POLICIES = ("bis", "winprob")
KINDS = ("nils", "contracts", "win chances")
HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A table set judged on a log</title>
<style>body { font: 16px/1.5 sans-serif; max-width: 80em; margin: 2em auto; padding: 0 1em }
td, th { padding: .2em .8em; text-align: left }</style>"""


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
        if not counted.segments:
            raise BuildError(nobody(arguments.label, counted))
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
                has = prefix if f"{prefix}curves" in opened.arrays else ""
                by_kind["nils"][which].append(nils(opened.arrays, has, counts))
                by_kind["contracts"][which].append(contracts(opened.arrays, prefix, counts))
        sample = counted.samples[segment]
        arrays = dict(opened.arrays)
        bids = bids_of(arrays, kernel_tables(arrays), sample)
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
        found = [changes(policy, before, after, sample, options_of(sets.fitted)).counts for sample in samples]
        total = Changes(policy, np.sum(found, axis=0))
        common = "; ".join(f"{_bid(a)} to {_bid(b)} {n:,}" for a, b, n in total.most_common(COMMON)) or "none"
        yield policy, f"{total.n:,}", f"{100 * total.changed / max(1, total.n):.1f}", common


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
