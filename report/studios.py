"""The figures of the appendix, learned-from-logs.md: what tables fitted to a studio's log gain in simulated studios.

For each studio, the people of `studio.play` play a log. Tables and a model of the people are learned from it,
and new games of the same people judge both. Matches with the studio's players show what `bis` wins with the shipped
tables, with the fitted ones, and with the options that `studio tune` chooses. Finished steps are kept in the report's
folder, so that an interrupted report continues.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from arena.engine.deal import Deals
from arena.executors import executor_of
from arena.markdown import gain, rate_with_interval
from arena.match import Match
from arena.source_files import chunk_code
from arena.stats import win_rate
from arena.store import kept_json, stored
from report.figures import query
from report.setup import PAPER, Setup
from spades.manifest import MANIFEST
from spades.tableset import open_tables
from studio.beside_people import beside_people, change, difference, kept_scores
from studio.fit import fit_command
from studio.fit.counting import count_log, read_segments
from studio.model import learn_model
from studio.play import STUDIOS, write_log
from studio.report import Sets, report
from studio.set_folders import working
from studio.sets import shipped_set
from studio.tune import LADDERS, text_of, tune, write

NOISE = 0.1
GAMES = (60_000, 600)  # in a log, at 10,000 pairs: about 200,000 and 2,000 rounds
NEW_GAMES = 15_000  # games that judge
PAIRS = 0.6  # matches, as a share of the report's pairs
TUNE_PAIRS = 1.0  # games that confirm options, as a share of the report's pairs
TUNED_PAIRS = 2.0  # matches of tuned sets, whose gains are small
POLICIES = ("bis", "winprob")


class Case(NamedTuple):
    """A studio, the seats that its tables are fitted to, and the seats of the policy that is judged."""

    studio: str
    label: str | None  # only seats with this label count; None: all seats
    seats: str  # in words


CASES = (
    Case("weak", "kind=human", "both partners, with weak card play, against two strong bots"),
    Case("overbidders", None, "one bot beside a person, against two"),
    Case("careful", None, "one bot beside a person, against two"),
    Case("segments", None, "one bot beside a person, against two"),
)


@query(lambda setup: setup.opened.arrays)
def studios_calibration(setup: Setup) -> dict[str, Any]:
    """Return how well stated chances of nils and contracts come true with both table sets."""
    rows = []
    for case, found in _each(setup, "figures", _figures):
        for kind in ("nils", "contracts"):
            shipped, fitted = found["stated"][kind]
            figures = (
                *(f"{one['stated']:.3f}" for one in (shipped, fitted)),
                *(f"{one['calibration_error']:.3f}" for one in (shipped, fitted)),
                *(f"{one['log_loss']:.4f}" for one in (shipped, fitted)),
            )
            rows.append((case.studio, f"{found['rounds']:,}", kind, f"{shipped['observed']:.3f}", *figures))
    return {"rows": rows}


@query(lambda setup: setup.opened.arrays)
def studios_games(setup: Setup) -> dict[str, Any]:
    """Return what `bis` and `winprob` win in games with the studios' players, with both table sets."""
    rows = []
    for case, found in _each(setup, "figures", _figures):
        for one in found["games"]:
            rates = [rate_with_interval(*rate[:3]) for rate in one[1:3]]
            gained = gain(one[3][0], one[3][1:], 1)
            rows.append((case.studio, f"{found['rounds']:,}", f"`{one[0]}`", case.seats, *rates, gained))
    return {"rows": rows}


@query(lambda setup: setup.opened.arrays)
def studios_tuned(setup: Setup) -> dict[str, Any]:
    """Return the options that `studio tune` chooses for `bis`, and what `bis` then wins with the studios' players."""
    rows = []
    for case, found in _each(setup, "tuned", _tuned):
        rates = [rate_with_interval(*rate) for rate in found["rates"]]
        gains = [gain(one[0], one[1:], 1) for one in found["gains"]]
        options = f"`{found['options']}`" if found["options"] else "none"
        rows.append((case.studio, f"{found['rounds']:,}", options, *rates, *gains))
    return {"rows": rows}


