"""The Dockerfile's target `search`: what it copies and names exists, and its packages are those that are tested."""

import re
from importlib import import_module
from pathlib import Path

from numba.core import config

from service.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()


def pins(name):
    return set(re.findall(r"^([\w.-]+==\S+)", (ROOT / "requirements" / name).read_text(), re.MULTILINE))


def test_its_packages_are_those_that_are_tested():
    assert pins("search.txt") <= pins("all.txt")
    assert any(pin.startswith("numba==") for pin in pins("search.txt") - pins("runtime.txt"))


def test_what_it_names_exists(tmp_path, monkeypatch):
    module, _, name = re.findall(r"NUMBA_CACHE_LOCATOR_CLASSES=(\S+)", DOCKERFILE)[0].rpartition(".")
    locator = getattr(import_module(module), name)
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "missing"))
    locator(test_what_it_names_exists, __file__).ensure_cache_path()
    assert not (tmp_path / "missing").exists(), "it writes nothing"
    assert "SPADES_SEARCH_PROCESSES=1" in DOCKERFILE
    assert "search_processes" in Settings.model_fields


def test_the_default_image_is_without_it():
    """The last stage is the one that is built if no target is named."""
    stages = re.findall(r"^FROM \S+ AS (\S+)", DOCKERFILE, re.MULTILINE)
    last = DOCKERFILE[DOCKERFILE.index(f"AS {stages[-1]}\n") :]
    assert stages[-1] == "service"
    assert "COPY --from=project /opt/venv /opt/venv" in last
    assert "search" not in last


def test_the_context_holds_what_is_copied():
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert {"!requirements/search.txt", "!tables/**/*.py"} <= set(ignored)
