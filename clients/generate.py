"""Make the types of the clients from the contract: `make clients`. `make test-clients` fails if they are out of date.

The generator for Python is in the project's environment, that for TypeScript in clients/typescript/node_modules, and
that for C# is our own, csharp_types.py.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from clients.csharp_types import csharp_types
from service.app import create_app
from service.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "clients"
COMMANDS = Path(sys.executable).parent
PYTHON_MODELS = ROOT / "clients" / "python" / "spades_client" / "models.py"
TYPESCRIPT = ROOT / "clients" / "typescript"
TYPESCRIPT_TYPES = TYPESCRIPT / "src" / "contract.ts"
CSHARP = ROOT / "clients" / "csharp"
CSHARP_TYPES = CSHARP / "Runtime" / "Contract.cs"
LIMIT_S = 400.0
HEADER = '"""The contract\'s requests and answers. `make clients` makes this file from the OpenAPI document."""'


def run(*command: str | Path, cwd: Path = BUILD, path: Path | None = None) -> str:
    """Run a command, with ``path`` before PATH; return what it printed, or raise with it."""
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
    if done.returncode != 0:
        raise RuntimeError(f"{command} exits with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def contract() -> dict[str, Any]:
    """Return the OpenAPI document of the working tree."""
    return create_app(Settings()).openapi()


def python_models(document: dict[str, Any]) -> str:
    """Return the module of typed dicts."""
    source, target = BUILD / "models.json", BUILD / "models.py"
    BUILD.mkdir(parents=True, exist_ok=True)
    schemas = document["components"]["schemas"].items()
    # mypy does not know closed typed dicts, and finds unknown fields without them.
    opened = {name: {k: v for k, v in s.items() if (k, v) != ("additionalProperties", False)} for name, s in schemas}
    source.write_text(json.dumps(document | {"components": document["components"] | {"schemas": opened}}))
    options = (
        "--input-file-type=openapi --output-model-type=typing.TypedDict --target-python-version=3.11 "
        "--disable-timestamp --use-schema-description --use-field-description --enum-field-as-literal=all "
        "--use-union-operator --use-standard-collections --formatters=builtin"
    )
    files = (f"--input={source}", f"--output={target}", f"--custom-file-header={HEADER}")
    run(COMMANDS / "datamodel-codegen", *options.split(), *files)
    return target.read_text()


def typescript_types(document: dict[str, Any]) -> str:
    """Return the TypeScript module of types; installs the development packages of clients/typescript."""
    source, target = BUILD / "contract.json", BUILD / "contract.ts"
    BUILD.mkdir(parents=True, exist_ok=True)
    schemas = {"schemas": document["components"]["schemas"]}
    source.write_text(json.dumps(document | {"paths": {}, "components": schemas}))  # the paths would be 250 KB
    run("npm", "ci", "--no-audit", "--no-fund", cwd=TYPESCRIPT)
    run("npx", "openapi-typescript", source, "--output", target, cwd=TYPESCRIPT)
    return target.read_text()


def main() -> None:
    """Write the types of the clients."""
    document = contract()
    PYTHON_MODELS.write_text(python_models(document))
    TYPESCRIPT_TYPES.write_text(typescript_types(document))
    CSHARP_TYPES.write_text(csharp_types(document["components"]["schemas"]))


if __name__ == "__main__":
    main()
