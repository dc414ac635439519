"""A worker's connection to its supervisor (`supervisor.py`): report "ready", and notice when the supervisor ends.

The worker gets the supervisor's process id as an argument. If it read the id itself, it would not notice a supervisor
that was killed while the worker was starting. `Hangup` notes SIGHUP, in workers, in their supervisor and in a server
without one.
"""

import os
import signal
from types import FrameType

READY = b"1"


class SupervisorLine:
    """The connection to the supervisor with process id ``pid``, which reads the pipe ``descriptor``."""

    def __init__(self, pid: int, descriptor: int) -> None:
        self.pid = pid
        self._descriptor: int | None = descriptor

    @property
    def gone(self) -> bool:
        """Return whether the supervisor has ended: then nothing would stop or restart this worker."""
        return os.getppid() != self.pid

    def tell_ready(self) -> None:
        """Report that this worker answers requests; only the first call has an effect."""
        if self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        try:
            os.write(descriptor, READY)
        except BrokenPipeError:
            pass  # the supervisor has ended; `gone` reports it
        finally:
            os.close(descriptor)


class Hangup:
    """Notes SIGHUP from now on, also one that came earlier, while the start of the process blocked the signal."""

    def __init__(self) -> None:
        self._noted = False
        signal.signal(signal.SIGHUP, self._note)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})

    def taken(self) -> bool:
        """Return whether the signal has come since the last call."""
        noted, self._noted = self._noted, False
        return noted

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._noted = True
