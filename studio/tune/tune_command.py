"""Choose options for a policy by games beside people of a model: `python -m studio tune`.

The tables and the model are learned from the same log. The new table set has the same arrays, and in its manifest the
options that win most games with these people, which the service then uses (`spades.set_options`). Standard output has
only the set's folder; the report is on standard error.
"""

import argparse
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from arena.batched import with_tables
from arena.chunks import Executor
from arena.engine.simulate import kernel_tables
from arena.errors import BuildError
from arena.executors import add_executor_arguments, executor_of
from arena.markdown import gain, table
from arena.match import Match, play
from arena.match_command import add_rules_arguments, rules_of
from arena.progress import working_on
from arena.result import decided_by
from arena.stats import Gain
from arena.store import stored
from spades.arguments import integer
from spades.manifest import RESEARCH, FamilyEntry, path_of
from spades.policies import SERVED, option_names
from spades.rules import VARIANTS
from spades.set_options import FAMILY, PolicyOptions, options_of
from spades.tableset import DEFAULT_DIRECTORY, open_tables
from studio.beside_people import Scores, add_seats_arguments, beside_people, difference
from studio.set_folders import add_out_argument, folder_of_sets, work_folder, working, write_version
from studio.tune.option_search import LADDERS, Found, Ladders, next_seed, search, text_of
from tables.run.build import write_manifest
from tables.run.family import recorded

FEWEST_PAIRS = 20
JUDGED = 1000  # added to the seed for the games that compare the new set with the shipped one


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the action."""
    parser.add_argument("tables", type=Path, metavar="FOLDER", help="a table set: tables/data, or one of `studio fit`")
    add_out_argument(parser)
    people = "the people in the games, from `studio model` of the same log, such as model(folder=FOLDER, kind=human)"
    parser.add_argument("--people", required=True, metavar="MODEL", help=people)
    add_seats_arguments(parser)
    parser.add_argument("--policy", default="bis", metavar="NAME", help="the policy (default %(default)s)")
    tried = "; ".join(f"{name}: {', then '.join(map(_shown, groups))}" for name, groups in LADDERS.items())
    text = f"an option and the values to try; can be repeated, for all combinations. Default for {tried}"
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE,VALUE,...", help=text)
    pairs = "pairs of games that confirm the best options; the default search plays about 13 times as many"
    parser.add_argument("--pairs", type=integer, default=4_000, help=f"{pairs} (default %(default)s)")
    parser.add_argument("--seed", type=integer, default=1, help="seed of the deals (default %(default)s)")
    add_rules_arguments(parser)
    add_executor_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Run the action.

    Raises `ArenaError`, `BuildError`, `AgentError`, `PolicyError`, `RulesError` or `TablesError`.
    """
    out = folder_of_sets(arguments.out)
    if arguments.pairs < FEWEST_PAIRS:
        raise BuildError(f"--pairs is {arguments.pairs}; accepted: {FEWEST_PAIRS} or more")
    rules = rules_of(arguments)
    groups = _groups(arguments.policy, arguments.option)
    match = beside_people(
        arguments.people, rules, arguments.pairs, arguments.seed, arguments.player, arguments.both_partners
    )
    with working(work_folder(out, "tune")) as work, executor_of(arguments.scheduler, arguments.jobs) as executor:
        found, changed = tune(arguments.tables, arguments.policy, groups, match, work, executor)
        folder = write_version(out, lambda new: write(arguments.tables, new, arguments.policy, found, changed, match))
    print(_report(folder, arguments.policy, found, changed), end="", file=sys.stderr)
    print(folder)
    return 0


