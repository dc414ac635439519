"""The processes that search for cards: `search@1` needs a compiler, which the service does not import.

Each is `python -m tables searcher`: it reads requests from its standard input and writes answers to its standard
output, one line of JSON each. So a search never holds the event loop. A process that ends is replaced. They are
optional: SPADES_SEARCH_PROCESSES says how many there are, and they need the packages of requirements/search.txt
(docs/adr/0068-search-in-the-service.md).
"""

import asyncio
import logging
import math
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from time import perf_counter
from typing import Any, Final

import orjson

from service.bidding.errors import TablesError
from service.bidding.tableset import TableSet
from service.contract.card import no_searches
from service.metrics import Metrics
from service.problems import ProblemError, invalid_request
from service.settings import Settings, SettingsError

COMMAND: Final = (sys.executable, "-m", "tables", "searcher")
# The kernels are not parallel, and numpy only multiplies small matrices.
_ENVIRONMENT: Final = {"OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
_NEEDED: Final = ("numba", "tables.players")  # what may be missing
_LINE_BYTES: Final = 1 << 16
_SEARCH_S: Final = 10.0  # a process that answers later is replaced
_PAUSES_S: Final = (1.0, 60.0)  # before a process is replaced: at first, and at most
_logger = logging.getLogger("service")


class BusyError(Exception):
    """All processes were busy for as long as a request may wait."""


class _EndedError(Exception):
    """A process has ended, or did not answer in time or with JSON."""


def check_installed(why: str) -> None:
    """Raise `SettingsError` unless a search can run here; ``why``: what wants it."""
    for name in _NEEDED:
        if find_spec(name) is None:
            detail = f"{why}, but {name} is not installed; accepted: the image of the Dockerfile's target `search`, or "
            raise SettingsError(f"{detail}this project with the packages of requirements/search.txt")


def check_settings(settings: Settings) -> None:
    """Raise `SettingsError` if the settings want searches that cannot run here."""
    if settings.search_processes:
        check_installed(f"SPADES_SEARCH_PROCESSES is {settings.search_processes}")


def search_once(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to one search, by a process for it alone. Raises `SettingsError` or `TablesError`."""
    check_installed("player is search@1")
    lines = orjson.dumps(request) + b"\n"
    done = subprocess.run(COMMAND, input=lines, stdout=subprocess.PIPE, env=os.environ | _ENVIRONMENT, check=True)
    return _answer_in(done.stdout.splitlines()[-1])


def opening(tables: TableSet) -> dict[str, Any]:
    """Return the part of a request that names its tables."""
    return {"tables": (str(tables.directory.resolve()), tables.sha256)}


class Searchers:
    """The processes of one worker."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._longest_wait_s = math.inf
        self._idle: asyncio.Queue[asyncio.subprocess.Process] = asyncio.Queue()
        self._all: set[asyncio.subprocess.Process] = set()
        self._tasks: set[asyncio.Task[Any]] = set()  # kept, because the event loop does not keep them
        self._first: dict[str, Any] = {}  # the first request of each process

    async def start(self, processes: int, queue_ms: float, tables: TableSet) -> None:
        """Start ``processes``, and wait until they are ready to search with ``tables``.

        Later requests wait at most ``queue_ms`` for one of them; 0: no limit.
        """
        self._longest_wait_s = queue_ms / 1000.0 or math.inf
        self._first = {**opening(tables), "open": True}
        try:
            for process in await asyncio.gather(*(self._started() for _ in range(processes))):
                self._idle.put_nowait(process)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End all processes."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, *map(self._end, self._all), return_exceptions=True)

    async def search(self, request: Mapping[str, Any], deadline: float) -> dict[str, Any]:
        """Return the answer to a search.

        Raises `BusyError` if no process is free in time, `TimeoutError` after the ``deadline`` (`perf_counter`, s), and
        `ProblemError` if the search cannot be made.
        """
        if not self._first:
            raise invalid_request([no_searches()])
        left_s = deadline - perf_counter()
        try:
            process = await asyncio.wait_for(self._idle.get(), _timeout(min(left_s, self._longest_wait_s)))
        except TimeoutError:
            if left_s <= self._longest_wait_s:
                raise
            raise BusyError from None
        task = asyncio.create_task(self._answered(process, request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(_look_at_error)
        # A search goes on after its caller has gone, and frees its process at the end.
        return await asyncio.wait_for(asyncio.shield(task), _timeout(deadline - perf_counter()))

    async def _answered(self, process: asyncio.subprocess.Process, request: Mapping[str, Any]) -> dict[str, Any]:
        began = perf_counter()
        try:
            answer = await _ask(process, request)
        except (_EndedError, TablesError) as error:
            self._metrics.searches["failed"].inc()
            _logger.error("a search failed: %s", error)
            if isinstance(error, _EndedError):
                self._replace(process)
            else:
                self._idle.put_nowait(process)
            raise ProblemError("not-ready", "the search failed; retry later", headers=[("retry-after", "1")]) from error
        self._idle.put_nowait(process)
        self._metrics.searches["done"].inc()
        self._metrics.search_seconds.observe(perf_counter() - began)
        return answer

    async def _started(self) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | _ENVIRONMENT,
            limit=_LINE_BYTES,
            start_new_session=True,  # signals from a terminal are for the service, which ends the process
        )
        self._all.add(process)
        assert process.stdout is not None
        try:
            if not await process.stdout.readline():  # the first line says that it is ready; compiling may take a minute
                raise _EndedError(f"{' '.join(COMMAND)} ended while it started; its error is above")
            await _ask(process, self._first)
        except BaseException:
            await self._end(process)
            raise
        return process

    def _replace(self, process: asyncio.subprocess.Process) -> None:
        task = asyncio.create_task(self._start_again(process))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _start_again(self, ended: asyncio.subprocess.Process) -> None:
        await self._end(ended)
        pause_s, longest_s = _PAUSES_S
        while True:
            await asyncio.sleep(pause_s)
            try:
                self._idle.put_nowait(await self._started())
            except (OSError, _EndedError, TablesError) as error:
                _logger.error("a search process can't be started: %s", error)
                pause_s = min(2 * pause_s, longest_s)
            else:
                return

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        if process.returncode is None:
            process.kill()
        await process.wait()
        self._all.discard(process)


def _timeout(seconds: float) -> float | None:
    """Return ``seconds`` as asyncio takes them: None for no limit."""
    return None if seconds == math.inf else seconds


async def _ask(process: asyncio.subprocess.Process, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of a process. Raises `_EndedError` or, if it can't use the tables, `TablesError`."""
    assert process.stdin is not None
    assert process.stdout is not None
    if process.stdin.is_closing():  # the event loop has noticed that the process ended; uvloop then refuses to write
        raise _EndedError("a search process has ended")
    try:
        process.stdin.write(orjson.dumps(request) + b"\n")
        line = await asyncio.wait_for(process.stdout.readline(), _SEARCH_S)
        if not line:
            raise _EndedError("a search process has ended")
        return _answer_in(line)
    except (OSError, TimeoutError, orjson.JSONDecodeError) as error:
        raise _EndedError(f"a search process does not answer ({error!r})") from error


def _answer_in(line: bytes) -> dict[str, Any]:
    answer: dict[str, Any] = orjson.loads(line)
    if "error" in answer:
        raise TablesError(answer["error"])
    return answer


def _look_at_error(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()  # otherwise the event loop complains if the caller has gone
