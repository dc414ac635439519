"""Signals of a process that serves: SIGTERM first drains, SIGHUP is ignored, and a worker ends with its parent.

Draining lets load balancers and callers notice: for some seconds the process still listens and answers, but /readyz
says "not ready" and each answer closes its connection. Then the server's own handler of SIGTERM stops the server. So
each request whose last byte was sent before the signal is answered.
"""

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import parent_process

_ACCEPTED_S = 0.1  # for the requests on connections that were just accepted when the server stops listening
_logger = logging.getLogger("service")


@contextmanager
def handle_signals(drain: Callable[[], None], drain_s: float) -> Iterator[None]:
    """Handle signals while the app runs. Use it in the event loop; nothing changes outside the main thread.

    On SIGTERM, call ``drain``. ``drain_s`` seconds later, stop listening, answer what has been accepted by then, and
    call the server's own handler. On a second SIGTERM, call that handler at once.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGHUP, _ignore_hangup)
    _end_with_parent()
    stop = signal.getsignal(signal.SIGTERM)
    if not callable(stop):  # no server handles it
        yield
        return
    stopping: list[asyncio.TimerHandle] = []

    def stop_listening() -> None:
        # uvicorn closes connections whose request it has not read yet in the moment in which it stops listening.
        for server in getattr(getattr(stop, "__self__", None), "servers", ()):
            server.close()
        loop.call_later(_ACCEPTED_S, stop, signal.SIGTERM, None)

    def on_sigterm() -> None:
        if stopping:
            stop(signal.SIGTERM, None)
        else:
            drain()
            stopping.append(loop.call_later(drain_s, stop_listening))

    loop.add_signal_handler(signal.SIGTERM, on_sigterm)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
        signal.signal(signal.SIGTERM, stop)


def _ignore_hangup() -> None:
    worker = parent_process() is not None
    why = "send it to the parent process, which restarts its workers" if worker else "needs --workers 2 or more"
    _logger.warning("SIGHUP is ignored: %s", why)


def _end_with_parent() -> None:
    """Let a worker stop when its parent process has ended, because nothing else would stop or replace it."""
    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="parent", daemon=True).start()
