"""Send requests from other threads while the caller measures."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPException
from itertools import count
from threading import Event
from time import perf_counter

from loadtest.servers import ServerError


@contextmanager
def beside(send: Callable[[Event], None], threads: int = 1) -> Iterator[None]:
    """Run ``send`` in ``threads`` threads until the block ends. Its event is then set, also after an error.

    Raises `ServerError` if a request of the threads failed.
    """
    ended = Event()
    with ThreadPoolExecutor(max(1, threads)) as pool:
        sending = [pool.submit(send, ended) for _ in range(threads)]
        try:
            yield
        finally:
            ended.set()
    for one in sending:
        try:
            one.result()
        except (OSError, HTTPException) as error:
            raise ServerError(f"a request sent during the measurement did not get its right answer: {error}") from error


def due_times(ended: Event, per_s: float) -> Iterator[float]:
    """Wait for and yield the moments (`perf_counter`), ``per_s`` a second, until ``ended`` is set.

    They are fixed at the start, so that a slow answer does not lower the rate.
    """
    start = perf_counter()
    for number in count(1):
        due = start + number / per_s
        if ended.wait(max(0.0, due - perf_counter())):
            return
        yield due
