"""`DaskCluster`: chunks of a build or a match on a Dask cluster, behind the seam of `family.Executor`.

Not a cluster itself: start one with ``dask scheduler`` and, in a checkout of this project on each machine, ``dask
worker tcp://host:8786 --nthreads 1 --nworkers ...``. Each chunk follows from its index alone, so workers may come, go
or die: what a lost worker had is computed again by another. A worker whose code differs from ours refuses its chunks.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import cloudpickle
from distributed import Client, as_completed

from tables.run.code_hash import CODE
from tables.run.family import Arrays, BuildError

CONNECT_S = 30.0
AHEAD = 4  # chunks handed out beyond each thread's current one


class DaskCluster:
    """Runs chunks on the workers of the scheduler at ``address`` (``tcp://host:port``).

    A context manager: leaving it closes the connection, not the cluster. Raises `BuildError` when no scheduler
    answers there.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        try:
            self.client: Client | None = Client(address, timeout=CONNECT_S, set_as_default=False)
        except (OSError, ValueError) as error:
            raise BuildError(f"found no scheduler at {address} ({error}); expected one, as tcp://host:8786") from error

    def __enter__(self) -> "DaskCluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the cluster."""
        if self.client is not None:
            self.client.close()
            self.client = None

    def __getstate__(self) -> dict[str, Any]:
        # A chunk's function may hold its Context, and that its executor: workers need none.
        return {"address": self.address, "client": None}

    def map(self, fn: Callable[[int], Arrays], indices: Iterable[int]) -> Iterator[tuple[int, Arrays]]:
        """See `family.Executor`; only some chunks a thread are out at a time, so that little is lost at a stop."""
        client = self.client
        assert client is not None, "a closed cluster takes no chunks"
        # The function travels once, as a task of its own: were it scattered, it would be lost with its worker.
        payload = cloudpickle.dumps(fn)
        key = f"function-{CODE}-{hashlib.sha256(payload).hexdigest()[:16]}"
        function = client.submit(_loaded, payload, CODE, key=key)
        todo = iter(indices)
        out: dict[Any, int] = {}
        done = as_completed(loop=client.loop)

        def hand_out() -> bool:
            index = next(todo, None)
            if index is None:
                return False
            future = client.submit(_run, function, index, key=f"chunk-{key}-{index}", retries=2)
            out[future] = index
            done.add(future)
            return True

        try:
            while len(out) < AHEAD * max(1, sum(client.nthreads().values())) and hand_out():
                pass
            for future in done:
                arrays = future.result()
                index = out.pop(future)
                hand_out()
                yield index, arrays
        finally:
            client.cancel([*out, function])


def _loaded(payload: bytes, expected: str) -> Callable[[int], Arrays]:
    if expected != CODE:
        raise BuildError(f"found code {CODE} on a worker; expected {expected}, as where the work comes from")
    function: Callable[[int], Arrays] = cloudpickle.loads(payload)
    return function


def _run(function: Callable[[int], Arrays], index: int) -> Arrays:
    return function(index)
