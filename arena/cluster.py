"""`DaskCluster`: an executor that runs chunks on a Dask cluster.

Dask's own commands start the cluster, see docs/how-to/several-machines.md. Each chunk depends only on its index. So
workers may join, leave or die: another worker computes the chunks of a lost one again. A worker whose code differs from
ours refuses its chunks.

A task of Dask takes some milliseconds of the scheduler, the worker and the client, which is as long as a chunk of a
match. So a task has several chunks, which take about a second together.
"""

import pickle
import time
from collections import deque
from collections.abc import Iterable
from concurrent.futures import CancelledError
from functools import lru_cache
from typing import Any
from uuid import uuid4

import cloudpickle
from distributed import Client, as_completed

from arena.chunks import ChunkFunction, Results
from arena.errors import BuildError
from arena.source_files import chunk_code

CONNECT_S = 30.0  # most seconds to wait for the scheduler, and for a first worker
TASK_S = 1.0  # seconds of work in a task, if a chunk takes less
AHEAD = 3  # tasks submitted at a time for each worker thread, with the one that it computes


class DaskCluster:
    """An executor on the workers of the Dask scheduler at ``address`` (``tcp://host:port``).

    It is a context manager. Leaving it closes the connection, but not the cluster. Raises `BuildError` if no scheduler
    answers there.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        try:
            self.client: Client | None = Client(address, timeout=CONNECT_S, set_as_default=False)
        except (OSError, ValueError) as error:
            raise BuildError(f"no scheduler answers at {address} ({error}); accepted: tcp://HOST:PORT") from error

    def __enter__(self) -> "DaskCluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection to the cluster."""
        if self.client is not None:
            self.client.close()
            self.client = None

    def __getstate__(self) -> dict[str, Any]:
        # A chunk's function may hold a Context, which holds this executor. Workers do not need the connection.
        return {"address": self.address, "client": None}

    def map(self, fn: ChunkFunction, indices: Iterable[int]) -> Results:
        """Run ``fn`` on each index as `chunks.Executor` describes.

        Only a few tasks are submitted at a time, so that little work is lost when the run stops. ``fn`` and the tables
        that it reads are sent once to every worker, and again if all workers that have them are lost. Raises
        `BuildError` if no worker joins within `CONNECT_S`, or if a worker has other code.
        """
        client = self.client
        assert client is not None, "a closed cluster takes no chunks"
        waiting = deque(indices)
        if not waiting:
            return
        payload, code, broadcast = cloudpickle.dumps(fn), chunk_code(), len(waiting) > 1
        function = self._sent(payload, broadcast)
        tasks: dict[Any, list[int]] = {}  # future: the chunks of the task
        done = as_completed(loop=client.loop)

        def submit(chunks: list[int]) -> None:
            future = client.submit(_run, function, code, chunks, key=f"chunks-{uuid4().hex}")
            tasks[future] = chunks
            done.add(future)

        def submit_more(n_chunks: int) -> None:
            threads = max(1, sum(client.nthreads().values()))
            while waiting and len(tasks) < AHEAD * threads:
                share = max(1, len(waiting) // (2 * threads))  # so that no worker waits long for another at the end
                submit([waiting.popleft() for _ in range(min(n_chunks, share))])

        try:
            submit_more(1)
            for future in done:
                chunks = tasks.pop(future)
                try:
                    seconds, results = pickle.loads(future.result())
                except CancelledError:
                    if function.status != "finished":
                        function = self._sent(payload, broadcast)
                    submit(chunks)
                    continue
                submit_more(max(1, min(2 * len(chunks), int(TASK_S * len(chunks) / seconds))))
                yield from results
        finally:
            client.cancel([*tasks, function])

    def _sent(self, payload: bytes, broadcast: bool) -> Any:
        """Send ``payload`` to one worker, or with ``broadcast`` to all, and return the future that stands for it."""
        assert self.client is not None
        try:
            self.client.wait_for_workers(1, timeout=CONNECT_S)
            return self.client.scatter(payload, broadcast=broadcast, hash=False)
        except TimeoutError:
            raise BuildError(
                f"no worker has joined {self.address} in {CONNECT_S:.0f} s; start one with `dask worker {self.address}`"
            ) from None


def _run(payload: bytes, expected: str, indices: list[int]) -> bytes:
    """Return the seconds that the chunks took, and (index, arrays) of each, as one message that is cheap to send."""
    code = chunk_code()
    if code != expected:
        raise BuildError(f"the code of a worker is {code}; accepted: {expected}, the code that sends the chunks")
    fn = _function(payload)
    started = time.perf_counter()
    results = [(index, fn(index)) for index in indices]
    return pickle.dumps((max(1e-6, time.perf_counter() - started), results))


@lru_cache(maxsize=1)
def _function(payload: bytes) -> ChunkFunction:
    function: ChunkFunction = cloudpickle.loads(payload)
    return function
