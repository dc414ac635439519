"""The pages against the repository: links lead somewhere, and the reference pages list what the code declares."""

import re
import subprocess
from pathlib import Path

import pytest

from service.problems import TYPES
from service.routes import ROUTES
from spades.contract.faults import CODES
from spades.policies import SERVED, options_of
from spades.tables import PROFILES
from tables.families import FAMILIES

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
GENERATED = {DOCS / "appendix" / path.stem for path in ROOT.glob("report/templates/appendix/*.md.j2")}  # by `make docs`
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *ROOT.glob("clients/*/README.md"), ROOT / "spades/README.md"])
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_PATH = re.compile(r"\bdocs/[\w./-]*\w")


def names_in(page: str) -> set[str]:
    """What a page marks as code, each mark whole and split into its parts."""
    marked = re.findall(r"`([^`\n]+)`", (DOCS / page).read_text())
    return {*marked, *(part for mark in marked for part in re.split(r"[=\s:/]", mark))}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    """Links to pictures and to files that are no pages; `make docs` checks those between pages, with their anchors."""
    for link in _LINK.findall(page.read_text()):
        if not link.startswith(("http://", "https://", "#")):
            assert (page.parent / link.partition("#")[0]).exists(), link


def test_pages_that_are_named_elsewhere_exist():
    """Code, comments, deployment files and pages name pages by their path from the root."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in tracked.split("\0"):
        if not name.endswith((".py", ".md", ".yml", ".yaml", ".toml", "Makefile", "Dockerfile")):
            continue
        for path in _PATH.findall((ROOT / name).read_text()):
            target = ROOT / path
            found = target.exists() or target in GENERATED or list(target.parent.glob(f"{target.name}-*.md"))
            assert found, f"{name}: {path}"


def test_every_page_is_in_the_navigation():
    navigation = {ROOT / page for page in re.findall(r"[\w./-]+\.md", (ROOT / "mkdocs.yml").read_text())}
    decisions = {DOCS / "adr" / link for link in _LINK.findall((DOCS / "adr/README.md").read_text())}
    assert set(PAGES) - {ROOT / "spades/README.md"} | GENERATED == navigation | decisions


def test_the_reference_lists_what_the_code_declares():
    http = names_in("reference/http.md")
    assert {*CODES, *TYPES} <= http
    assert {route.path.strip("/").split("/")[-1] for route in ROUTES if "{" not in route.path} - {""} <= http
    policies = names_in("reference/policies.md")
    options = {option.partition("=")[0] for name in SERVED for option in options_of(name)}
    assert {*SERVED, *options} <= policies


def test_the_file_formats_list_every_array():
    profiles = tuple(f"{profile}_" for profile in PROFILES)
    arrays = {array for family in FAMILIES for array in family.axes}
    plain = {next((array.removeprefix(p) for p in profiles if array.startswith(p)), array) for array in arrays}
    assert plain <= names_in("reference/file-formats.md")
