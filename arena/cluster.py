"""`DaskCluster`: an executor (`family.Executor`) that runs the chunks of a build or a match on a Dask cluster.

Dask's own commands start the cluster, see docs/how-to/several-machines.md. Each chunk depends only on its index. So
workers may join, leave or die: another worker computes the chunks of a lost one again. A worker whose code differs from
ours refuses its chunks.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from functools import lru_cache
from typing import Any
from uuid import uuid4

import cloudpickle
from distributed import Client, as_completed

from arena.chunks import Arrays, ChunkFunction, Results
from arena.errors import BuildError
from arena.source_files import chunk_code

CONNECT_S = 30.0  # most seconds to wait for the scheduler, and for a first worker
AHEAD = 4  # chunks submitted at a time for each worker thread, with the one that it computes


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
        """Run ``fn`` on each index as `family.Executor` describes.

        Only a few chunks are submitted at a time, so that little work is lost when the run stops. ``fn`` and the tables
        that it reads are sent once to every worker, and again if all workers that have them are lost. Raises
        `BuildError` if no worker joins within `CONNECT_S`, or if a worker has other code.
        """
        client = self.client
        assert client is not None, "a closed cluster takes no chunks"
        payload = cloudpickle.dumps(fn)
        run = uuid4().hex  # chunks of two runs never share a key
        code = chunk_code()
        todo = iter(indices)
        chunks: dict[Any, int] = {}  # future: index
        function = self._sent(payload)
        done = as_completed(loop=client.loop)

        def submit(index: int) -> None:
            future = client.submit(_run, function, code, index, key=f"chunk-{run}-{function.key}-{index}", retries=2)
            chunks[future] = index
            done.add(future)

        try:
            for _ in range(AHEAD * max(1, sum(client.nthreads().values()))):
                for index in todo:
                    submit(index)
                    break
            for future in done:
                index = chunks.pop(future)
                try:
                    arrays = future.result()
                except CancelledError:
                    if function.status != "finished":
                        function = self._sent(payload)
                    submit(index)
                    continue
                for following in todo:
                    submit(following)
                    break
                yield index, arrays
        finally:
            client.cancel([*chunks, function])

    def _sent(self, payload: bytes) -> Any:
        """Send ``payload`` to every worker, and return the future that stands for it."""
        assert self.client is not None
        try:
            self.client.wait_for_workers(1, timeout=CONNECT_S)
            return self.client.scatter(payload, broadcast=True, hash=False)
        except TimeoutError:
            raise BuildError(
                f"no worker has joined {self.address} in {CONNECT_S:.0f} s; start one with `dask worker {self.address}`"
            ) from None


def _run(payload: bytes, expected: str, index: int) -> Arrays:
    code = chunk_code()
    if code != expected:
        raise BuildError(f"the code of a worker is {code}; accepted: {expected}, the code that sends the chunks")
    return _function(payload)(index)


@lru_cache(maxsize=1)
def _function(payload: bytes) -> Callable[[int], Arrays]:
    function: Callable[[int], Arrays] = cloudpickle.loads(payload)
    return function
