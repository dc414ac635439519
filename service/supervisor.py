"""The supervisor: run several workers on one socket, and restart those that end.

More containers with one worker each are usually better. Each worker is an ordinary server (`server.py`) in its own
process, which inherits the listening socket. Every worker maps the tables, but they are in memory only once. The
workers share a directory for their metrics (`metrics_directory.py`).

The supervisor makes the same checks as a worker before it listens. When a worker ends, another one starts: at once if
the last one was ready and ran for at least `QUICK_S`, otherwise after a pause that doubles each time. When no worker is
up and one place has failed `MOST_FAILURES` times in a row, the supervisor stops with exit code 1, so that callers are
refused instead of kept waiting. SIGTERM and SIGINT are passed to the workers; the exit code is 0 if all end normally.
SIGHUP is passed to them too: each worker reads its tables again.
"""

import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from types import FrameType

from service import log
from service.keys import read_keys
from service.metrics import Exposition, workers_text
from service.metrics_directory import metrics_directory
from service.metrics_listener import serve_metrics
from service.searchers import check_settings
from service.server import allow_many_files
from service.settings import Settings, SettingsError
from service.table_sets import open_sets
from service.worker import READY, Hangup

QUICK_S = 5.0  # a worker that runs for less than this has ended quickly
FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 30.0
MOST_FAILURES = 5
_LOOK_S = 0.2  # between two checks of the workers
_BACKLOG = 2048
_logger = logging.getLogger("uvicorn.error")


class Worker:
    """The process of one worker."""

    def __init__(self, listener: socket.socket, environment: dict[str, str]) -> None:
        self.born = monotonic()
        self.was_ready = False
        self._line, told = os.pipe()
        os.set_blocking(self._line, False)
        inherited = [listener.fileno(), told]
        command = [sys.executable, "-m", "service", "work", f"--descriptor={listener.fileno()}"]
        command += [f"--supervisor={os.getpid()}", f"--ready={told}"]
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})  # until the worker expects it (`worker`)
        try:
            self.process = subprocess.Popen(command, env=environment, pass_fds=inherited, stdin=subprocess.DEVNULL)
        except OSError:
            os.close(self._line)
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
            os.close(told)

    def exit_code(self) -> int | None:
        """Return the exit code, or None while it runs; also note whether the worker has become ready."""
        code = self.process.poll()
        if not self.was_ready:
            with suppress(BlockingIOError):  # not ready yet, and still running
                self.was_ready = os.read(self._line, 1) == READY
        return code

    def close(self) -> None:
        """Close the pipe of a worker that has ended."""
        os.close(self._line)


class Backoff:
    """The pause before the next worker of a place, from how its last workers ended."""

    def __init__(self) -> None:
        self.quick = 0  # workers in a row that ended quickly, or before they were ready
        self.failures = 0  # workers in a row that ended before they were ready

    def pause_s(self, age_s: float, was_ready: bool) -> float:
        """Return the seconds to wait after a worker ended that had run for ``age_s``.

        >>> backoff = Backoff()
        >>> [backoff.pause_s(1.0, was_ready=False) for _ in range(4)], backoff.pause_s(60.0, was_ready=True)
        ([0.25, 0.5, 1.0, 2.0], 0.0)
        """
        if was_ready and age_s >= QUICK_S:
            self.quick = self.failures = 0
            return 0.0
        self.quick += 1
        self.failures = 0 if was_ready else self.failures + 1
        return min(FIRST_PAUSE_S * 2.0 ** min(self.quick - 1, 16), LONGEST_PAUSE_S)


