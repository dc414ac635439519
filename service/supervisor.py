"""The supervisor: several workers on one socket, kept running.

Not the usual way: one worker a container, and more containers, is better. The workers are ordinary servers
(`server.py`) in processes of their own, which inherit the listening socket; the tables are mapped by each, but lie
in memory once. A worker that dies is started again, after a pause if it died young; their metrics meet in a directory
made for this run. SIGTERM and SIGINT go on to the workers; exit 0 when all have ended well.
"""

import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic
from types import FrameType

from service.bidding.tableset import open_tables
from service.metrics import workers_registry
from service.server import allow_many_files, serve_metrics
from service.settings import Settings, SettingsError

_LOOK_S = 0.2  # between two looks at the workers
_YOUNG_S = 1.0  # a worker that dies earlier is not started again before that age
_BACKLOG = 2048
_logger = logging.getLogger("uvicorn.error")


class Worker:
    """One worker's process."""

    def __init__(self, listener: socket.socket, environment: dict[str, str]) -> None:
        self.born = monotonic()
        descriptor = listener.fileno()
        # Its parent's id is told, not asked for: a worker whose supervisor is killed while it starts must notice too.
        command = [sys.executable, "-m", "service", "work", f"--descriptor={descriptor}", f"--supervisor={os.getpid()}"]
        self.process = subprocess.Popen(command, env=environment, pass_fds=[descriptor], stdin=subprocess.DEVNULL)


def supervise(settings: Settings, host: str, port: int, count: int) -> int:
    """Run ``count`` workers until a signal; the exit code. Raises `TablesError` before anything listens."""
    open_tables(settings.tables_dir)
    allow_many_files()
    logging.basicConfig(format="%(levelname)s:     %(message)s", level=logging.INFO)
    signals: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        signals.append(number)

    with tempfile.TemporaryDirectory(prefix="spades-metrics-") as directory:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        except OSError as error:
            raise SettingsError(f"host {host}, port {port}: {error.strerror}; expected a free one of ours") from None
        name = f"[{host}]" if ":" in host else host
        _logger.info("%d workers, running on http://%s:%d", count, name, listener.getsockname()[1])
        if settings.metrics_address is not None:
            serve_metrics(settings.metrics_address, workers_registry(Path(directory)))
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, note)
        environment = os.environ | {"PROMETHEUS_MULTIPROC_DIR": directory}
        workers = [Worker(listener, environment) for _ in range(count)]
        while not signals:
            _wait(workers)
            for index, worker in enumerate(workers):
                code = worker.process.poll()
                if code is not None and monotonic() - worker.born >= _YOUNG_S and not signals:
                    _logger.error("worker %d ended with %d; starting another", worker.process.pid, code)
                    workers[index] = Worker(listener, environment)
        listener.close()  # the workers have it open for as long as they drain
        return _stop([worker for worker in workers if worker.process.poll() is None], signals)


def _stop(workers: list[Worker], signals: list[int]) -> int:
    """Pass the signals on, later ones too, until all workers have ended."""
    sent = 0
    while any(worker.process.poll() is None for worker in workers):
        for number in signals[sent:]:
            for worker in workers:
                worker.process.send_signal(number)
            sent += 1
        _wait(workers)
    # A worker just being started has no handler yet: the signal itself ends it, and nothing is lost.
    well = {0, *(-number for number in signals)}
    return 0 if all(worker.process.returncode in well for worker in workers) else 1


def _wait(workers: list[Worker]) -> None:
    """Sleep for a while, or until the first worker ends."""
    running = [worker for worker in workers if worker.process.poll() is None]
    if running:
        try:
            running[0].process.wait(_LOOK_S)
        except subprocess.TimeoutExpired:
            return
    else:
        signal.sigtimedwait([], _LOOK_S)
