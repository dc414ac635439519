"""Linked functions that another process has compiled."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PLAY = """
import os
import sys

found = os.listdir
os.listdir = lambda folder: sorted(found(folder), reverse=sys.argv[1] == "backwards")
from arena.__main__ import main

sys.exit(main(["match", "--a", "bis", "--b", "rb", "--pairs", "1", "--jobs", "1"]))
"""


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize("order", ["forwards", "backwards"])
def test_the_order_of_the_cached_files_does_not_matter(order):
    """The first of the two processes fills the cache, unless other tests have done so."""
    command = [sys.executable, "-c", PLAY, order]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
