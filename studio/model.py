"""Learn a model of the people in logs: `python -m studio model`.

The folder holds a net that states P(bid | hand, auction, score, label), and in its manifest how well the net does on
held-out games. The arena seats such people (`model(folder=FOLDER)`).

One game in HELD_OUT judges the model. Of the others, one in CHOOSING chooses how long the model is trained, and the
rest trains it. A hash of the game's id decides, so that all rounds of a game have the same purpose.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars
from numpy.typing import NDArray

from arena.chunks import Arrays
from arena.engine.mixing import mixed
from arena.engine.states import STATE
from arena.errors import BuildError
from arena.markdown import table
from arena.people.bid_net import Seen, positions
from arena.people.inputs import NIL_VALUE_AT, P_NIL_AT, STEPS, VERSION
from arena.people.model import AXES, RELEASE, contract_features, nil_features
from arena.progress import working_on
from spades.legal import BLIND_NIL, NIL, TRICKS
from spades.manifest import FamilyEntry, read_manifest
from spades.rules import Rules
from spades.tables import PARTNERSHIP_PROFILE, Tables
from studio.fit.counting import HELD_OUT
from studio.people import card_play
from studio.people.judging import Judgement, judge
from studio.people.success_fit import Cases, Correction, learn
from studio.reading import FILES, read_all
from studio.rounds import NO_LABEL, NO_POINTS, NO_TRICKS, Keys, Names, Rounds
from studio.set_folders import empty_folder, move_content, work_folder, working
from studio.sets import shipped_profiles, shipped_set, write_array
from tables.run.build import write_manifest

CHOOSING = 10
FEWEST_BIDS = 1_000
MOST_REPLAYED = 20_000  # rounds that are kept to be played again
MOST_BIDS = 2_000_000  # bids that are kept; of labels with more bids than others, only a random part is kept
AT_A_TIME = 100_000  # bids of which a sample is made at a time
EVERY = 2**64 - 1
_KEY, _GROUP = polars.col("key"), polars.col("group")


class Sample(NamedTuple):
    """n bids; `Seen.labels` are the log's label numbers plus 1, so that 0 has no label."""

    seen: Seen
    bids: NDArray[np.int8]  # (n,)
    games: NDArray[np.uint64]  # (n,)
    results: NDArray[np.int8]  # (n, 3): own tricks and partner's, or NO_TRICKS, and partner's bid


