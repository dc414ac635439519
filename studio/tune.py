"""Choose options for a policy by games beside people of a model: `python -m studio tune`.

The tables and the model are learned from the same log. The new table set has the same arrays, and in its manifest the
options that win most games with these people, which the service then uses (`spades.set_options`). Standard output has
only the set's folder; the report is on standard error.

Options are searched in groups, one after the other; a later group starts from the best of the earlier ones. In a group,
every combination of values is a candidate, and all candidates play the same deals. After each stage the better half
stays and plays twice as many new deals (sequential halving: Z. Karnin, T. Koren and O. Somekh, "Almost optimal
exploration in multi-armed bandits", ICML 2013). The scores of all stages of the group count. At the end, the best
options and the policy without options play other deals. The options are kept only if the 95% interval of their gain
there is above 0.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple, TypeAlias

from tqdm import tqdm

from arena.called.policy_tables import with_tables
from arena.chunks import Executor
from arena.errors import BuildError
from arena.executors import add_executor_arguments, executor_of
from arena.markdown import gain, table
from arena.match import MOST_SEED, Match
from arena.match_command import add_rules_arguments, rules_of
from arena.progress import working_on
from arena.stats import Gain
from spades.arguments import integer
from spades.manifest import FamilyEntry
from spades.policies import SERVED, option_names, parse_policy
from spades.rules import VARIANTS
from spades.set_options import FAMILY, PolicyOptions, options_of
from spades.tableset import open_tables
from studio.beside_people import Scores, add_seats_arguments, beside_people, difference, kept_scores
from studio.set_folders import add_out_argument, folder_of_sets, work_folder, working, write_version
from studio.sets import write_set
from tables.run.family import recorded

FEWEST_PAIRS = 20
JUDGED = 1000  # added to the seed for the games that compare the new set with the shipped one
Ladders: TypeAlias = Mapping[str, Sequence[str]]  # the values to try, by option
Play: TypeAlias = Callable[[str, int, int], Scores]  # (policy text, pairs, seed)

# The groups that are searched by default. `curves` is not among them: only the full curves are fitted to a log, so the
# chances of nils that another curve states would not come true.
LADDERS: Mapping[str, Sequence[Ladders]] = {
    "bis": (
        {"nil_threshold": ("-30", "-20", "-10", "0", "25"), "offset": ("-0.6", "-0.4", "-0.2", "0", "0.15")},
        {"spade_honours": ("deny", "allow"), "nil_floor": ("0.15", "0.3")},
    )
}


class Found(NamedTuple):
    """What a search found."""

    options: str  # as in a policy text; empty: none confirmed
    best: str  # the candidate with most wins, confirmed or not
    gain: Gain  # of the best one over the policy without options
    candidates: int
    pairs: int  # that the search played, before those that confirm


def candidates(policy: str, ladders: Ladders, variant: int, chosen: str = "") -> list[str]:
    """Return all combinations after the options ``chosen``, without values that are the policy's own.

    Raises `PolicyError` for an option or value that the policy does not take.

    >>> candidates("bis", {"nil_threshold": ("0", "25"), "offset": ("0", "0.2")}, 0)
    ['nil_threshold=0', 'nil_threshold=0,offset=0.2', '', 'offset=0.2']
    """
    own = parse_policy(policy, variant)
    found = []
    for values in product(*ladders.values()):
        tried = [f"{name}={value}" for name, value in zip(ladders, values, strict=True)]
        other = [one for one in tried if parse_policy(f"{policy}:{one}", variant) != own]
        found.append(",".join([*(chosen.split(",") if chosen else ()), *other]))
    return list(dict.fromkeys(found))


def text_of(policy: str, options: str) -> str:
    """Return the policy text with ``options``, which may be empty."""
    return f"{policy}:{options}" if options else policy


def search(policy: str, groups: Sequence[Ladders], match: Match, play: Play) -> Found:
    """Return the options with which ``policy`` wins most games.

    The last two candidates of a group play the ``match``'s pairs, and so do the games that confirm the best one. Each
    stage has deals of its own: those of the match's seed, and of the seeds after it.
    """
    best, seed, tried, pairs = "", match.seed, 0, 0
    for ladders in groups:
        alive, scores = candidates(policy, ladders, match.rules.variant, best), dict[str, int]()
        tried += len(alive)
        while len(alive) > 1:
            size = max(2, match.pairs >> (len(alive) - 1).bit_length() - 1)
            for options in tqdm(alive, desc=f"studio tune: {len(alive)} candidates", unit="candidate", disable=None):
                scores[options] = scores.get(options, 0) + int(play(text_of(policy, options), size, seed).sum())
                pairs += size
            alive = sorted(alive, key=lambda options: -scores[options])[: (len(alive) + 1) // 2]
            seed = next_seed(seed)
        best = alive[0]
    with working_on("studio tune: play the games that confirm the best options"):
        one, other = (play(text_of(policy, options), match.pairs, seed) for options in (best, ""))
    gain = difference(one, other)
    return Found(best if gain.low > 0 else "", best, gain, tried, pairs)


def next_seed(seed: int, after: int = 1) -> int:
    """Return the seed ``after`` seeds later; the first one follows the last one."""
    return (seed + after) % (MOST_SEED + 1)


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
    if any(entry[:2] == (policy, VARIANTS[match.rules.variant]) for entry in options_of(open_tables(tables))):
        raise BuildError(f"{tables} has options for {policy} already; accepted: a set without")

    def played(text: str, pairs: int, seed: int) -> Scores:
        return kept_scores(replace(match, a=text, pairs=pairs, seed=seed), work, executor, progress=False)

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
    entry = FamilyEntry(1, False, match.seed, sizes, parameters, figures, opened.sha256, None)
    write_set(out, tables, opened.manifest.release, FAMILY, entry, {})


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
