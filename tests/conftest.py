"""Which tests share a process, and the tables for tests of kernels.

No test of `make test` may depend on a quiet or fast machine: a test waits for a condition with a generous limit
(`tests/patience.py`), and what needs quiet is marked `long`. To check that, run `make test-busy`: the same tests while
two other processes use the processors.

The tables' fitted parts are neutral or random, so that no refit changes a test.
The exact tables are the committed ones (test_exact and test_tableset check them). Each set exists in two forms:
`plain`, memoryviews for the service's plain Python, and `arrays`, ndarrays for compiled code.
"""

import gc
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from arena.engine.jit import machine_code
from arena.engine.simulate import KernelTables, kernel_tables, packed
from spades.bis import GRID
from spades.manifest import read_manifest
from spades.tables import PARTNERSHIP_PROFILE, SEQUENCES, Tables
from spades.tableset import DEFAULT_DIRECTORY, TableSet, open_tables
from spades.winprob import BID_INPUTS, INPUTS, OUTCOMES, WIN_CELLS
from tests.more_games import MORE_CELLS, MORE_ROWS
from tests.servers import RealServer, running_server
from tests.tools import find_program

settings.register_profile("busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy machine")

# What JAX compiles is kept from run to run, beside the machine code of numba.
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(machine_code() / "jax"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.1")

ROOT = Path(__file__).resolve().parents[1]
SERVERS = {"server", "searching_server", "serve", "real_cluster", "prometheus"}  # fixtures that start processes
WITH_SERVERS = {"test_server.py"}  # files whose tests start them
USE_ARENA = {"arena", "tables", "studio", "report"}  # packages whose doctests are grouped with tests that compile
# Folders whose tests that compile are a group of their own: they compile other loops than the simulator's tests.
OF_LOGS = ("tests/studio", "tests/bench", "tests/deploy")
# The order in which `pytest -n 3` starts groups. The long ones come first, so that all processes end at the same time.
# Between them come tests of servers, which wait while the others compute.
FIRST = ("simulator", "kernels", "tests/browser", "tests/faults", "logs")


@pytest.hookimpl(tryfirst=True)  # before -m and pytest-xdist read the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that compile or start servers, and group them for `pytest -n`; put the longest groups first.

    A group runs in one process, which compiles each loop once: the parity tests of single kernels are one group, the
    tests of logs that compile are another, and all other tests that compile are a third. The tests of pages share a
    server. Each other file is a group.
    """
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if SERVERS & fixtures or item.path.parent.name == "faults" or item.path.name in WITH_SERVERS:
            item.add_marker(pytest.mark.server)
        of_arena = isinstance(item, pytest.DoctestItem) and item.path.relative_to(ROOT).parts[0] in USE_ARENA
        if of_arena or "committed" in fixtures or item.get_closest_marker("parity"):
            item.add_marker(pytest.mark.compiled)
        group = file = str(item.path.relative_to(ROOT))
        if file.startswith("tests/browser"):
            group = "tests/browser"
        if item.get_closest_marker("compiled"):
            group = "logs" if file.startswith(OF_LOGS) else "simulator"
        if not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=_rank)


@pytest.hookimpl(tryfirst=True)  # before the fixtures of the test
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Find the programs that a test needs."""
    for mark in item.iter_markers("needs"):
        for program in mark.args:
            find_program(program)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Keep the garbage collector away from the tests and modules, and check that pytest-xdist groups the tests.

    Otherwise the collector looks at all modules again and again while the tests compile. Without groups, each process
    compiles everything, which takes minutes.
    """
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    if session.config.getoption("loadgroup", False) and not all("@" in item.nodeid for item in session.items):
        detail = "ignores the groups of tests; accepted: a version that pytest-xdist supports"
        raise pytest.UsageError(f"pytest {pytest.__version__} {detail}")


def _rank(item: pytest.Item) -> int:
    mark = item.get_closest_marker("xdist_group")
    assert mark is not None
    return next((rank for rank, start in enumerate(FIRST) if mark.args[0].startswith(start)), len(FIRST))


@cache
def committed_tables() -> TableSet:
    """Return the committed tables, opened only once, because FastAPI keeps every app of a process, with its files."""
    return open_tables()


class Worlds(NamedTuple):
    """The same tables for plain Python and for compiled code."""

    plain: Tables  # memoryviews; the partnership profile
    arrays: Tables  # ndarrays
    plain_settings: KernelTables  # all profiles
    array_settings: KernelTables

    def __repr__(self) -> str:
        return "Worlds(...)"  # otherwise pytest and hypothesis print every cell


def view(array: Any) -> memoryview:
    """Return an array as a memoryview (before Python 3.12, type checkers do not know that an ndarray is a buffer)."""
    return memoryview(array)


def plain_tables(arrays: tuple[Tables, ...]) -> KernelTables:
    """Return tables of all profiles as plain Python reads them: the form of `packed`, with `Tables` as rows."""
    plain = tuple(Tables(*(view(array) for array in t)) for t in arrays)
    win = plain[PARTNERSHIP_PROFILE]
    return KernelTables(plain, range(len(plain)), *(getattr(win, name) for name in KernelTables._fields[2:]))


def worlds_of(arrays: tuple[Tables, ...]) -> Worlds:
    plain, win = plain_tables(arrays), arrays[PARTNERSHIP_PROFILE]
    return Worlds(plain.rows[PARTNERSHIP_PROFILE], win, plain, packed(arrays, range(len(arrays)), win))


def exact_arrays() -> dict[str, np.ndarray]:
    manifest = read_manifest(DEFAULT_DIRECTORY)
    exact = [file for file, entry in manifest.files.items() if manifest.families[entry.family].exact]
    return {file.removesuffix(".npy"): np.load(DEFAULT_DIRECTORY / file) for file in exact}


def random_worlds() -> Worlds:
    """Return the exact tables, and random numbers in the shape and range of each fitted table."""
    rng = np.random.default_rng(20)
    return worlds_of(
        kernel_tables(
            exact_arrays()
            | {
                "rb_suit": rng.random((2, 8192)) * 2.5,
                "factor": rng.random((4, 40)) * 2 - 1,
                "curves": np.sort(rng.random((SEQUENCES, GRID + 1)), axis=1),
                "single_curve": np.sort(rng.random((1, GRID + 1)), axis=1),
                "mean_bids": rng.random((SEQUENCES, 3)) * 6,
                "contract_made": rng.random((2, 27)),
                "p_ace": rng.random((4, 40)),
                "blind_nil": rng.random(SEQUENCES),
                "net_position": rng.normal(0.0, 0.3, (INPUTS + 1, 8)),
                "net_bid": rng.normal(0.0, 0.5, (BID_INPUTS, 8)),
                "net_hidden": rng.normal(0.0, 0.5, (9, 4)),
                "net_out": rng.normal(0.0, 0.8, (5, OUTCOMES)),
                "win": rng.integers(0, 1 << 16, WIN_CELLS).astype(np.uint16),
                "extra_win": rng.integers(0, 1 << 16, MORE_CELLS).astype(np.uint16),
                "games": np.array(MORE_ROWS),
            }
        )
    )


@pytest.fixture(scope="session")
def neutral() -> Worlds:
    """Tables with no factor, nil probability equal to nil value, mean bids 0, and no value for RB's cards."""
    return worlds_of(kernel_tables(exact_arrays()))


@pytest.fixture(scope="session")
def fitted() -> Worlds:
    """Tables with random numbers in place of fitted ones, so that every table has an effect."""
    return random_worlds()


@pytest.fixture(scope="session")
def server() -> Iterator[RealServer]:
    """A server for all tests of this process that neither stop it nor give it settings."""
    with running_server() as running:
        yield running


@pytest.fixture(scope="session")
def searching_server() -> Iterator[RealServer]:
    """As `server`, with a process that searches for cards."""
    with running_server(SPADES_SEARCH_PROCESSES="1") as running:
        yield running
