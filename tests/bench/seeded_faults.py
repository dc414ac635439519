"""How many of 30 seeded faults the tests find: `python -m tests.bench.seeded_faults [--suite fast] [--resume FILE]`.

A fault is one mistake that a developer could make. The list was written before anybody looked at which tests find what,
and it is fixed: a change of the tests must not lower the share that `make test` and `make test-fast` catch. If the code
of a fault changes, write the same mistake into the new code.

The command copies HEAD to a temporary folder (a git worktree) and works there:

1. For each fault, it runs the tests that are most likely to find it (`Fault.likely`), if they belong to the suite.
2. All faults that are left are put in together, and the whole suite runs once. Each test that fails then runs with each
   of these faults alone. That is repeated until the suite finds no more of them. The others are missed.

A fault is caught if a test fails with it alone, and passes without it. So a test that fails now and then catches
nothing. What the fast suite has caught, by the file of ``--resume``, the full suite catches too.

Each decided fault is one line of JSON in the file of ``--resume``. A second run with this file goes on from there. Use
a new file for other code, and run `git worktree prune` after a run that was killed. The exit code is 0, whatever the
share.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, time
from typing import NamedTuple

from arena.markdown import table

ROOT = Path(__file__).resolve().parents[2]
AREAS = ("scoring", "legality", "reading", "limits", "reasons", "fits", "statistics", "app")
SUITES = ("fast", "full")
AT_ONCE = 10  # faults that are decided together, so that a run that is stopped loses few
# The line of the Makefile with pytest's arguments.
_MAKEFILE = {
    "fast": r"^test-fast:.*\n\t\$\(GROUPED\) (.*) \$\(ARGS\)$",
    "full": r"^TEST = \$\(GROUPED\) (.*) \$\(ARGS\)$",
}
_PASSED, _FAILED, _INTERRUPTED, _NO_TESTS = 0, 1, 2, 5  # exit codes of pytest; -x interrupts its workers


class Fault(NamedTuple):
    """A mistake: ``faulty`` instead of ``right``, a text that occurs once in ``file``."""

    name: str
    area: str  # one of AREAS
    file: str
    right: str
    faulty: str
    likely: tuple[str, ...]  # the tests that are most likely to find it


FAULTS = (
    # ---- scoring
    Fault(
        "one-bag-penalty-a-round",
        "scoring",
        "spades/scoring.py",
        "    while bags >= rules.bag_limit:",
        "    if bags >= rules.bag_limit:",
        ("tests/spades/test_scoring.py",),
    ),
    Fault(
        "losing-goal-must-be-passed",
        "scoring",
        "spades/winprob/outcome_values.py",
        "(points <= game.rules.lose - game.first_points)",
        "(points < game.rules.lose - game.first_points)",
        ("tests/spades/winprob", "tests/service/test_winprob.py"),
    ),
    Fault(
        "other-side-bids-first-next",
        "scoring",
        "arena/engine/results.py",
        "    return win_probability_after(after, us, win_slice, rules, win)",
        "    return win_probability_after(after, them, win_slice, rules, win)",
        ("tests/arena/players/test_uct.py", "tests/arena/players/test_search.py"),
    ),
    # ---- legality
    Fault(
        "deuce-of-spades-breaks-nothing",
        "legality",
        "spades/legal.py",
        "    if card >= FIRST_SPADE:",
        "    if card > FIRST_SPADE:",
        ("tests/studio/test_logs.py", "tests/spades/play", "tests/parity"),
    ),
    Fault(
        "room-for-one-trick-of-partner",
        "legality",
        "spades/legal.py",
        "            high -= low  # leave room",
        "            high -= 1  # leave room",
        ("tests/spades/test_legal.py", "tests/spades/bis/test_rule_options.py"),
    ),
    Fault(
        "nil-beside-blind-nil",
        "legality",
        "spades/legal.py",
        "        elif tricks == 0 and not rules.double_nil:",
        "        elif partner_bid == NIL and not rules.double_nil:",
        ("tests/spades/test_legal.py", "tests/service/test_blind.py"),
    ),
    Fault(
        "of-two-nils-nobody-gives-first",
        "legality",
        "spades/passing.py",
        "is_nil(bids[seat]) and not (seat > 1 and is_nil(bids[seat ^ 2]))",
        "is_nil(bids[seat]) and not is_nil(bids[seat ^ 2])",
        ("tests/spades/test_passing.py", "tests/service/test_pass.py", "tests/service/test_card.py"),
    ),
    # ---- reading
    Fault(
        "deuces-of-jjdd-spade-swapped",
        "reading",
        "spades/cards.py",
        '("BJ", "LJ", "2S", "2D"), _DEUCES_OUT)',
        '("BJ", "LJ", "2D", "2S"), _DEUCES_OUT)',
        ("tests/spades/test_decks.py", "tests/service/test_other_games.py"),
    ),
    Fault(
        "cached-rules-without-types",
        "reading",
        "spades/contract/fields.py",
        "_valid_rules(tuple(value.items()), tuple(map(type, value.values())))",
        "_valid_rules(tuple(value.items()), ())",
        ("tests/service/test_requests.py", "tests/service/test_faults.py"),
    ),
    Fault(
        "bags-of-seat-0",
        "reading",
        "spades/contract/fields.py",
        "us_bags=bags[seat]",
        "us_bags=bags[0]",
        ("tests/service/test_other_games.py", "tests/spades/bis/test_solo.py"),
    ),
    Fault(
        "csv-lines-from-1",
        "reading",
        "studio/reading.py",
        "infer_schema=False), 2  # the first line has the names",
        "infer_schema=False), 1  # the first line has the names",
        ("tests/studio/test_logs.py",),
    ),
    # ---- limits
    Fault(
        "large-bodies-given-back-in-part",
        "limits",
        "service/middleware/limits.py",
        "            self.large_bodies_bytes -= body.counted_bytes",
        "            self.large_bodies_bytes -= max(0, body.counted_bytes - MAX_BODY_BYTES)",
        ("tests/service/test_limits.py",),
    ),
    Fault(
        "slow-body-outlives-deadline",
        "limits",
        "service/middleware/deadlines.py",
        "            message = await asyncio.wait_for(receive(), deadline - perf_counter())",
        "            message = await receive()",
        ("tests/service/test_limits.py", "tests/service/test_headers.py"),
    ),
    Fault(
        "batch-costs-one-bid-more",
        "limits",
        "service/endpoints/batches.py",
        "key.bucket.debit(len(requests) - 1)",
        "key.bucket.debit(len(requests))",
        ("tests/service/test_api_keys.py", "tests/service/test_batches.py"),
    ),
    Fault(
        "single-request-with-marks-of-a-batch",
        "limits",
        "service/requests.py",
        "def read_json(body: bytes, most_marks: int = MAX_MARKS)",
        "def read_json(body: bytes, most_marks: int = MAX_BATCH_MARKS)",
        ("tests/service/test_json_limits.py",),
    ),
    # ---- reasons
    Fault(
        "scores-of-both-goals-swapped",
        "reasons",
        "spades/explanations.py",
        '"both-reach-goal", score=round(ours), their_score=round(theirs)',
        '"both-reach-goal", score=round(theirs), their_score=round(ours)',
        ("tests/spades/test_explanations.py", "tests/spades/test_reasons.py", "tests/spades/bis"),
    ),
    Fault(
        "our-bags-as-theirs",
        "reasons",
        "spades/explanations.py",
        '_bag_reasons("their-bags", turn.standing.them_bags, turn)',
        '_bag_reasons("their-bags", turn.standing.us_bags, turn)',
        ("tests/spades/test_explanations.py", "tests/spades/winprob"),
    ),
    Fault(
        "usual-card-with-percent-of-chosen",
        "reasons",
        "service/endpoints/cards.py",
        '"usual_percent": _percent(usual)',
        '"usual_percent": _percent(chosen)',
        ("tests/service/test_search.py", "tests/service/test_card.py"),
    ),
    # ---- fits
    Fault(
        "contract-shrunk-to-itself",
        "fits",
        "tables/fits.py",
        "made[nil, contract - 1], CONTRACT_PRIOR",
        "made[nil, contract], CONTRACT_PRIOR",
        ("tests/tables/test_families.py", "tests/tables/run/test_build.py"),
    ),
    Fault(
        "nil-is-neighbour-of-one",
        "fits",
        "tables/fits.py",
        "        here[2:] += there[1:-1]",
        "        here[1:] += there[:-1]",
        ("tests/tables/test_priors.py",),
    ),
    Fault(
        "weight-chosen-on-the-fitted-games",
        "fits",
        "studio/fit/fitting.py",
        "loss(at(weight, fit_on), held_out) for weight",
        "loss(at(weight, fit_on), fit_on) for weight",
        ("tests/studio/test_fit.py",),
    ),
    Fault(
        "gradient-of-half-the-penalty",
        "fits",
        "studio/fit/win_fit.py",
        ".astype(np.float64) + 2.0 * weight / n * moved",
        ".astype(np.float64) + weight / n * moved",
        ("tests/studio/test_fit.py",),
    ),
    # ---- statistics
    Fault(
        "interval-of-points-per-pair",
        "statistics",
        "arena/stats.py",
        "math.sqrt(squares * n / (n - 1)) / r",
        "math.sqrt(squares * n / (n - 1)) / n",
        ("tests/arena/test_stats.py",),
    ),
    Fault(
        "interval-of-gain-around-zero",
        "statistics",
        "studio/report.py",
        "np.sqrt(max(0.0, squares - mean * mean) / total)",
        "np.sqrt(max(0.0, squares) / total)",
        ("tests/studio/test_report.py",),
    ),
    Fault(
        "value-after-round-of-other-side",
        "statistics",
        "report/winprob.py",
        'after[np.arange(len(rounds)), rounds["first_chair"] & 1]',
        'after[np.arange(len(rounds)), 1 - (rounds["first_chair"] & 1)]',
        ("tests/report/test_winprob.py",),
    ),
    # ---- app
    Fault(
        "policy-and-convention-of-metrics-swapped",
        "app",
        "service/metrics.py",
        "bid.kind, bid.policy, bid.convention).inc()",
        "bid.kind, bid.convention, bid.policy).inc()",
        ("tests/service/test_metrics.py",),
    ),
    Fault(
        "bug-without-request-id",
        "app",
        "service/middleware/request_log.py",
        "await problem_response(internal_error())(scope, receive, send_with_headers)",
        "await problem_response(internal_error())(scope, receive, send)",
        ("tests/service/test_request_log.py", "tests/service/test_headers.py"),
    ),
    Fault(
        "canary-by-key-before-game",
        "app",
        "service/table_sets.py",
        "caller = game if type(game) is str else None if key is None else key.name",
        "caller = key.name if key is not None else game if type(game) is str else None",
        ("tests/service/test_table_choice.py", "tests/service/test_table_sets.py"),
    ),
    Fault(
        "lost-lines-counted-once",
        "app",
        "service/logs.py",
        "        self._lost += len(lines)",
        "        self._lost += 1",
        ("tests/service/test_logs.py", "tests/faults/test_logs.py"),
    ),
    Fault(
        "client-sends-its-own-deadline",
        "app",
        "clients/python/spades_client/exchange.py",
        "            left_ms = max(deadline_s - clock(), 0.001) * 1000",
        "            left_ms = self._timeout_s * 1000",
        ("tests/clients/test_python_client.py",),
    ),
)


class Decided(NamedTuple):
    """What a suite did with a fault, a line of the file of results."""

    fault: str
    suite: str
    caught: bool
    test: str  # that failed; empty if the fault is missed
    seconds: float  # since the fault before; of faults that are decided together, the first has all
    commit: str


def fault_text(fault: Fault, text: str) -> str:
    """Return the ``text`` of the fault's file with the fault. Raises `ValueError` if the right text is not there once.

    >>> fault_text(FAULTS[0], "while bags")
    Traceback (most recent call last):
    ValueError: one-bag-penalty-a-round: its text occurs 0 times in spades/scoring.py; expected once
    """
    found = text.count(fault.right)
    if found != 1:
        raise ValueError(f"{fault.name}: its text occurs {found} times in {fault.file}; expected once")
    return text.replace(fault.right, fault.faulty)


class Copy:
    """A copy of HEAD into which faults are put. Its compiled code is kept in the temporary folder ``home``."""

    def __init__(self, home: Path) -> None:
        self.tree = home / "tree"
        self._home = home
        self._times = count(int(time()) + 10, 10)  # each change gets another time, so that no old bytecode is used
        self._runs = count()

    @contextmanager
    def open(self) -> Iterator["Copy"]:
        """Make the copy, and remove it at the end."""
        _git("worktree", "add", "--quiet", "--detach", str(self.tree), "HEAD")
        try:
            for source, link in (
                (ROOT / ".venv", self.tree / ".venv"),
                (ROOT.parent / "shared", self._home / "shared"),
            ):
                if source.exists():
                    link.symlink_to(source.resolve())
            program = "import service, spades_client; print(service.__file__, spades_client.__file__)"
            command = [sys.executable, "-c", program]
            found = subprocess.run(command, cwd=self.tree, env=self._environment(), check=True, capture_output=True)
            outside = [path for path in found.stdout.decode().split() if not Path(path).is_relative_to(self.tree)]
            assert not outside, f"the copy imports {outside}, which is not in {self.tree}"
            yield self
        finally:
            _git("worktree", "remove", "--force", str(self.tree))

    @contextmanager
    def with_faults(self, faults: Sequence[Fault]) -> Iterator[None]:
        """Put the faults in, and take them back at the end."""
        paths = {self.tree / fault.file for fault in faults}
        before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}
        try:
            for fault in faults:
                path = self.tree / fault.file
                path.write_text(fault_text(fault, path.read_text(encoding="utf-8")), encoding="utf-8")
            for path in paths:
                os.utime(path, (changed := next(self._times), changed))
            yield
        finally:
            for path, (content, changed_ns) in before.items():
                path.write_bytes(content)
                os.utime(path, ns=(changed_ns, changed_ns))  # so that its compiled code is still used

    def failing(self, arguments: Sequence[str], processes: int = 0) -> list[str]:
        """Return the tests that fail, of those that pytest's ``arguments`` select. 0 ``processes``: only pytest's."""
        number = next(self._runs)
        cache, log = self._home / f"cache{number}", self._home / f"pytest{number}.log"
        command = [sys.executable, "-m", "pytest", "--dist", "loadgroup", "--no-loadscope-reorder", "-q"]
        command += ["-n", str(processes), "-o", f"cache_dir={cache}", *arguments]
        with log.open("wb") as output:
            code = subprocess.run(
                command, cwd=self.tree, env=self._environment(), stdout=output, stderr=subprocess.STDOUT
            ).returncode
        if code in (_PASSED, _NO_TESTS):
            return []
        failed = cache / "v/cache/lastfailed"
        if code not in (_FAILED, _INTERRUPTED) or not failed.exists():
            raise RuntimeError(f"pytest ended with {code}:\n{log.read_text(errors='replace')[-4000:]}")
        tests: list[str] = json.loads(failed.read_bytes())
        # pytest-xdist adds the group of a test to its name.
        return sorted({test.rpartition("@")[0] or test for test in tests} if processes else tests)

    def _environment(self) -> dict[str, str]:
        paths = os.pathsep.join((str(self.tree), str(self.tree / "clients/python")))
        own = {"PYTHONPATH": paths, "XDG_CACHE_HOME": str(self._home / "compiled"), "OPENBLAS_NUM_THREADS": "1"}
        return os.environ | own


class Suite:
    """A suite of tests: the whole of it, and those tests in it that are likely to find a fault."""

    def __init__(self, name: str, makefile: str) -> None:
        line = re.search(_MAKEFILE[name], makefile, re.MULTILINE)
        assert line is not None, f"the Makefile has no line for the suite {name} of the form {_MAKEFILE[name]}"
        words = shlex.split(line[1])
        self.name = name
        self._marks = ["-m", words[words.index("-m") + 1]]
        self._folders = [word for word in words if word.startswith("tests/")]

    def whole(self) -> list[str]:
        """Return pytest's arguments for the whole suite."""
        return [*self._folders, *self._marks]

    def likely(self, fault: Fault) -> list[str]:
        """Return pytest's arguments for the tests of the suite that are likely to find ``fault``; [] for none."""
        paths = [path for path in fault.likely if not self._folders or path.startswith(tuple(self._folders))]
        return [*paths, *self._marks] if paths else []

    def some(self, tests: Sequence[str]) -> list[str]:
        """Return pytest's arguments for some tests of the suite."""
        return [*tests, *self._marks]


