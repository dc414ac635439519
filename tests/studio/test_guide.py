"""docs/how-to/learn-from-your-games.md, followed word for word: from a log to a canary that answers its share.

Its shell blocks run in their order, in a folder in which `tables` is that of the repository. Where a block starts the
service, a real server on a free port starts with the block's setting. Only `CHANGED` changes what the blocks say.
`ELSEWHERE` says which blocks do not run here.
"""

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import httpx
import pytest

from service.table_sets import RELEASES
from spades.contract.bid_request import MAX_ITEMS
from tests.conftest import committed_tables
from tests.patience import LIMIT_S
from tests.servers import START_S, RealServer, running_server
from tests.structure.test_examples import ADDRESS, ROOT, examples_of
from tests.studio.test_logs import games
from tests.studio.test_production_log import bids_and_results

pytestmark = [pytest.mark.compiled, pytest.mark.long]  # 15 processes, one of which trains a model of people
PAGE = ROOT / "docs/how-to/learn-from-your-games.md"
CHANGED = {  # words of the page, and what runs instead
    "/var/log/spades/": "",
    "--games 20000": "--games 100",  # here and below: fewer games, so that this takes minutes instead of hours
    "studio report": "studio report --pairs 20",
    "studio tune": "studio tune --pairs 20",
    "arena match": "arena match --pairs 20",
}
ELSEWHERE = {  # first words of a block: why it does not run here
    "psql": "needs PostgreSQL; test_export.py runs its query",
}
SERVE = re.compile(r"(?:SPADES_DECISION_LOG|SPADES_TABLES_DIR)=(\S+) python -m service serve")
GAMES = 4 * MAX_ITEMS
FOLLOWED_S = 3 * 3600.0  # for all commands of the page, which take minutes on a quiet machine


def blocks() -> list[str]:
    """Return the page's shell blocks that run here, with what CHANGED says."""
    shell = [one.text for one in examples_of(PAGE) if one.kind == "sh"]
    for first in ELSEWHERE:
        assert any(text.startswith(first) for text in shell), f"the page has no block that begins with {first}"
    texts = [text for text in shell if not text.startswith(tuple(ELSEWHERE))]
    for words in CHANGED:
        assert any(words in text for text in texts), f"the page has no {words!r}"
    for words, instead in CHANGED.items():
        texts = [text.replace(words, instead) for text in texts]
    return texts


def follow(texts: list[str], folder: Path) -> None:
    """Run blocks one after the other in one shell; fail if a command of them does."""
    script = "\n".join(["set -euo pipefail", "trap 'echo failed: $BASH_COMMAND >&2' ERR", *texts])
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    shell = ["bash", "-c", script]
    done = subprocess.run(shell, cwd=folder, env=environment, capture_output=True, text=True, timeout=FOLLOWED_S)
    assert done.returncode == 0, done.stderr


def tables_that_answer(server: RealServer) -> Counter[str]:
    """Let the service bid in GAMES games, and return how many of these each table set answered."""
    found: Counter[str] = Counter()
    for first in range(0, GAMES, MAX_ITEMS):
        games = range(first, first + MAX_ITEMS)
        request = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [], "seat": 0, "explain": False}
        body = {"requests": [request | {"game": f"game {game}"} for game in games]}
        answer = httpx.post(f"{server.url}/v1/bids", json=body, timeout=LIMIT_S)
        assert answer.status_code == 200, answer.text
        found.update(one["body"]["tables"] for one in answer.json()["answers"])
    return found


def test_from_a_log_to_a_canary(tmp_path):
    (tmp_path / "tables").symlink_to(ROOT / "tables")
    texts = blocks()
    (log, log_file), (sets, set_folder) = (
        (number, tmp_path / found[1]) for number, text in enumerate(texts) if (found := SERVE.fullmatch(text))
    )

    follow(texts[:log], tmp_path)
    with running_server(SPADES_DECISION_LOG=str(log_file)) as server:
        bids_and_results(server.url, games(n=20))
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(START_S) == 0

    follow(texts[log + 1 : sets], tmp_path)
    roles = json.loads((set_folder / RELEASES).read_text())
    canary, _, share = roles["canary"].partition(":")
    assert roles["default"] == committed_tables().version != canary
    assert canary.startswith(f"{committed_tables().manifest.release}-logs+")
    with running_server(SPADES_TABLES_DIR=str(set_folder)) as server:
        follow([text.replace(ADDRESS, f"127.0.0.1:{server.port}") for text in texts[sets + 1 :]], tmp_path)
        answered = tables_that_answer(server)
    assert answered.keys() == {roles["default"], canary}
    assert answered[canary] / GAMES == pytest.approx(float(share), abs=0.025)  # five standard errors
