"""`make pin-images`: what it writes to .env, with a fake docker command."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.pin_images import assigned, defaults, with_value

ROOT = Path(__file__).parents[2]
IMAGES = defaults((ROOT / "docker-compose.yml").read_text())
_DOCKER = """#!/bin/sh
[ "$1 $2 $3 $4 $5" = "buildx imagetools inspect --format {{json .Manifest}}" ] || exit 2
case $6 in *missing*) echo "ERROR: $6: not found" >&2; exit 1;; *odd*) echo '{"digest": 3}'; exit 0;; esac
digest=$(echo $6 | sha256sum | cut -c1-64)
echo '{"mediaType": "application/vnd.oci.image.index.v1+json", "digest": "sha256:'$digest'", "size": 10}'
"""


@pytest.fixture
def checkout(tmp_path):
    """The files that the script reads, and a fake docker that knows the digest of every image; no network."""
    (tmp_path / "deploy").mkdir()
    shutil.copy(ROOT / "deploy/pin_images.py", tmp_path / "deploy")
    shutil.copy(ROOT / "docker-compose.yml", tmp_path)
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    docker.write_text(_DOCKER)
    docker.chmod(0o755)
    return tmp_path


def _run(checkout):
    return subprocess.run(
        [sys.executable, "deploy/pin_images.py"],
        cwd=checkout,
        env=os.environ | {"PATH": f"{checkout / 'bin'}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def _values(checkout):
    return dict(line.split("=", 1) for line in (checkout / ".env").read_text().splitlines() if "=" in line)


def test_every_image_is_in_a_variable():
    """The variables name the same images as the Dockerfile, so that a build without compose has the same base."""
    assert IMAGES.keys() == {"PYTHON_IMAGE", "PROMETHEUS_IMAGE", "GRAFANA_IMAGE"}
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert f"ARG PYTHON_IMAGE={IMAGES['PYTHON_IMAGE']}\nFROM " in dockerfile
    bases = re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE)
    assert set(bases) == {"${PYTHON_IMAGE}", "build", "project", "base"}
    assert all(":" in name and "@" not in name for name in IMAGES.values())


def test_all_are_pinned_by_name_and_digest(checkout):
    done = _run(checkout)
    assert done.returncode == 0, done.stderr
    values = _values(checkout)
    assert values.keys() == IMAGES.keys()
    for variable, name in IMAGES.items():
        assert re.fullmatch(re.escape(name) + "@sha256:[0-9a-f]{64}", values[variable])
    before = (checkout / ".env").read_text()
    assert _run(checkout).returncode == 0
    assert (checkout / ".env").read_text() == before


def test_other_lines_and_own_names_are_kept(checkout):
    path = checkout / ".env"
    path.write_text(f"# ours\nAPP_PORT=9000\nPYTHON_IMAGE=mirror.example/python:3.12@sha256:{'0' * 64}\n")
    assert _run(checkout).returncode == 0
    lines = path.read_text().splitlines()
    assert lines[:2] == ["# ours", "APP_PORT=9000"]
    assert re.fullmatch("PYTHON_IMAGE=mirror.example/python:3.12@sha256:[0-9a-f]{64}", lines[2])
    assert "0" * 64 not in lines[2]


@pytest.mark.parametrize(("name", "error"), [("missing:1", "missing:1: not found"), ("odd:1", "expected a manifest")])
def test_without_a_digest_nothing_is_written(checkout, name, error):
    path = checkout / ".env"
    path.write_text(f"GRAFANA_IMAGE={name}\n")
    done = _run(checkout)
    assert done.returncode == 1
    assert error in done.stderr
    assert path.read_text() == f"GRAFANA_IMAGE={name}\n"


def test_no_docker(checkout):
    (checkout / "bin" / "docker").unlink()
    done = subprocess.run(
        [sys.executable, "deploy/pin_images.py"],
        cwd=checkout,
        env={"PATH": str(checkout / "bin")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1
    assert "expected Docker with buildx" in done.stderr
    assert not (checkout / ".env").exists()


def test_lines_of_an_env_file():
    lines = ["A=1", "B=2", "A=3"]
    assert assigned(lines, "A") == "3"
    assert assigned(lines, "C") is None
    assert with_value(lines, "A", "4") == ["A=4", "B=2"]
    assert with_value(lines, "C", "4") == [*lines, "C=4"]