class Measure:
    """A measurement of one suite. ``results``: the file to which decided faults are written."""

    def __init__(self, copy: Copy, suite: Suite, results: Path, processes: int) -> None:
        self._copy = copy
        self._suite = suite
        self._results = results
        self._processes = processes
        self._commit = _git("rev-parse", "--short", "HEAD")
        self._started = perf_counter()

    def run(self, faults: Sequence[Fault]) -> None:
        """Decide the ``faults``."""
        left: list[Fault] = []
        for first in range(0, len(faults), AT_ONCE):
            some = faults[first : first + AT_ONCE]
            left += self._by_tests({fault: self._suite.likely(fault) for fault in some})
        while left and (failing := self._together(left)):
            found = self._by_tests({fault: self._suite.some(failing) for fault in left})
            if len(found) == len(left):
                print(f"failing, but with none of the faults alone: {', '.join(failing)}", file=sys.stderr)
                break
            left = found
        for fault in left:
            self._decide(fault, "")

    def _together(self, faults: Sequence[Fault]) -> list[str]:
        """Return the tests of the whole suite that fail with all ``faults``, and pass without."""
        print(f"{self._suite.name}: {len(faults)} faults together", file=sys.stderr, flush=True)
        with self._copy.with_faults(faults):
            failing = self._copy.failing(self._suite.whole(), self._processes)
        return self._steady(failing)

    def _steady(self, tests: Sequence[str]) -> list[str]:
        """Return those of the ``tests`` that pass without any fault."""
        failing = self._copy.failing(self._suite.some(tests)) if tests else []
        if failing:
            print(f"failing without a fault too: {', '.join(failing)}", file=sys.stderr, flush=True)
        return [test for test in tests if test not in failing]

    def _by_tests(self, arguments: dict[Fault, list[str]]) -> list[Fault]:
        """Decide the faults that are caught by the tests that pytest's ``arguments`` select; return the others."""
        caught = {}
        for fault, selected in arguments.items():
            with self._copy.with_faults([fault]):
                failing = self._copy.failing(["-x", *selected]) if selected else []
            if failing:
                caught[fault] = failing[0]
        steady = self._steady(sorted({*caught.values()}))
        for fault, test in caught.items():
            if test in steady:
                self._decide(fault, test)
        return [fault for fault in arguments if caught.get(fault) not in steady]

    def _decide(self, fault: Fault, test: str) -> None:
        now = perf_counter()
        seconds, self._started = round(now - self._started, 1), now
        decided = Decided(fault.name, self._suite.name, bool(test), test, seconds, self._commit)
        with self._results.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(decided._asdict())}\n")
        print(f"{fault.name}: {test or 'missed'} ({seconds:g} s)", file=sys.stderr, flush=True)


