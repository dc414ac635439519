"""The line that says what a command does when no bar moves."""

import io
import sys

import pytest

from arena.progress import working_on


class Terminal(io.StringIO):
    """A screen that keeps what was written."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("screen", "shown"), [(Terminal(), True), (io.StringIO(), False)])
def test_what_is_worked_on_is_shown_on_a_terminal(monkeypatch, screen, shown):
    monkeypatch.setattr(sys, "stderr", screen)
    with working_on("curves: fit"):
        during = screen.getvalue()
    assert ("curves: fit ... 00:00" in during) == shown
    assert (screen.getvalue() == during) == (not shown)  # the line is cleared
