"""Tell the user of a command why it waits: numba compiles."""

import sys

from numba.core.event import Event, Listener
from tqdm import tqdm

KIND = "numba:compile"  # numba's event; there is none if the machine code is read from the disk


class CompilingNotice(Listener):  # type: ignore[misc]
    """Print one line on stderr when a command compiles for the first time."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._printed = False

    def on_start(self, event: Event) -> None:
        """Print the line, unless it was printed before."""
        if not self._printed:
            self._printed = True
            text = "compiling; this can take a minute, and later runs use the result again"
            tqdm.write(f"{self._command}: {text}", sys.stderr)  # leaves the progress bars whole

    def on_end(self, event: Event) -> None:
        """Do nothing."""
