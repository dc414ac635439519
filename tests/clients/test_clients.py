"""Clients that generators make from the OpenAPI document compile, and do what they say (`make test-clients`).

Everything is made in build/clients: the document of the running service, and the clients. Nothing of it is imported
here.
"""

import os
import shutil
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from clients.generate import BUILD, COMMANDS, run

HERE = Path(__file__).parent
pytestmark = pytest.mark.clients


def emptied(name: str) -> Path:
    """Return the empty folder of a client."""
    folder = BUILD / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def test_python(url):
    folder = emptied("python")
    command = (COMMANDS / "openapi-python-client", "generate", "--path", BUILD / "openapi.json", "--meta", "none")
    told = run(*command, "--output-path", folder / "generated", "--fail-on-warning", path=COMMANDS)
    assert "Warning" not in told
    run(sys.executable, "-m", "compileall", "-q", folder)
    shutil.copy(HERE / "client.py", folder)
    run(sys.executable, "client.py", url, cwd=folder)


@pytest.mark.needs("npm")
def test_typescript(url):
    folder = BUILD / "typescript"
    folder.mkdir(exist_ok=True)
    for name in ("package.json", "package-lock.json", "tsconfig.json", "client.ts"):
        shutil.copy(HERE / name, folder)
    run("npm", "ci", "--no-audit", "--no-fund", cwd=folder)
    run("npx", "openapi-typescript", BUILD / "openapi.json", "--output", "schema.d.ts", cwd=folder)
    run("npx", "tsc", "--project", "tsconfig.json", cwd=folder)
    run("node", "client.js", url, cwd=folder)


@pytest.mark.needs("javac")
def test_java(url):
    folder = emptied("java")
    # The client uses Jackson, which the generator's own jar contains.
    jar = str(files("openapi_generator_cli") / "openapi-generator.jar")
    command = (COMMANDS / "openapi-generator-cli", "generate", "--input-spec", BUILD / "openapi.json")
    java = HERE / "java"
    run(*command, "--config", java / "generator.json", "--template-dir", java / "templates", "--output", folder)
    sources = [java / "Client.java", *(folder / "src" / "main").rglob("*.java")]
    run("javac", "-Werror", "-proc:none", "-cp", jar, "-d", folder / "classes", *sources)
    run("java", "-cp", f"{folder / 'classes'}{os.pathsep}{jar}", "Client", url)
