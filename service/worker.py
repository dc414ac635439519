"""A worker's line to the supervisor that started it (`supervisor.py`): says "ready", and notices when it is gone.

The supervisor's process id is passed on, not read at the start: a worker whose supervisor is killed while the worker
starts must notice too.
"""

import os

READY = b"1"


class SupervisorLine:
    """The supervisor with process id ``pid``, which reads ``descriptor``, a pipe."""

    def __init__(self, pid: int, descriptor: int) -> None:
        self.pid = pid
        self._descriptor: int | None = descriptor

    @property
    def gone(self) -> bool:
        """Whether the supervisor has ended: nobody would stop or restart this worker any more."""
        return os.getppid() != self.pid

    def tell_ready(self) -> None:
        """Say that this worker answers requests; only the first call does anything."""
        if self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        try:
            os.write(descriptor, READY)
        except BrokenPipeError:
            pass  # `gone` says so
        finally:
            os.close(descriptor)
