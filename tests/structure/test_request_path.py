"""One POST /bid goes through few files, and the architecture page names them in their order."""

import re
from pathlib import Path

from tests.request_path import request_path

PAGE = Path(__file__).resolve().parents[2] / "docs/explanation/architecture.md"
MOST_FILES = 18


def test_the_page_shows_the_path_of_a_bid():
    path = request_path()
    assert len(path) <= MOST_FILES
    table = PAGE.read_text().partition("<!-- path")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\S+\.py)` \|", table, re.MULTILINE) == path
