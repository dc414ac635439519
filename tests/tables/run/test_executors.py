"""The options and the progress bars of commands that run chunks."""

import argparse
import importlib
import io
import sys
import time

import pytest
from tqdm import tqdm

from tables.__main__ import COMMANDS
from tables.run import executors
from tables.run.executors import executor_of
from tables.run.family import Arrays


@pytest.mark.parametrize("command", ["build", "arena", "ceiling", "fit", "probe", "report"])
def test_every_command_has_the_same_default_for_jobs(command):
    parser = argparse.ArgumentParser()
    importlib.import_module(COMMANDS[command][0]).add_arguments(parser)
    assert parser.get_default("jobs") == executors.JOBS


def long_chunk(index: int) -> Arrays:
    time.sleep(0.3)
    return {}


def test_a_bar_moves_while_a_chunk_runs(monkeypatch):
    monkeypatch.setattr(executors, "REDRAW_S", 0.01)
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    with executor_of(None, 1) as executor, tqdm(total=1, file=screen) as bar:
        assert list(executor.map(long_chunk, [0])) == [(0, {})]
        drawn = screen.getvalue().count("0/1")
        bar.update()
    assert drawn > 3
