"""The event loop of a blocking client, in a thread of its own."""

import asyncio
import os
import weakref
from collections.abc import Callable, Coroutine
from threading import Lock, Thread
from typing import Any, TypeVar

from spades_client.exchange import Exchange

Answer = TypeVar("Answer")


class LoopThread:
    """An `Exchange` and the loop that it runs on. The thread starts with the first call.

    In a process that was forked, thread and connections are made anew, because a fork copies neither.
    """

    def __init__(self, make_exchange: Callable[[], Exchange]) -> None:
        self._make_exchange = make_exchange
        self.exchange = make_exchange()
        self._lock = Lock()
        self._process = os.getpid()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    def run(self, call: Callable[[Exchange], Coroutine[Any, Any, Answer]]) -> Answer:
        """Return the result of ``call`` with the exchange; other threads may call meanwhile."""
        with self._lock:  # a call is either scheduled before `_finish`, which waits for it, or refused
            if self._closed:
                raise RuntimeError("the client is closed")
            loop = self._running_loop()
            future = asyncio.run_coroutine_threadsafe(call(self.exchange), loop)
        try:
            return future.result()
        finally:
            future.cancel()  # if an interrupt has ended the wait

    def close(self) -> None:
        """Refuse new calls, wait for those that still run, close the connections and end the thread."""
        with self._lock:
            closed, self._closed = self._closed, True
            if closed or self._loop is None or self._process != os.getpid():
                return
            finished = asyncio.run_coroutine_threadsafe(_finish(self.exchange), self._loop)
        finished.add_done_callback(lambda _: self._stop())  # also if an interrupt ends the wait
        finished.result()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        """Return the loop of this process; the caller has the lock."""
        if self._process != os.getpid():
            self._process, self._loop, self.exchange = os.getpid(), None, self._make_exchange()
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            Thread(target=_serve, args=(self._loop,), name="spades-client", daemon=True).start()
            # Also for a client that nobody closes: its thread ends when it is collected, at the latest at exit.
            self._stop = weakref.finalize(self, self._loop.call_soon_threadsafe, self._loop.stop)
        return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()


async def _finish(exchange: Exchange) -> None:
    await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()}, return_exceptions=True)
    await exchange.aclose()