class Reservoir:
    """Rows of a log, chosen by a hash: at most ``most``, and only a part of groups that have more rows than others.

    Its frames have the columns `key`, a hash, and `group`, an integer.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._limits: dict[int, int] = {}  # by group of which only a part is kept: the largest hash
        self.rows = polars.DataFrame()

    def add(self, rows: polars.DataFrame) -> None:
        """Add rows. While there are too many, keep half of the largest group."""
        for group, limit in self._limits.items():
            rows = rows.filter((group != _GROUP) | (limit >= _KEY))
        self.rows = polars.concat([self.rows, rows]) if len(self.rows) else rows
        while len(self.rows) > self._most:
            sizes = self.rows["group"].value_counts().sort(["count", "group"], descending=[True, False])
            group = sizes["group"][0]
            self._limits[group] = limit = self._limits.get(group, EVERY) // 2
            self.rows = self.rows.filter((group != _GROUP) | (limit >= _KEY))


class BidCollector:
    """Collects the bids of batches of a log, which were read with the same `Names`."""

    def __init__(self, profiles: tuple[Tables, ...]) -> None:
        self._profiles = profiles
        self._bids = Reservoir(MOST_BIDS)  # a group for each label
        self._replayed = Reservoir(MOST_REPLAYED)  # one group
        self.rounds = 0

    def add(self, rounds: Rounds) -> None:
        """Add the rounds of a batch that have scores: the bids of seats whose hand is known."""
        if not len(rounds.bids):
            return
        labels = rounds.labels - NO_LABEL
        usable = (rounds.hands != 0) & (rounds.scores[:, :1] != NO_POINTS)
        self.rounds += int(usable.any(axis=1).sum())
        frame = polars.DataFrame({**rounds._asdict(), "labels": labels}).drop("plays")
        keys = mixed(rounds.keys[:, None] + np.arange(1, 5, dtype=np.uint64))
        rows, seats = np.nonzero(usable & (rounds.bids <= TRICKS))
        bids = frame[rows].with_columns(key=keys[rows, seats], group=labels[rows, seats], seat=seats)
        self._bids.add(bids.sort("rules", maintain_order=True))
        whole = usable.all(axis=1) & (rounds.tricks[:, 0] != NO_TRICKS)
        self._replayed.add(frame.with_columns(key=mixed(rounds.keys), group=polars.lit(0)).filter(whole))

    def replayed(self, names: Names, numbers: NDArray[Any]) -> list[card_play.Rounds]:
        """Return rounds to be played again; ``numbers``: the new number of each label."""
        found = []
        for number in sorted(self._replayed.rows["rules"].unique()):
            rows = self._replayed.rows.filter(rules=number)
            hands, bids, tricks, scores, bags = (np.array(rows[name]) for name in card_play.Rounds._fields[1:-1])
            labels = numbers[rows["labels"].to_numpy()].astype(np.int64)
            found.append(card_play.Rounds(names.rules[number], hands, bids, tricks, scores, bags, labels))
        return found

    @property
    def bids(self) -> int:
        """The number of bids kept."""
        return len(self._bids.rows)

    def sample(self, names: Names) -> Sample:
        """Return all bids collected, of which there is at least one."""
        bids = self._bids.rows
        parts, places = [], []
        for number in bids["rules"].unique().to_list():
            at = np.flatnonzero(bids["rules"] == number)
            for first in range(0, len(at), AT_A_TIME):
                places.append(at[first : first + AT_A_TIME])
                parts.append(self._part(bids[places[-1]], names.rules[number]))
        seen = Seen(*(np.concatenate(column) for column in zip(*(one.seen for one in parts), strict=True)))
        rest = (np.concatenate(column) for column in zip(*(one[1:] for one in parts), strict=True))
        return part_of(Sample(seen, *rest), np.argsort(np.concatenate(places)))

    def _part(self, bids: polars.DataFrame, rules: Rules) -> Sample:
        # The sample of bids with the same rules.
        columns = {name: np.array(bids[name]) for name in bids.columns}
        n, seats, tricks, all_bids = np.arange(len(bids)), columns["seat"], columns["tricks"], columns["bids"]
        states = np.zeros(len(bids), STATE)
        states["hand"][n, seats] = columns["hands"][n, seats]
        states["bid"], states["score"], states["bags"] = all_bids, columns["scores"], np.maximum(0, columns["bags"])
        seen = positions(states, seats, rules, self._profiles)
        seen = seen._replace(x=seen.x.astype(np.float16), labels=columns["group"].astype(np.int16))
        partners = (seats + 2) & 3
        results = np.stack([tricks[n, seats], tricks[n, partners], all_bids[n, partners]], axis=1)
        return Sample(seen, all_bids[n, seats], columns["games"], results)


def part_of(sample: Sample, rows: NDArray[Any]) -> Sample:
    """Return some bids of a sample."""
    return Sample(Seen(*(column[rows] for column in sample.seen)), *(column[rows] for column in sample[1:]))


class Split(NamedTuple):
    """Bids by what their games are for."""

    fit_on: Sample
    choose_on: Sample
    held_out: Sample


def split(sample: Sample) -> Split:
    """Return the bids to fit on, those that choose the number of passes, and those that judge."""
    held_out = sample.games % np.uint64(HELD_OUT) == 0
    choosing = ~held_out & (sample.games // np.uint64(HELD_OUT) % np.uint64(CHOOSING) == 0)
    return Split(*(part_of(sample, rows) for rows in (~held_out & ~choosing, choosing, held_out)))


def success_corrections(parts: Split, shipped: Any, labels: int) -> tuple[Correction, Correction]:
    """Return the corrections of P(nil made) and P(contract made); ``shipped``: shares of contracts made (2, 27)."""
    learned = [_cases(parts.fit_on, shipped), _cases(parts.choose_on, shipped)]
    fit_on = [Cases(*(np.concatenate(columns) for columns in zip(*pair, strict=True))) for pair in zip(*learned)]
    held_out = _cases(parts.held_out, shipped)
    nils, contracts = (learn(one, other, labels) for one, other in zip(fit_on, held_out, strict=True))
    return nils, contracts


def _cases(sample: Sample, shipped: NDArray[Any]) -> tuple[Cases, Cases]:
    # The nils and the contracts of a sample whose tricks are known. A contract comes once for each partner.
    own, partners, partner_bids = sample.results.T.astype(np.int64)
    known = own != NO_TRICKS
    labels, bids = sample.seen.labels.astype(np.int64), sample.bids.astype(np.int64)
    rows = np.flatnonzero(known & (bids == NIL))
    x = sample.seen.x[rows].astype(np.float64)
    stated = x[:, P_NIL_AT : P_NIL_AT + STEPS].sum(axis=1) / STEPS
    features = nil_features(x[:, NIL_VALUE_AT], x[:, :4].argmax(axis=1), partner_bids[rows])
    nils = Cases(stated, features, labels[rows], np.ones(len(rows)), (own[rows] == 0).astype(np.float64))
    rows = np.flatnonzero(known & (bids > 0))
    with_nil = (partner_bids[rows] == NIL) | (partner_bids[rows] == BLIND_NIL)
    contract = np.minimum(26, bids[rows] + np.where(with_nil, 0, partner_bids[rows]))
    made = own[rows] + np.where(with_nil, 0, partners[rows]) >= contract
    cells = (labels[rows] * 2 + with_nil) * 27 + contract
    used, at = np.unique(cells, return_inverse=True)
    level, by_nil, asked = used // 54, used // 27 % 2, used % 27
    return nils, Cases(
        shipped[by_nil, asked].astype(np.float64),
        contract_features(asked, by_nil),
        level,
        np.bincount(at, minlength=len(used)).astype(np.float64),
        np.bincount(at, weights=made, minlength=len(used)).astype(np.float64),
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the action."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=FILES)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the model to write; a new folder")


def main(arguments: argparse.Namespace) -> int:
    """Run the action. Raises `BuildError` or `TablesError`."""
    print(learn_model(arguments.files, arguments.out))
    return 0


def learn_model(files: list[Path], folder: Path) -> str:
    """Learn a model from logs, write it to ``folder``, and return a text that says how good it is.

    Raises `BuildError` or `TablesError`.
    """
    from studio.people.bid_net_training import fit  # JAX takes a second to import, which the other actions do not need

    out = empty_folder(folder)
    shipped = shipped_profiles()
    collector, names, bad = BidCollector(shipped), Names(), 0
    for batch in read_all(files, names, Keys(), "studio model: read"):
        bad += len(batch.bad)
        collector.add(batch.rounds)
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
        found.append(judge(arrays, (learned.seen, learned.bids), (held_out.seen, held_out.bids)))
    return found