class Place:
    """One of the ``--workers`` places: its worker, or the time when the next one starts."""

    def __init__(self, start: Callable[[], Worker]) -> None:
        self._start = start
        self._start_at = 0.0  # `monotonic`, s
        self.backoff = Backoff()
        self.worker: Worker | None = None

    def tend(self) -> None:
        """Notice a worker that has ended; start the next one when its time has come."""
        if self.worker is not None and (code := self.worker.exit_code()) is not None:
            pause_s = self.backoff.pause_s(monotonic() - self.worker.born, self.worker.was_ready)
            self._rest(pause_s, f"worker {self.worker.process.pid} ended with {code}")
            self.worker.close()
            self.worker = None
        if self.worker is None and monotonic() >= self._start_at:
            try:
                self.worker = self._start()
            except OSError as error:  # no process, memory or file descriptor available
                self._rest(self.backoff.pause_s(0.0, was_ready=False), f"a worker could not start ({error.strerror})")

    def up(self) -> bool:
        """Whether its worker answers requests, or may soon do so."""
        worker = self.worker
        return worker is not None and (worker.was_ready or monotonic() - worker.born < QUICK_S)

    def _rest(self, pause_s: float, what: str) -> None:
        self._start_at = monotonic() + pause_s
        _logger.error("%s; starting another %s", what, f"in {pause_s:g} s" if pause_s else "at once")


def supervise(settings: Settings, host: str, port: int, count: int) -> int:
    """Run ``count`` workers until a signal, and return the exit code.

    Raises `TablesError` and `SettingsError` before it listens.
    """
    hangup = Hangup()
    check_start(settings)
    allow_many_files()
    log.configure()
    signals: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        signals.append(number)

    with metrics_directory() as directory:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        except OSError as error:
            raise SettingsError(f"host {host}, port {port}: {error.strerror}; accepted: a free address") from None
        name = f"[{host}]" if ":" in host else host
        _logger.info("%d workers, running on http://%s:%d", count, name, listener.getsockname()[1])
        if settings.metrics_address is not None:
            exposition = Exposition(lambda: workers_text(directory))
            serve_metrics(settings.metrics_address, exposition.text, settings)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, note)
        environment = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(directory)}
        places = [Place(lambda: Worker(listener, environment)) for _ in range(count)]
        given_up = False
        while not signals and not given_up:
            for place in places:
                place.tend()
            failures = max(place.backoff.failures for place in places)
            if failures >= MOST_FAILURES and not any(place.up() for place in places):
                _logger.error("%d workers in a row ended before they were ready, and none is up; stopping", failures)
                given_up = True
                signals.append(signal.SIGTERM)  # for a worker that hangs while it starts
            else:
                workers = [place.worker for place in places if place.worker is not None]
                if hangup.taken():
                    for worker in workers:
                        worker.process.send_signal(signal.SIGHUP)
                _wait(workers)
        listener.close()  # the workers keep it open while they drain
        code = _stop([place.worker for place in places if place.worker is not None], signals)
        return 1 if given_up else code


def check_start(settings: Settings) -> None:
    """Make the same checks as a worker at its start; raise `TablesError` or `SettingsError`."""
    if settings.api_keys_file is not None:
        read_keys(settings.api_keys_file, settings.key_rate)
    check_settings(settings)
    open_sets(settings)


def _stop(workers: list[Worker], signals: list[int]) -> int:
    """Pass signals on to the workers until all have ended; return the exit code."""
    sent = 0
    while any(worker.process.poll() is None for worker in workers):
        for number in signals[sent:]:
            for worker in workers:
                worker.process.send_signal(number)
            sent += 1
        _wait(workers)
    # A worker that is still starting has no handler yet, so the signal ends it. It has no requests to lose.
    well = {0, *(-number for number in signals)}
    return 0 if all(worker.process.returncode in well for worker in workers) else 1


def _wait(workers: list[Worker]) -> None:
    """Sleep for `_LOOK_S`, or until the first worker ends."""
    running = [worker for worker in workers if worker.process.poll() is None]
    if running:
        try:
            running[0].process.wait(_LOOK_S)
        except subprocess.TimeoutExpired:
            return
    else:
        signal.sigtimedwait([], _LOOK_S)