def shares(decided: Sequence[Decided]) -> str:
    """Return the faults that were caught, by area and suite, as a table."""
    rows = []
    for area in (*AREAS, "all"):
        names = {fault.name for fault in FAULTS if area in (fault.area, "all")}
        own = [one for one in decided if one.fault in names]
        cells = []
        for suite in SUITES:
            known = [one for one in own if counts_for(suite, one)]
            left = len(names) - len(known)
            cells.append(f"{sum(one.caught for one in known)} of {len(names)}" + (f" ({left} open)" if left else ""))
        missed = sorted(one.fault for one in own if one.suite == "full" and not one.caught)
        rows.append((area, *cells, ", ".join(missed) if area != "all" else ""))
    return table("area | make test-fast | make test | missed by both", rows)


def counts_for(suite: str, decided: Decided) -> bool:
    """Return whether ``suite`` needs no run for a fault: it has decided it, or the fast suite has caught it."""
    return decided.suite == suite or (decided.suite == "fast" and decided.caught)


def read_results(path: Path) -> list[Decided]:
    """Return the decided faults of a file of results; none if it does not exist."""
    return [Decided(**json.loads(line)) for line in path.read_text().splitlines()] if path.exists() else []


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.seeded_faults", description=__doc__.splitlines()[0])
    parser.add_argument("--suite", choices=SUITES, default="fast", help="tests to run (default: fast)")
    parser.add_argument("--only", action="append", choices=[fault.name for fault in FAULTS], help="decide this fault")
    parser.add_argument("--resume", type=Path, default=ROOT / "build/seeded_faults.jsonl", help="file of results")
    parser.add_argument("--processes", type=int, default=2, help="processes of pytest (default: 2)")
    arguments = parser.parse_args()
    results: Path = arguments.resume
    results.parent.mkdir(parents=True, exist_ok=True)
    known = {one.fault for one in read_results(results) if counts_for(arguments.suite, one)}
    faults = [fault for fault in FAULTS if fault.name not in known and fault.name in (arguments.only or fault.name)]
    if faults:
        suite = Suite(arguments.suite, (ROOT / "Makefile").read_text(encoding="utf-8"))
        with TemporaryDirectory(prefix="seeded-faults-") as folder, Copy(Path(folder)).open() as copy:
            Measure(copy, suite, results, arguments.processes).run(faults)
    print(shares(read_results(results)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
