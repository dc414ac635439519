"""The Dockerfile: what it copies runs, and the image installs what searches need, as it is tested."""

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import requires

import pytest
from numba.core import config
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from arena.source_files import imported
from service.settings import Settings
from spades.manifest import RESEARCH
from tests.conftest import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text()
STAGES = dict(re.findall(r"^FROM \S+ AS (\S+)\n(.*?)(?=^FROM |\Z)", DOCKERFILE, re.M | re.S))
LET_THROUGH = set(re.findall(r"^!(\S+)", (ROOT / ".dockerignore").read_text(), re.MULTILINE))


def pins(requirements: str) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==(\S+)", requirements, re.MULTILINE))


def locked(name: str) -> dict[str, str]:
    return pins((ROOT / "requirements" / name).read_text())


def needs(package: str) -> set[str]:
    """The packages that an installed package needs on Linux."""
    found = [Requirement(text) for text in requires(package) or []]
    environment = {"sys_platform": "linux", "platform_system": "Linux", "extra": ""}
    return {canonicalize_name(r.name) for r in found if r.marker is None or r.marker.evaluate(environment)}


def picked_by_the_search() -> str:
    """What the Dockerfile picks from requirements/all.txt for the search."""
    (command,) = re.findall(r"^RUN (sed .*?) >/build/search.txt", STAGES["search-packages"], re.MULTILINE)
    words = [str(ROOT / "requirements/all.txt") if word == "/build/all.txt" else word for word in shlex.split(command)]
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout


def test_the_service_has_the_versions_that_are_tested():
    assert locked("runtime.txt").items() < locked("all.txt").items()
    assert not locked("runtime.txt").keys() & {"numba", "pytest", "pip", "uv"}


def test_the_search_has_all_packages_that_it_needs():
    packages = pins(picked_by_the_search())
    assert packages.items() < locked("all.txt").items()
    group = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]["search"]
    needed = {Requirement(text).name for text in group}
    while more := {name for package in needed for name in needs(package)} - needed - locked("runtime.txt").keys():
        needed |= more
    assert packages.keys() == needed


def test_every_package_of_the_search_keeps_its_hashes():
    text = picked_by_the_search()
    for name in pins(text):
        assert re.search(rf"^{name}==\S+ \\\n    --hash=sha256:[0-9a-f]{{64}}", text, re.MULTILINE), name


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """The folder /app of the small image: what its stages copy of what .dockerignore lets through."""
    folder = tmp_path_factory.mktemp("image") / "app"
    copies = re.findall(r"^COPY (?!--)(\S+)/ \./(\S+)/$", STAGES["base"] + STAGES["small"], re.MULTILINE)
    assert [source for source, _ in copies] == [target for _, target in copies] == ["spades", "service", "tables/data"]
    left_out = shutil.ignore_patterns("__pycache__", RESEARCH)
    for name, _ in copies:
        assert name in LET_THROUGH or f"{name}/*.npy" in LET_THROUGH
        shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=left_out)
    return folder


def test_what_the_image_copies_bids(app):
    def run(*arguments, folder=app):
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=300).stdout

    code = "import spades, service; print(spades.__file__, service.__file__, spades.open_tables().directory)"
    assert all(path.startswith(str(app)) for path in run("-c", code).split())
    bid = ("-m", "spades", "bid", "AKJ62.AQ.Q.K9543")
    assert run(*bid) == run(*bid, folder=ROOT)
    assert "serve" in run("-m", "service", "--help")


def test_what_it_names_exists(tmp_path, monkeypatch):
    module, _, name = re.findall(r"NUMBA_CACHE_LOCATOR_CLASSES=(\S+)", DOCKERFILE)[0].rpartition(".")
    locator = getattr(import_module(module), name)
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "missing"))
    locator(test_what_it_names_exists, __file__).ensure_cache_path()
    assert not (tmp_path / "missing").exists(), "it writes nothing"
    assert "SPADES_SEARCH_PROCESSES=1" in DOCKERFILE
    assert "search_processes" in Settings.model_fields


def test_the_image_that_searches_has_all_that_it_compiles():
    copied = re.findall(r"^COPY (?!--)(\S+)/ \./", STAGES["base"] + STAGES["service"], re.MULTILINE)
    used = imported("arena.__main__", "arena.searcher")
    assert {"tables/data", *(name.partition(".")[0] for name in used)} <= {*copied}


def test_the_default_image_searches_and_the_small_one_does_not():
    """The last stage is the one that is built if no target is named."""
    assert list(STAGES)[-1] == "service"
    assert "COPY --from=search-packages /opt/venv /opt/venv" in STAGES["service"]
    assert "COPY --from=packages /opt/venv /opt/venv" in STAGES["small"]
    assert "search" not in STAGES["small"]


def test_the_image_has_no_research_arrays():
    """Docker's `*` matches no slash, and nothing else lets a folder of tables/data through."""
    of_tables = {name for name in LET_THROUGH if name.startswith("tables")}
    assert of_tables == {"tables/data/*.npy", "tables/data/manifest.json"}


def test_the_context_holds_what_is_copied():
    assert {"requirements/runtime.txt", "requirements/all.txt"} < LET_THROUGH
    assert {"arena/**/*.py", "tables/data/manifest.json"} < LET_THROUGH
    assert re.findall(r"^COPY (deploy\S+)", STAGES["proxy"], re.MULTILINE) == ["deploy/nginx/nginx.conf"]
    assert "deploy/nginx/nginx.conf" in LET_THROUGH


def test_the_proxy_needs_no_rights_and_ends_its_requests():
    """SIGTERM would make nginx drop the requests in progress."""
    assert re.findall(r"^(USER|STOPSIGNAL) (.*)$", STAGES["proxy"], re.MULTILINE) == [
        ("STOPSIGNAL", "SIGQUIT"),
        ("USER", "10001:10001"),
    ]
    configuration = (ROOT / "deploy/nginx/nginx.conf").read_text()
    written = re.findall(r"^ *(?:pid|\w+_temp_path) (.*?);", configuration, re.MULTILINE)
    assert len(written) == 6
    assert all(path.startswith("/tmp/") for path in written)