def tune(
    tables: Path, policy: str, groups: Sequence[Ladders], match: Match, work: Path, executor: Executor
) -> tuple[Found, Gain]:
    """Return the best options, and what ``policy`` gains with them and ``tables`` over the shipped tables.

    The gain is measured on deals that the search did not use. Finished games are kept in ``work``.
    """
    shipped = open_tables(DEFAULT_DIRECTORY)
    profiles = kernel_tables(shipped.arrays)
    own = open_tables(tables)
    if any(entry[:2] == (policy, VARIANTS[match.rules.variant]) for entry in options_of(own)):
        raise BuildError(f"{tables} has options for {policy} already; accepted: a set without")

    def played(text: str, pairs: int, seed: int) -> Scores:
        one = replace(match, a=text, pairs=pairs, seed=seed)
        with stored(decided_by(one, shipped), work, remove=False) as kept:
            return play(one, profiles, executor, kept=kept).scores

    def with_own(text: str, pairs: int, seed: int) -> Scores:
        return played(with_tables(text, tables), pairs, seed)

    found = search(policy, groups, match, with_own)
    seed = next_seed(match.seed, JUDGED)
    with working_on("studio tune: play the games that compare the new set with the shipped tables"):
        chosen = with_own(text_of(policy, found.options), match.pairs, seed)
        return found, difference(chosen, played(policy, match.pairs, seed))


def write(tables: Path, out: Path, policy: str, found: Found, changed: Gain, match: Match) -> None:
    """Write the set of ``tables`` with the options that were found to ``out``."""
    opened = open_tables(tables)
    manifest = opened.manifest
    (out / RESEARCH).mkdir(parents=True, exist_ok=True)
    for name in manifest.files:
        shutil.copyfile(path_of(tables, name), path_of(out, name))
    rows = list(options_of(opened))
    if found.options:
        rows.append(PolicyOptions(policy, VARIANTS[match.rules.variant], found.options))
    parameters = {
        FAMILY: [row._asdict() for row in rows],
        "policy": policy,
        "best": found.best,
        "people": match.b,
        "rules": recorded(match.rules),
    }
    gains = {"gain": found.gain, "gain_over_shipped": changed}
    figures = {f"{name}_{end}": value for name, one in gains.items() for end, value in one._asdict().items()}
    sizes = {"candidates": found.candidates, "search_pairs": found.pairs, "pairs": match.pairs}
    entry = FamilyEntry(1, False, match.seed, sizes, parameters, figures, manifest.sha256, None)
    write_manifest(out, manifest.release, manifest.files, {**manifest.families, FAMILY: entry})


def _groups(policy: str, given: Sequence[str]) -> Sequence[Ladders]:
    if policy not in SERVED:
        raise BuildError(f"--policy is {policy!r}; accepted: {', '.join(SERVED)}")
    found: dict[str, list[str]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals or name not in option_names(policy) or name == "tuned":
            accepted = ", ".join(one for one in option_names(policy) if one != "tuned")
            raise BuildError(
                f"--option is {text!r}; accepted: NAME=VALUE,VALUE,... with an option of {policy}: {accepted}"
            )
        found.setdefault(name, []).extend(values.split(","))
    if not found and policy not in LADDERS:
        raise BuildError(f"--policy is {policy} without --option; accepted: {', '.join(LADDERS)}, or values to try")
    return (found,) if found else LADDERS[policy]


def _shown(ladders: Ladders) -> str:
    return " ".join(f"{name}={','.join(values)}" for name, values in ladders.items())


def _report(folder: Path, policy: str, found: Found, changed: Gain) -> str:
    best, chosen = text_of(policy, found.best), text_of(policy, found.options)
    over_shipped = f"`{chosen}` with the fitted tables over `{policy}` with the shipped ones"
    rows = [(over_shipped, gain(changed.mean, changed[1:], 1))]
    if found.best:
        over_plain = f"`{best}` over `{policy}`, both with the fitted tables"
        rows.insert(0, (over_plain, gain(found.gain.mean, found.gain[1:], 1)))
    lines = [
        f"{found.candidates} candidates, {found.pairs:,} pairs of games.",
        f"Tables in {folder}\n",
        "Games won more, in percent, with 95% intervals, on deals that the search did not see:\n",
        table("compared | difference", rows),
        "",
    ]
    if not found.best:
        lines.append(f"No options: in the search, no candidate won more games than `{policy}`.\n")
    elif not found.options:
        lines.append(f"No options: the gain of `{best}` may be chance, so `{policy}` stays as it is.\n")
    if changed.low <= 0:
        lines.append("**Not better than the shipped tables**, or only by chance.\n")
    return "\n".join(lines)
