"""Learn a model of the people in logs: `python -m studio model`.

The folder holds a net that states P(bid | hand, auction, score, label), and in its manifest how well the net does on
held-out games. The arena seats such people (`model(folder=FOLDER)`).
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from arena.errors import BuildError
from arena.markdown import table
from arena.people.inputs import VERSION
from arena.people.model import AXES, RELEASE
from arena.progress import working_on
from spades.manifest import FamilyEntry, read_manifest
from spades.tables import PARTNERSHIP_PROFILE
from studio.fit.counting import HELD_OUT
from studio.people import card_play
from studio.people.judging import Judgement, judge, shares_of_bids, shares_of_classes
from studio.people.success_fit import Correction
from studio.people_sample import BidCollector, Sample, Split, part_of, split, success_corrections
from studio.reading import FILES, read_all
from studio.rounds import Keys, Names
from studio.set_folders import empty_folder, move_content, work_folder, working
from studio.sets import shipped_profiles, shipped_set, write_array
from tables.run.build import write_manifest

FEWEST_BIDS = 1_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the action."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=FILES)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the model to write; a new folder")


def main(arguments: argparse.Namespace) -> int:
    """Run the action. Raises `BuildError` or `TablesError`."""
    print(learn(arguments.files, arguments.out))
    return 0


def learn(files: list[Path], folder: Path) -> str:
    """Learn a model from logs, write it to ``folder``, and return a text that says how good it is.

    Raises `BuildError` or `TablesError`.
    """
    from studio.people.bid_net_training import fit  # JAX takes a second to import, which the other actions do not need

    out = empty_folder(folder)
    shipped = shipped_profiles()
    collector, names, bad = BidCollector(shipped), Names(), 0
    for batch in read_all(files, names, Keys(), "studio model: read"):
        bad += len(batch.bad)
        collector.add(batch.rounds, names)
    if collector.bids < FEWEST_BIDS:
        raise BuildError(f"found {collector.bids:,} bids with hand and scores; accepted: {FEWEST_BIDS:,} or more")
    with working_on("studio model: choose the bids to learn from"):
        texts = ["", *names.labels]
        sample = collector.sample(names)
        labels, numbers = _numbers(sample, texts)
        sample = sample._replace(seen=sample.seen._replace(labels=numbers[sample.seen.labels]))
        sizes = np.bincount(sample.seen.labels, minlength=len(labels)).tolist()
        parts = split(sample)
        del sample  # as large as its parts
    chosen_on = parts.choose_on.seen, parts.choose_on.bids
    arrays = fit(parts.fit_on.seen, parts.fit_on.bids, chosen_on, len(labels), "studio model: learn")
    with working_on("studio model: judge it on held-out games"):
        judged = _judged(arrays, parts, len(labels))
        nils, contracts = success_corrections(parts, shipped[PARTNERSHIP_PROFILE].contract_made, len(labels))
    with working_on("studio model: replay rounds to fit the card play"):
        plays = card_play.fit(collector.replayed(names, numbers), len(labels))
    learned = {"nil_success": nils.weights, "contract_success": contracts.weights}
    learned["blend"] = np.array([play.blend for play in plays])
    report = {
        "held_out": {label: found._asdict() for label, found in zip(labels, judged, strict=True)},
        "blind_nils": {texts[number]: found for number, found in sorted(collector.blind.items())},
        "card_play": {label: play._asdict() for label, play in zip(labels, plays, strict=True)},
        "successes": {"nil": nils.figures(), "contract": contracts.figures()},
        "rounds": collector.rounds,
    }
    figures = {f"likelihood_{label}": found.likelihood for label, found in zip(labels, judged, strict=True)}
    with working(work_folder(out, "model")) as work:  # an interrupted run leaves no half model in ``out``
        version = write_model(work, {**arrays, **learned}, dict(zip(labels, sizes, strict=True)), report, figures)
        move_content(work, out)
    parts_of_text = (
        f"{collector.rounds:,} rounds, {sum(sizes):,} bids; {bad:,} records with a fault are not used.\n"
        f"Model {version} in {folder}. Log-likelihood for each bid on one game in {HELD_OUT}, which was held out:",
        _bids_table(labels, sizes, judged),
        _successes_table({"nils": nils, "contracts": contracts}),
        "Card play: the blend plays a round as WRP with this probability, otherwise as SRP.",
        _plays_table(labels, plays),
    )
    return "\n\n".join(parts_of_text)


def write_model(
    out: Path, arrays: Arrays, sizes: Mapping[str, int], report: Mapping[str, Any], figures: Mapping[str, float]
) -> str:
    """Write a model, which `arena.people.model.read_model` reads, to a folder; return its version.

    ``sizes``: bids by label, in the order of the arrays.
    """
    out.mkdir(parents=True, exist_ok=True)
    files = {f"{name}.npy": write_array(out, name, array, AXES[name], RELEASE) for name, array in arrays.items()}
    tables = shipped_set()
    parameters = {**report, "labels": list(sizes), "tables": tables.version}
    entry = FamilyEntry(VERSION, False, 0, dict(sizes), parameters, dict(figures), tables.sha256, None)
    write_manifest(out, RELEASE, files, {RELEASE: entry})
    return read_manifest(out).version


def _bids_table(labels: list[str], sizes: list[int], judged: list[Judgement]) -> str:
    rows = []
    for label, size, found in zip(labels, sizes, judged, strict=True):
        figures = found.marginal, found.bis_with_noise, found.likelihood, found.calibration_error
        shown = (f"{x:.4f}" if found.bids else "-" for x in figures)
        rows.append((label or "no label", f"{size:,}", f"{found.bids:,}", *shown))
    return table("label | bids | held out | shares of bids | bis with noise | model | calibration error", rows)


def _successes_table(corrections: dict[str, Correction]) -> str:
    rows = [
        (name, f"{found.n_tried:,}", f"{found.shipped_loss:.5f}", f"{found.loss:.5f}")
        for name, found in corrections.items()
    ]
    return table("corrected | cases | loss of the shipped table, held out | loss", rows)


def _plays_table(labels: list[str], plays: list[card_play.Fit]) -> str:
    rows = [
        (
            label or "no label",
            f"blend(wrp={play.blend:g})",
            *_made(play.nils, play.nils_made, play.blend_nils_made),
            *_made(play.contracts, play.contracts_made, play.blend_contracts_made),
        )
        for label, play in zip(labels, plays, strict=True)
    ]
    return table("label | card player | nils | made | by the blend | contracts | made | by the blend", rows)


def _made(cases: int, *shares: float) -> tuple[str, ...]:
    return f"{cases:,}", *(f"{share:.3f}" if cases else "-" for share in shares)


def _numbers(sample: Sample, texts: list[str]) -> tuple[list[str], NDArray[np.int16]]:
    # The labels in use, sorted, and the new number of each label; ``texts``: labels by their numbers in ``sample``.
    used = np.unique(sample.seen.labels).tolist()
    labels = sorted(texts[number] for number in used)
    numbers = np.zeros(len(texts), np.int16)
    for number in used:
        numbers[number] = labels.index(texts[number])
    return labels, numbers


def _judged(arrays: Arrays, parts: Split, labels: int) -> list[Judgement]:
    found = []
    for label in range(labels):
        learned, held_out = (part_of(one, one.seen.labels == label) for one in (parts.fit_on, parts.held_out))
        marginal, by_class = shares_of_bids(learned.bids), shares_of_classes(learned.seen, learned.bids)
        found.append(judge(arrays, (held_out.seen, held_out.bids), marginal, by_class))
    return found
