"""`make docs`: the site is built without a warning, loads nothing from elsewhere, and its search finds words."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.patience import LIMIT_S

SITE = ROOT / "build/site"


@pytest.fixture(scope="module")
def site() -> Path:
    installed = ["--old-file=.venv/.all-installed", "--old-file=.venv/.runtime-installed"]
    make = ["make", *installed, "docs", f"BIN={Path(sys.executable).parent}"]
    done = subprocess.run(make, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return SITE


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("bag penalty", "glossary"),
        ("canary", "how-to/run-in-production"),
        ("blind nil", "explanation/how-bis-bids"),
        ("bag penalty", "appendix/strength"),
    ],
)
def test_the_search_finds(site, words, page):
    sections = json.loads((site / "search.json").read_text())["items"]
    found = {
        section["location"].partition("#")[0]
        for section in sections
        if words in re.sub(r"<[^>]+>", "", f"{section['title']} {section['text']}").lower()
    }
    assert f"docs/{page}/" in found


def test_pages_load_nothing_from_elsewhere(site):
    for page in site.rglob("*.html"):
        loaded = re.findall(r"<(?:script|link|img)\b[^>]*(?:src|href)=\"?(https?:[^\s\">]+)", page.read_text())
        assert loaded == [], page
