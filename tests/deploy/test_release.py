"""What is released: the packages' metadata agree and are complete, and the workflows are safe to run."""

import json
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml

from spades import __version__
from tests.conftest import ROOT

COMMANDS = Path(sys.executable).parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
CLIENTS = ROOT / "clients"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
AUTHOR, REPOSITORY = PROJECT["authors"][0]["name"], PROJECT["urls"]["Homepage"]
NPM = {name: json.loads((CLIENTS / name / "package.json").read_text()) for name in ("typescript", "csharp")}
NUGET = ET.parse(CLIENTS / "csharp/SpadesBidding.Client.csproj").getroot().find("PropertyGroup")
PYTHON = ["spades", "clients/python"]


def run(*command: str | Path) -> str:
    done = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def nuget(name: str) -> str | None:
    return NUGET.findtext(name) if NUGET is not None else None


def test_the_packages_for_other_languages_have_the_same_version_author_licence_and_repository():
    for package in NPM.values():
        assert (package["version"], package["license"]) == (__version__, "MIT")
        assert package["author"] in (AUTHOR, {"name": AUTHOR})
        assert package["repository"]["url"] == f"git+{REPOSITORY}.git"
        assert (ROOT / package["repository"]["directory"] / "package.json").exists()
        assert "private" not in package, "npm refuses to publish it"
        for address in (value for value in package.values() if isinstance(value, str) and value.startswith("http")):
            assert address.startswith(REPOSITORY)
            path = address.removeprefix(REPOSITORY).removeprefix("/issues").removeprefix("/blob/main/")
            assert (ROOT / path).exists(), address
    lock = json.loads((CLIENTS / "typescript/package-lock.json").read_text())
    assert lock["version"] == lock["packages"][""]["version"] == __version__
    assert (nuget("Version"), nuget("Authors"), nuget("PackageLicenseExpression")) == (__version__, AUTHOR, "MIT")
    assert (nuget("PackageProjectUrl"), nuget("RepositoryUrl")) == (REPOSITORY, f"{REPOSITORY}.git")


def test_the_manifests_of_kubernetes_run_this_version():
    kustomization = yaml.safe_load((ROOT / "deploy/k8s/base/kustomization.yaml").read_text())
    assert [image["newTag"] for image in kustomization["images"]] == [__version__]


@pytest.mark.parametrize(
    "copy",
    ["spades/LICENSE", *(f"clients/{name}" for name in ("python/LICENSE", "typescript/LICENSE", "csharp/LICENSE.md"))],
)
def test_every_package_has_the_licence(copy):
    assert (ROOT / copy).read_text() == (ROOT / "LICENSE").read_text()


@pytest.mark.parametrize("project", PYTHON)
def test_the_packages_name_the_versions_of_python_that_ci_tests(project):
    matrix = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]["gate"]["strategy"]["matrix"]
    named = tomllib.loads((ROOT / project / "pyproject.toml").read_text())["project"]
    prefix = "Programming Language :: Python :: "
    minors = [name.removeprefix(prefix) for name in named["classifiers"] if name.startswith(f"{prefix}3.")]
    assert minors == matrix["python"]
    assert named["requires-python"] == f">={minors[0]}"


def test_unity_knows_every_file_and_compiles_the_right_ones():
    """Unity ignores a file of a package that has no .meta file, and keeps what uses it by its guid."""
    folder = CLIENTS / "csharp"
    tracked = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "clients/csharp").split()
    names = {str(Path(name).relative_to("clients/csharp")) for name in tracked}
    files = {name for name in names if not name.endswith(".meta")}
    assert {name.removesuffix(".meta") for name in names - files} == files | {"Runtime"}
    guids = [re.findall(r"^guid: ([0-9a-f]{32})$", path.read_text(), re.M) for path in folder.rglob("*.meta")]
    assert all(len(found) == 1 for found in guids)
    assert len({found[0] for found in guids}) == len(guids)
    (assembly,) = folder.rglob("*.asmdef")
    assert {path.parent for path in folder.rglob("*.cs")} == {assembly.parent}
    assert json.loads(assembly.read_text())["name"] == assembly.stem


def test_actions_are_pinned_by_commit():
    for workflow in WORKFLOWS:
        used = re.findall(r"uses: (\S+)(.*)", workflow.read_text())
        for action, comment in used:
            if not action.startswith("./"):
                assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", action), action
                assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), f"{action}: a comment names the version"


def test_zizmor_finds_no_fault_in_the_workflows():
    run(COMMANDS / "zizmor", "--offline", "--no-progress", ".github/workflows")


@pytest.mark.parametrize(
    ("schema", "files"), [("vendor.github-workflows", WORKFLOWS), ("vendor.renovate", [ROOT / "renovate.json"])]
)
def test_valid_by_the_schemas(schema, files):
    run(COMMANDS / "check-jsonschema", "--builtin-schema", schema, *files)


def test_the_release_note_is_the_section_of_the_version(tmp_path):
    def note(version):
        command = ["make", "--silent", "--file", str(ROOT / "Makefile"), "release-note", f"VERSION={version}"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)

    sections = "## 1.0.10\n\nLater.\n\n## 1.0.1 (2026-01-31)\n\nA note.\n\n### More\n\n## 1.0.0\n\nFirst.\n"
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{sections}")
    assert note("1.0.1").stdout.strip() == "A note.\n\n### More"
    assert note("1.0.0").stdout.strip() == "First."
    for version in ("1.0", "2.0.0", ""):
        missing = note(version)
        assert missing.returncode != 0
        assert f"CHANGELOG.md has no text for version {version}" in missing.stderr
