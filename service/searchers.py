"""The processes that search for cards: a search needs a compiler, which the service does not import.

Each is `python -m arena searcher`: it reads requests from its standard input and writes answers to its standard
output, one line of JSON each. So a search never blocks the event loop. A process that ends is replaced. The
setting SPADES_SEARCH_PROCESSES is their number, by default 0; they need the dependency group `search`
(docs/adr/0068-search-in-the-service.md).
"""

import asyncio
import logging
import math
import os
import subprocess
import sys
from collections.abc import Coroutine, Mapping, Sequence
from importlib.util import find_spec
from time import perf_counter
from typing import Any, Final, NamedTuple, TypeVar

import orjson

from service.metrics import Metrics
from service.problems import ProblemError
from service.settings import Settings, SettingsError
from spades.contract.card_request import no_searches
from spades.contract.faults import RequestError
from spades.errors import TablesError
from spades.tableset import TableSet

COMMAND: Final = (sys.executable, "-m", "arena", "searcher")
# The kernels are not parallel, and numpy only multiplies small matrices.
_ENVIRONMENT: Final = {"OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
_NEEDED: Final = ("numba", "arena")  # packages that may be missing
_logger = logging.getLogger("service")
T = TypeVar("T")


class Times(NamedTuple):
    """How long to wait for a process, in seconds."""

    start_s: float = 900.0  # until it is ready: it may have to compile, on a machine with other work
    search_s: float = 60.0  # until it answers; a process that takes longer is replaced
    pause_s: float = 1.0  # before it is replaced; doubled each time that the new one can't start
    longest_pause_s: float = 60.0


_TIMES: Final = Times()


class BusyError(Exception):
    """All processes were busy for as long as a request may wait."""


class LateError(TimeoutError):
    """The deadline has passed before a process was free."""


class EndedError(Exception):
    """A process has ended, did not answer in time, or wrote something that is no answer."""


def check_installed(why: str) -> None:
    """Raise `SettingsError` unless a search can run here; ``why``: the start of the error message."""
    for name in _NEEDED:
        if find_spec(name) is None:
            accepted = "the image that the Dockerfile builds by default, or a checkout after `make install`"
            raise SettingsError(f"{why}, but {name} is not installed; accepted: {accepted}")


def check_settings(settings: Settings) -> None:
    """Raise `SettingsError` if searches are enabled but their packages are missing."""
    if settings.search_processes:
        check_installed(f"SPADES_SEARCH_PROCESSES is {settings.search_processes}")


def opening(tables: TableSet) -> dict[str, Any]:
    """Return the part of a request that names its tables."""
    return {"tables": (str(tables.directory.resolve()), tables.sha256)}


class Searchers:
    """The search processes of one worker. A process that ends is replaced."""

    def __init__(self, metrics: Metrics, command: Sequence[str] = COMMAND, times: Times = _TIMES) -> None:
        self._metrics = metrics
        self._command = command
        self._times = times
        self._started = False
        self._longest_wait_s = math.inf
        self._idle: asyncio.Queue[asyncio.subprocess.Process] = asyncio.Queue()  # they may have ended since
        self._all: set[asyncio.subprocess.Process] = set()
        self._tasks: set[asyncio.Task[Any]] = set()  # kept, because the event loop does not keep them
        self._first: dict[str, Any] = {}  # the first request of each process

    async def start(self, tables: TableSet, processes: int, queue_ms: float) -> None:
        """Start ``processes``, and wait until they are ready to search with ``tables``.

        They open other tables when a request names them. Later requests wait at most ``queue_ms`` for one of the
        processes; 0: no limit. Raises `EndedError`, `OSError` or `TablesError` if one can't be started; then none is
        left.
        """
        self._first = {**opening(tables), "open": True}
        self._longest_wait_s = queue_ms / 1000.0 or math.inf
        self._metrics.gauge("spades_search_processes", "wanted").set(processes)
        try:
            started = await asyncio.gather(*(self._new() for _ in range(processes)), return_exceptions=True)
            for process in started:
                if isinstance(process, BaseException):
                    raise process
                self._keep_task(self._replace(process))
        except BaseException:
            await self.close()
            raise
        self._started = True

    async def close(self) -> None:
        """End all processes."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, *map(self._end, self._all), return_exceptions=True)

    @property
    def started(self) -> bool:
        """Return whether there are processes that search."""
        return self._started

    async def search(self, request: Mapping[str, Any], deadline: float, *, patient: bool = False) -> dict[str, Any]:
        """Return the answer to a search. ``patient``: wait for a process as long as it takes.

        Raises `BusyError` if no process is free in time, `TimeoutError` after the ``deadline`` (`perf_counter`, s), its
        kind `LateError` if no process was free before, and `ProblemError` if the search cannot be made.
        """
        if not self._started:
            raise RequestError([no_searches(request["player"])])
        task = self._keep_task(self._answered(await self._free(deadline, patient), request))
        task.add_done_callback(_look_at_error)
        # A search goes on after its caller has gone, and frees its process at the end.
        return await asyncio.wait_for(asyncio.shield(task), _timeout(deadline - perf_counter()))

    async def _free(self, deadline: float, patient: bool) -> asyncio.subprocess.Process:
        """Wait for a process that is free. Raises `BusyError` or `LateError`."""
        longest_s = math.inf if patient else self._longest_wait_s
        left_s = deadline - perf_counter()
        if left_s <= 0:
            raise LateError
        try:
            async with asyncio.timeout(_timeout(min(left_s, longest_s))):
                while (process := await self._idle.get()).returncode is not None:
                    pass  # it ended while it was idle, and `_replace` starts another one
                return process
        except TimeoutError:
            raise (BusyError if left_s > longest_s else LateError) from None

    async def _answered(self, process: asyncio.subprocess.Process, request: Mapping[str, Any]) -> dict[str, Any]:
        began = perf_counter()
        try:
            answer = await _ask(process, request, self._times.search_s)
        except (EndedError, TablesError) as error:
            self._metrics.counter("spades_searches", "failed").inc()
            _logger.error("a search failed: %s", error)
            if isinstance(error, EndedError):
                _kill(process)
            else:
                self._idle.put_nowait(process)
            raise ProblemError("not-ready", "the search failed; retry later", headers=[("retry-after", "1")]) from error
        self._idle.put_nowait(process)
        self._metrics.counter("spades_searches", "done").inc()
        self._metrics.histogram("spades_search_duration_seconds").observe(perf_counter() - began)
        return answer

    async def _replace(self, process: asyncio.subprocess.Process) -> None:
        """Offer a process to the requests. Whenever it ends, start another one and offer that."""
        while True:
            with self._metrics.gauge("spades_search_processes", "live").track_inprogress():
                self._idle.put_nowait(process)
                await process.wait()
            self._all.discard(process)
            _logger.error("a search process has ended (status %s); another one is started", process.returncode)
            process = await self._successor()

    async def _successor(self) -> asyncio.subprocess.Process:
        pause_s = self._times.pause_s
        while True:
            await asyncio.sleep(pause_s)
            try:
                return await self._new()
            except (OSError, EndedError, TablesError) as error:
                _logger.error("a search process can't be started: %s", error)
                pause_s = min(2 * pause_s, self._times.longest_pause_s)

    async def _new(self) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | _ENVIRONMENT,
            start_new_session=True,  # signals from a terminal are for the service, which ends the process
        )
        self._all.add(process)
        try:
            await _read(process, self._times.start_s)  # the first line says that it is ready
            await _ask(process, self._first, self._times.search_s)
        except BaseException:
            await self._end(process)
            raise
        return process

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        _kill(process)
        await process.wait()
        self._all.discard(process)

    def _keep_task(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _timeout(seconds: float) -> float | None:
    """Return ``seconds`` as asyncio takes them: None for no limit."""
    return None if seconds == math.inf else seconds


def _kill(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()


async def _ask(process: asyncio.subprocess.Process, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Return the answer of a process. Raises `EndedError` or, if it can't use the tables, `TablesError`."""
    assert process.stdin is not None
    if process.stdin.is_closing():  # the event loop has noticed that the process ended; uvloop then refuses to write
        raise EndedError("a search process has ended")
    process.stdin.write(orjson.dumps(request) + b"\n")
    return await _read(process, seconds)


async def _read(process: asyncio.subprocess.Process, seconds: float) -> dict[str, Any]:
    """Return the object that a process writes next. Raises `EndedError` or `TablesError`."""
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), seconds)
        if not line:
            raise EndedError("a search process has ended; if it wrote an error, it is above")
        return _answer_in(line)
    except TimeoutError as error:
        raise EndedError(f"a search process did not answer within {seconds:g} s") from error
    except (OSError, ValueError) as error:  # ValueError: the line is too long, or no JSON object
        if isinstance(error, ValueError):
            _kill(process)
            await process.stdout.read()  # after a line that is too long, the pipe is not read, and would not be closed
        raise EndedError(f"a search process does not answer ({error!r})") from error


def _answer_in(line: bytes) -> dict[str, Any]:
    answer = orjson.loads(line)
    if type(answer) is not dict:
        raise ValueError(f"found {line[:100]!r}; expected a JSON object")
    if "error" in answer:
        raise TablesError(answer["error"])
    return answer


def _look_at_error(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()  # otherwise the event loop complains if the caller has gone
