"""A line on the screen for work that has no progress bar of its own."""

from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm


@contextmanager
def working_on(what: str) -> Iterator[None]:
    """Show ``what`` and the time since it began, beside bars that stand at 100%, until it is done.

    Nothing is shown if the output is no terminal.
    """
    with tqdm(desc=what, bar_format="{desc} ... {elapsed}", leave=False, disable=None):
        yield
