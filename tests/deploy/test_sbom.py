"""The bill of materials: it lists what the lock file lists, and a difference stops the build."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.sbom import differences, listed, main, pinned

ROOT = Path(__file__).parents[2]
RUNTIME = ROOT / "requirements/runtime.txt"


@pytest.fixture(scope="module")
def sbom(tmp_path_factory) -> Path:
    """The file that `make sbom` writes."""
    path = tmp_path_factory.mktemp("sbom") / "sbom.cdx.json"
    command = [str(Path(sys.executable).with_name("cyclonedx-py")), "requirements", str(RUNTIME)]
    command += ["--pyproject", str(ROOT / "pyproject.toml"), "--output-reproducible"]
    command += ["--output-format", "JSON", "--output-file", str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return path


def test_it_lists_exactly_what_is_locked(sbom, capsys):
    assert main([str(sbom), str(RUNTIME)]) == 0
    names = {name for name, _ in listed(sbom.read_text())}
    assert {"fastapi", "uvicorn", "uvloop", "orjson", "numpy"} <= names
    assert not names & {"numba", "pytest", "pip"}
    content = json.loads(sbom.read_text())
    assert content["bomFormat"] == "CycloneDX"
    assert content["metadata"]["component"]["name"] == "spades-bidding-service"


@pytest.mark.parametrize("change", ["left out", "added", "another version"])
def test_a_difference_is_told(sbom, tmp_path, capsys, change):
    content = json.loads(sbom.read_text())
    component = next(entry for entry in content["components"] if entry["name"] == "orjson")
    if change == "left out":
        content["components"].remove(component)
    elif change == "added":
        content["components"].append({"type": "library", "name": "left-pad", "version": "1.0"})
    else:
        component["version"] = "0.0.1"
    path = tmp_path / "sbom.cdx.json"
    path.write_text(json.dumps(content))
    assert main([str(path), str(RUNTIME)]) == 1
    told = capsys.readouterr().err
    assert ("orjson" in told) == (change != "added")
    assert ("left-pad 1.0 is listed, but not pinned" in told) == (change == "added")


def test_a_pin_for_another_platform_may_be_there_or_not():
    lock = 'a==1.0 \\\n    --hash=sha256:00\n    # via b\nb==2.0 ; sys_platform == "nowhere" \\\n    --hash=sha256:00\n'
    assert pinned(lock) == {("a", "1.0"): True, ("b", "2.0"): False}
    both = [{"name": "a", "version": "1.0"}, {"name": "B", "version": "2.0"}]
    assert differences(json.dumps({"components": both[:1]}), lock) == []
    assert differences(json.dumps({"components": both}), lock) == []
    assert differences(json.dumps({"components": both[1:]}), lock) == ["a 1.0 is pinned, but not listed"]


def test_the_image_holds_the_list_that_was_checked():
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert "/build/sbom.py /build/sbom.cdx.json /build/runtime.txt" in dockerfile
    assert "COPY --from=sbom /build/sbom.cdx.json ./sbom.cdx.json" in dockerfile
    assert "`/app/sbom.cdx.json`" in (ROOT / "SECURITY.md").read_text()
