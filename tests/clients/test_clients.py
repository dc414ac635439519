"""Clients that generators make from the OpenAPI document compile, and do what they say (`make test-clients`).

Everything is made in build/clients: the generators' own environments, the document of the running service, and the
clients. Nothing of it is imported here.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.service.conftest import running_server

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
REQUIREMENTS = ROOT / "requirements" / "clients.txt"
BUILD = ROOT / "build" / "clients"
LIMIT_S = 400.0
pytestmark = pytest.mark.clients


def run(*command: str | Path, cwd: Path = BUILD, path: Path | None = None) -> str:
    """Run a command; fail with all that it printed."""
    environment = os.environ | ({"PATH": f"{path}:{os.environ['PATH']}"} if path else {})
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, f"{command}:\n{done.stdout[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def url():
    """A service; its document is in build/clients/openapi.json."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with running_server(SPADES_ACCESS_LOG="0") as server:
        (BUILD / "openapi.json").write_bytes(httpx.get(f"{server.url}/openapi.json").content)
        yield server.url


@pytest.fixture(scope="module")
def generators():
    """The folder of commands of an environment with the generators in it."""
    commands, installed = BUILD / "venv" / "bin", BUILD / "venv" / "installed.txt"
    if not installed.exists() or installed.read_bytes() != REQUIREMENTS.read_bytes():
        run(sys.executable, "-m", "venv", "--clear", BUILD / "venv")
        install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--require-hashes")
        run(commands / "python", *install, "-r", REQUIREMENTS)
        shutil.copy(REQUIREMENTS, installed)
    return commands


def emptied(name: str) -> Path:
    """Return the empty folder of a client."""
    folder = BUILD / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def test_python(url, generators):
    folder = emptied("python")
    command = [generators / "openapi-python-client", "generate", "--path", BUILD / "openapi.json", "--meta", "none"]
    told = run(*command, "--output-path", folder / "generated", "--fail-on-warning", path=generators)
    assert "Warning" not in told
    run(generators / "python", "-m", "compileall", "-q", folder)
    shutil.copy(HERE / "client.py", folder)
    run(generators / "python", "client.py", url, cwd=folder)


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed (Debian: apt-get install npm)")
def test_typescript(url):
    folder = BUILD / "typescript"
    folder.mkdir(exist_ok=True)
    for name in ("package.json", "package-lock.json", "tsconfig.json", "client.ts"):
        shutil.copy(HERE / name, folder)
    run("npm", "ci", "--no-audit", "--no-fund", cwd=folder)
    run("npx", "openapi-typescript", BUILD / "openapi.json", "--output", "schema.d.ts", cwd=folder)
    run("npx", "tsc", "--project", "tsconfig.json", cwd=folder)
    run("node", "client.js", url, cwd=folder)


@pytest.mark.skipif(shutil.which("javac") is None, reason="no JDK is installed (Debian: default-jdk-headless)")
def test_java(url, generators):
    folder = emptied("java")
    # The client uses Jackson, which the generator's own jar contains.
    (jar,) = (BUILD / "venv").rglob("openapi-generator.jar")
    command = [generators / "openapi-generator-cli", "generate", "--input-spec", BUILD / "openapi.json"]
    java = HERE / "java"
    run(*command, "--config", java / "generator.json", "--template-dir", java / "templates", "--output", folder)
    sources = [java / "Client.java", *(folder / "src" / "main").rglob("*.java")]
    run("javac", "-Werror", "-proc:none", "-cp", jar, "-d", folder / "classes", *sources)
    run("java", "-cp", f"{folder / 'classes'}{os.pathsep}{jar}", "Client", url)
