"""The package of clients/typescript: types up to date, packed, compiled and run (`make test-clients`)."""

import json
import re
import shutil
from pathlib import Path

import pytest

from clients.generate import BUILD, ROOT, TYPESCRIPT, TYPESCRIPT_TYPES, contract, run, typescript_types
from service import __version__
from tests.clients.conftest import KEY, URLS_FILE

HERE = Path(__file__).parent
OPTIONS = {"strict": True, "noUncheckedIndexedAccess": True, "target": "es2022", "module": "nodenext", "types": []}
STRICT = {"compilerOptions": OPTIONS | {"lib": ["es2022", "dom"]}, "files": ["program.ts", "node.d.ts"]}
NODE = 'declare module "node:fs" { export function readFileSync(path: string, encoding: "utf8"): string; }'
MODULE = {"private": True, "type": "module"}
pytestmark = [
    pytest.mark.clients,
    pytest.mark.needs("npm"),
]


@pytest.fixture(scope="module")
def folder():
    """A folder with the package installed from its tarball, and the TypeScript compiler."""
    types = typescript_types(contract())
    assert types == TYPESCRIPT_TYPES.read_text(), "run make clients"
    folder = BUILD / "own-typescript"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    run("npm", "pack", "--pack-destination", folder, cwd=TYPESCRIPT)
    (tarball,) = folder.glob("*.tgz")
    assert tarball.name == f"spades-client-{__version__}.tgz"
    (folder / "package.json").write_text(json.dumps(MODULE))
    run("npm", "install", "--offline", "--no-audit", "--no-fund", "--no-save", tarball, cwd=folder)
    packed = {path.name for path in (folder / "node_modules" / "spades-client").rglob("*") if path.is_file()}
    assert {"package.json", "README.md", "LICENSE", "index.js", "index.d.ts", "contract.d.ts"} <= packed
    assert not {"client.ts", "tsconfig.json"} & packed
    return folder


def compiled(folder: Path, source: str) -> str:
    """Compile ``source`` in the strictest mode; return the name of the result."""
    (folder / "program.ts").write_text(source)
    (folder / "node.d.ts").write_text(NODE)
    (folder / "tsconfig.json").write_text(json.dumps(STRICT))
    run(TYPESCRIPT / "node_modules" / ".bin" / "tsc", cwd=folder)
    return "program.js"


def test_the_package_works_against_services(folder, url, keyed_url, bad_url, fallback_cases):
    program = compiled(folder, (HERE / "own_client.ts").read_text())
    assert "all good" in run("node", program, url, keyed_url, KEY, bad_url, fallback_cases, URLS_FILE, cwd=folder)


def test_the_examples_of_the_readme_run(folder, url):
    page = (ROOT / "clients" / "typescript" / "README.md").read_text()
    examples = re.findall(r"^```ts\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert examples
    for example in examples:
        # On a busy machine, the first request of a program may take longer than the default deadline.
        patient = example.replace('8080")', '8080", { timeoutMs: 120_000 })')
        run("node", compiled(folder, patient.replace("http://127.0.0.1:8080", url)), cwd=folder)