def _each(
    setup: Setup, name: str, figures: Callable[[Case, Path, Setup], dict[str, Any]]
) -> Iterator[tuple[Case, dict[str, Any]]]:
    # Yield the figures of each log of each studio. They, and the log, are kept in a locked folder of the studio.
    assert setup.played is not None, "the report has a folder for what it keeps"
    for case in CASES:
        decided_by = (case.studio, setup.seed, setup.pairs, setup.opened.sha256, chunk_code(__name__))
        with stored(decided_by, setup.played, remove=False) as folder:
            for games in GAMES:
                log = _log(case, folder / f"log-{_scaled(games, setup)}.parquet", setup.seed + 1, games, setup)
                yield case, kept_json(log.with_suffix(f".{name}.json"), partial(figures, case, log, setup))


def _scaled(number: int, setup: Setup) -> int:
    return max(100, int(number * setup.pairs / 10_000))


def _log(case: Case, path: Path, seed: int, games: int, setup: Setup) -> Path:
    if not path.exists():
        unfinished = path.with_name(f"unfinished-{path.name}")
        write_log(unfinished, STUDIOS[case.studio], NOISE, Deals(seed, 0, _scaled(games, setup)), PAPER)
        unfinished.replace(path)
    return path


class Learned(NamedTuple):
    """What is learned from a log."""

    rounds: int
    tables: Path
    model: Path


def _learned(case: Case, log: Path, setup: Setup) -> Learned:
    tables, model = (log.with_name(f"{log.stem}-{name}") for name in ("tables", "model"))
    if not (tables / MANIFEST).exists():
        with working(log.with_name("unfinished")) as work, executor_of(None, setup.jobs, processes=True) as executor:
            counted = count_log([log], read_segments(case.label, None), work, executor)
            fitted = fit_command.fit(counted, counted.segments[0], work, executor)
            fit_command.write(tables, fitted, {"rounds": counted.good})
    if not model.exists():
        learn_model([log], model)
    return Learned(open_tables(tables).families[fit_command.FAMILY].parameters["rounds"], tables, model)


def _figures(case: Case, log: Path, setup: Setup) -> dict[str, Any]:
    rounds, tables, model = _learned(case, log, setup)
    new = _log(case, log.with_name("new.parquet"), setup.seed + 2, NEW_GAMES, setup)
    sets = Sets(shipped_set(), open_tables(tables))
    match = _match(case, model, setup)
    with working(log.with_name("unfinished")) as work:
        with executor_of(None, setup.jobs, processes=True) as executor:
            counted = count_log([new], read_segments(case.label, None), work, executor)
        figures, _ = report(counted, sets, log.parent)
        with executor_of(None, setup.jobs) as executor:
            played = [change(policy, match, tables, work, executor) for policy in POLICIES]
    return figures | {"rounds": rounds, "games": played}


def _match(case: Case, model: Path, setup: Setup, share: float = PAIRS) -> Match:
    # The games that judge policies.
    pairs = max(10, int(share * setup.pairs))
    if case.studio == "weak":
        return Match("bis", "bis", ("wrp", "srp"), pairs, PAPER, setup.seed + 3)
    return beside_people(f"model:{model}", PAPER, pairs, setup.seed + 3)


def _tuned(case: Case, log: Path, setup: Setup) -> dict[str, Any]:
    rounds, tables, model = _learned(case, log, setup)
    pairs, seed = max(10, int(TUNE_PAIRS * setup.pairs)), setup.seed + 10
    if case.studio == "weak":
        people, own = (f"model:{model},kind={kind}" for kind in ("bot", "human"))
        match = beside_people(people, PAPER, pairs, seed, own, both=True)
    else:
        match = beside_people(f"model:{model}", PAPER, pairs, seed)
    out = log.with_name(f"{log.stem}-tuned")
    with working(log.with_name("unfinished-games")) as work, executor_of(None, setup.jobs) as executor:
        found, changed = tune(tables, "bis", LADDERS["bis"], match, work, executor)
        write(tables, out, "bis", found, changed, match)
        judged = _match(case, model, setup, TUNED_PAIRS)
        texts = "bis", f"bis:tables={out}", text_of("bis", found.options)
        plain, own_set, same = (kept_scores(replace(judged, a=text), work, executor) for text in texts)
    return {
        "rounds": rounds,
        "options": found.options,
        "rates": [win_rate(scores)[:3] for scores in (plain, own_set)],
        "gains": [difference(scores, plain) for scores in (own_set, same)],
    }
