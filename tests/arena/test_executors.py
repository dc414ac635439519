"""The options and the progress bars of commands that run chunks."""

import argparse
import io
import os
import signal
import sys
from threading import current_thread, main_thread

import pytest
from tqdm import tqdm

from arena import executors, match_command
from arena.chunks import Arrays
from arena.executors import executor_of
from report import __main__ as report_command
from tables.run import build
from tests.patience import wait_until


@pytest.mark.parametrize("command", [build, match_command, report_command])
def test_every_command_has_the_same_default_for_jobs(command):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    assert parser.get_default("jobs") == executors.JOBS


def test_a_bar_moves_while_a_chunk_runs(monkeypatch):
    monkeypatch.setattr(executors, "REDRAW_S", 0.01)
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)

    def long_chunk(index: int) -> Arrays:
        wait_until(lambda: screen.getvalue().count("0/1") > 3)
        return {}

    with executor_of(None, 1) as executor, tqdm(total=1, file=screen) as bar:
        assert list(executor.map(long_chunk, [0])) == [(0, {})]
        bar.update()


@pytest.mark.parametrize("processes", [False, True])
def test_sigterm_interrupts_like_ctrl_c(processes):
    assert current_thread() is main_thread()
    before = signal.getsignal(signal.SIGTERM)
    found = []

    def run():
        with executor_of(None, 2, processes) as executor:
            for index, _ in executor.map(lambda index: {}, range(100_000)):
                found.append(index)
                os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(KeyboardInterrupt):
        run()
    assert len(found) == 1
    assert signal.getsignal(signal.SIGTERM) is before
