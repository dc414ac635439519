"""The wheels: an index would accept the library's, it bids with numpy only, and none installs `tables`."""

import filecmp
import importlib.metadata
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from spades import __version__
from spades.tableset import DEFAULT_DIRECTORY
from tests.conftest import ROOT

PAGE = ROOT / "docs/how-to/use-as-a-library.md"
DATA = [path.name for path in DEFAULT_DIRECTORY.iterdir() if path.is_file()]  # without research/
ABSENT = ("fastapi", "pydantic", "prometheus_client", "orjson", "numba", "arena", "tables", "service", "pip")

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheels")]


def build(project: Path, target: str, directory: Path) -> Path:
    """Build the wheel or the sdist of ``project`` into ``directory`` and return its path."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(directory)]
    subprocess.run(command, cwd=project, check=True, capture_output=True, text=True, timeout=600)
    (built,) = directory.iterdir()
    return built


@pytest.fixture(scope="module")
def sdist(tmp_path_factory) -> Path:
    return build(ROOT / "spades", "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory) -> Path:
    """The library's wheel, built from its sdist in a folder of its own."""
    folder = tmp_path_factory.mktemp("library")
    with tarfile.open(sdist) as archive:
        assert not [member.name for member in archive if not (member.isfile() or member.isdir())], "no links"
        archive.extractall(folder / "source", filter="data")
    (source,) = (folder / "source").iterdir()
    return build(source, "wheel", folder / "wheel")


def environment(folder: Path, wheel: str, *distributions: str) -> Path:
    """Return the Python of a new environment with ``distributions`` and the ``wheel``. pip finds nothing else."""
    venv.create(folder, with_pip=False)
    python = folder / "bin/python"
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    for distribution in distributions:
        files = importlib.metadata.files(distribution)
        assert files, f"the wheel of {distribution} lists its files"
        here = Path(str(importlib.metadata.distribution(distribution).locate_file("")))
        for name in {file.parts[0] for file in files} - {"..", "__pycache__"}:
            (packages / name).symlink_to(here / name)
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", wheel]
    subprocess.run([*command, "--disable-pip-version-check"], check=True, timeout=600)
    return python


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory) -> Path:
    """The Python of an environment with the library's wheel and numpy only."""
    return environment(tmp_path_factory.mktemp("empty"), str(wheel), "numpy")


def run(python: Path, folder: Path, *arguments: str) -> str:
    """Run Python outside the checkout, without its environment variables and its user's packages."""
    command = [str(python), "-I", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def test_the_first_bid_of_the_page(python, tmp_path):
    (install, program) = re.findall(r"```(?:python)?\n(.*?)```", PAGE.read_text(), re.DOTALL)[:2]
    lines = [line for line in (install + program).splitlines() if line]
    assert lines[0] == "pip install ./spades"
    assert run(python, tmp_path, "-c", program) == "6\n"


def test_the_other_examples_of_the_page(python, tmp_path):
    shutil.copy(PAGE, tmp_path)
    assert run(python, tmp_path, "-m", "doctest", PAGE.name) == ""


def test_the_commands_need_the_extra(python, wheel, tmp_path_factory, tmp_path):
    command = ["-m", "spades", "bid", "AKJ62.AQ.Q.K9543", "--previous", "3,1"]
    done = subprocess.run([str(python), "-I", *command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
    assert "pip install pydantic" in done.stderr
    needed = ("numpy", "pydantic", "pydantic-core", "typing-extensions", "typing-inspection", "annotated-types")
    with_extra = environment(tmp_path_factory.mktemp("json"), f"{wheel}[json]", *needed)
    assert run(with_extra, tmp_path, *command).startswith("bid 6 (regular), policy bis, tables ")
    assert run(with_extra, tmp_path, "-m", "spades", "--version").startswith("spades-bidding ")


def test_needs_numpy_only(python, tmp_path):
    code = f"from importlib.util import find_spec; print([name for name in {ABSENT} if find_spec(name)])"
    assert run(python, tmp_path, "-c", code) == "[]\n"
    code = "import spades; print(spades.__file__, spades.open_tables().directory)"
    assert all(path.startswith(str(python.parents[1])) for path in run(python, tmp_path, "-c", code).split())


def test_every_policy_bids(python, tmp_path):
    code = """
from spades import Position, decide, explain, open_tables
from spades.policies import SERVED
position, tables = Position.of("AKJ62.AQ.Q.K9543", bids=(3, 1)), open_tables()
print(*(decide(position, tables, policy).bid for policy in SERVED), explain(position, tables)["sentence"][:6])
"""
    assert run(python, tmp_path, "-c", code) == "6 6 6 5 6 Bid 6.\n"


def test_what_the_library_installs(wheel, tmp_path):
    names = names_in(wheel)
    assert {name.partition("/")[0] for name in names} == {"spades"}
    files = {str(path.relative_to(ROOT)) for path in (ROOT / "spades").rglob("*.py")}
    extra = {"spades/py.typed", "spades/strength.json", "spades/winprob/nearest_errors.json"}
    data = {f"spades/data/{name}" for name in DATA}
    assert names == files | extra | data
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    same, different, missing = filecmp.cmpfiles(DEFAULT_DIRECTORY, tmp_path / "spades/data", DATA, shallow=False)
    assert (len(same), different, missing) == (len(data), [], [])


def test_what_the_project_installs(tmp_path):
    """The project's wheel has the service, and the library with its tables."""
    names = names_in(build(ROOT, "wheel", tmp_path))
    assert {name.partition("/")[0] for name in names} == {"spades", "service"}
    assert {name for name in names if name.startswith("spades/data/")} == {f"spades/data/{name}" for name in DATA}
    assert {"service/app.py", "service/static/index.html", "spades/strength.json"} < names


def test_the_library_is_declared_as_the_project_is():
    both = {name: tomllib.loads((ROOT / name / "pyproject.toml").read_text()) for name in ("spades", ".")}
    library, project = both.values()
    for field in ("license", "authors", "urls", "requires-python"):
        assert library["project"][field] == project["project"][field]
    files = [ROOT / name / metadata["tool"]["hatch"]["version"]["path"] for name, metadata in both.items()]
    assert files == [ROOT / "spades/__init__.py"] * 2
    assert library["build-system"] == project["build-system"]
    needed = library["project"]["dependencies"] + library["project"]["optional-dependencies"]["json"]
    assert set(needed) <= set(project["project"]["dependencies"])


def test_an_index_would_accept_the_library(wheel, sdist):
    an_index_would_accept(wheel, sdist)


@pytest.mark.long
def test_an_index_would_accept_the_client(tmp_path):
    project = ROOT / "clients/python"
    an_index_would_accept(*(build(project, target, tmp_path / target) for target in ("wheel", "sdist")))


def an_index_would_accept(wheel: Path, sdist: Path) -> None:
    twine = str(Path(sys.executable).parent / "twine")
    command = [twine, "check", "--strict", str(wheel), str(sdist)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = message_from_bytes(archive.read(name))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    author = project["authors"][0]["name"]
    assert (metadata["Version"], metadata["Author"], metadata["License-Expression"]) == (__version__, author, "MIT")
    assert metadata["License-File"] == "LICENSE"
    assert dict(value.split(", ") for value in metadata.get_all("Project-URL", [])) == project["urls"]
    classifiers = metadata.get_all("Classifier", [])
    assert not [name for name in classifiers if name.startswith("Private")], "an index refuses these"
    assert "Typing :: Typed" in classifiers
    assert "](../" not in metadata.get_payload(), "a link to a file leads nowhere from an index"
