"""`python -m tests.same_answers --base COMMIT`: does the working tree answer as that commit does?

Starts the services of both trees, sends both the same requests, and fails on every difference that `differences.py`
does not declare. With --arena it also plays matches with both trees.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack

from tqdm import tqdm

from tests.same_answers.catalogue import read_catalogue
from tests.same_answers.client import Connection, Request
from tests.same_answers.commands import BID_COMMANDS, BID_S, MATCH_S, MATCHES, Command, run_in_both
from tests.same_answers.comparison import Difference, differences_of, places_of
from tests.same_answers.coverage import Coverage
from tests.same_answers.differences import Tally
from tests.same_answers.requests import batches, make_requests
from tests.same_answers.trees import ROOT, Tree, TreeError, checked_out, default_base, git, running_service, tree_of

_MOST_SHOWN = 10
_MOST_KINDS = 40
_MOST_CHARS = 4000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code: 0 same answers, 1 differences or holes in the coverage, 2 it could not run."""
    options = _parser().parse_args(arguments)
    try:
        base = options.base or default_base()
        print(f"Base: {git('log', '-1', '--format=%h %s', base)}", flush=True)
        with checked_out(base) as base_tree:
            return compare(base_tree, tree_of(ROOT), options.requests, options.seed, options.arena)
    except (TreeError, ConnectionError) as error:
        print(f"same_answers: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def compare(base: Tree, new: Tree, requests: int, seed: int, arena: bool) -> int:
    """Ask both trees everything and print what came out; the exit code."""
    tally = Tally()
    holes = compare_http(base, new, requests, seed, tally) if requests else []
    if requests:
        compare_commands(BID_COMMANDS, base, new, BID_S, tally)
    if arena:
        compare_commands(MATCHES, base, new, MATCH_S, tally)
    return report(tally, holes)


def compare_http(base: Tree, new: Tree, count: int, seed: int, tally: Tally) -> list[str]:
    """Send the requests to the services of both trees; return what was not covered."""
    started = time.monotonic()
    with ExitStack() as stack:
        ports = [stack.enter_context(running_service(tree)) for tree in (base, new)]
        coverage = ask_both(ports[0], ports[1], count, seed, tally)
    print(f"{sum(coverage.counts['statuses'].values()):,} requests, {time.monotonic() - started:.0f} s")
    print("\n".join(coverage.lines()))
    return coverage.holes()


def ask_both(base_port: int, new_port: int, count: int, seed: int, tally: Tally) -> Coverage:
    """Send the requests to two services and put the differences into ``tally``; what was covered."""
    catalogue = read_catalogue(base_port)
    coverage = Coverage(catalogue)
    requests = make_requests(catalogue, count, seed)
    connections = [Connection(port) for port in (base_port, new_port)]
    answers = []

    def ask(request: Request) -> None:
        for connection in connections:
            connection.send(request)
        base, new = (connection.receive(request) for connection in connections)
        tally.add(differences_of(request, base, new))
        coverage.add(request, base)
        answers.append(base)

    try:
        for request in tqdm(requests, "requests", disable=None):
            ask(request)
        for request in tqdm(list(batches(requests, answers)), "batches", disable=None):
            ask(request)
    finally:
        for connection in connections:
            connection.close()
    return coverage


def compare_commands(commands: Sequence[Command], base: Tree, new: Tree, limit_s: float, tally: Tally) -> None:
    """Run the commands in both trees."""
    started = time.monotonic()
    for command in tqdm(commands, "commands", disable=None):
        at = time.monotonic()
        printed = run_in_both(command, base, new, limit_s)
        places = places_of(printed[0].comparable, printed[1].comparable)
        tally.add(Difference(command, *place) for place in places)
        failed = [one for one in printed if one.exit_code not in (0, 2)]
        if failed:
            print(f"WARNING: exit code {failed[0].exit_code}: {command.command()}\n{failed[0].errors[-1000:]}")
        elif limit_s == MATCH_S:
            tqdm.write(f"{command.label}: {time.monotonic() - at:.0f} s")
    print(f"{len(commands)} commands, {time.monotonic() - started:.0f} s", flush=True)


def report(tally: Tally, holes: Sequence[str]) -> int:
    """Print the differences; the exit code."""
    for line in tally.lines():
        print(line)
    if holes:
        print(f"NOT COVERED, add requests in tests/same_answers: {'; '.join(holes)}")
    if tally.undeclared:
        print(f"\n{len(tally.undeclared):,} UNDECLARED DIFFERENCES")
        for kind, count in Counter(difference.kind for difference in tally.undeclared).most_common(_MOST_KINDS):
            print(f"{count:>7,}  {kind}")
        print("\nThe smallest requests, first one of each kind:")
        for difference in examples(tally.undeclared)[:_MOST_SHOWN]:
            print(f"\n[{difference.question.label}] {difference}\n  {difference.question.command()[:_MOST_CHARS]}")
        print("\nFix them, or declare what is intended in tests/same_answers/differences.py.")
    else:
        print("No undeclared difference.")
    return 1 if tally.undeclared or holes else 0


def examples(differences: Sequence[Difference]) -> list[Difference]:
    """The differences in the order to look at them: the smallest request of each kind, then all others by size."""
    by_size = sorted(differences, key=lambda difference: difference.question.size)
    first = {difference.kind: difference for difference in reversed(by_size)}
    shown = {id(difference) for difference in first.values()}
    return sorted(by_size, key=lambda difference: id(difference) not in shown)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.same_answers", description=__doc__)
    parser.add_argument("--base", metavar="COMMIT", help="default: the commit of main that this branch started from")
    parser.add_argument("--requests", type=int, default=20_000, help="how many (default %(default)s); 0: none")
    parser.add_argument("--seed", type=int, default=1, help="of the requests (default %(default)s)")
    parser.add_argument("--arena", action="store_true", help="play matches too; compiling takes minutes")
    return parser


if __name__ == "__main__":
    sys.exit(main())
