"""The package of clients/csharp: packed, compiled without warnings by mono, and run (`make test-clients`)."""

import json
import re
import shutil
import tarfile
from pathlib import Path

import pytest

from clients.generate import BUILD, ROOT, run
from tests.clients.conftest import KEY, URLS_FILE
from tests.tools import NEWTONSOFT

HERE = Path(__file__).parent
FOLDER = ROOT / "clients" / "csharp"
BUILT = BUILD / "csharp"
EXAMPLE = """
{usings}
public static class Example
{{
    public static void Main() => Run().GetAwaiter().GetResult();
    private static async System.Threading.Tasks.Task Run()
    {{
{code}
    }}
}}
"""
pytestmark = [
    pytest.mark.clients,
    pytest.mark.needs("mcs", "mono", str(NEWTONSOFT), "npm"),
]


def compiled(target: Path, *sources: Path, references: tuple[Path, ...] = ()) -> Path:
    """Compile a program or a library; return it."""
    kind = "library" if target.suffix == ".dll" else "exe"
    options = (f"-target:{kind}", "-langversion:7", "-warnaserror+", "-codepage:utf8", f"-out:{target}")
    files = ("System.Net.Http", NEWTONSOFT, *references)
    run("mcs", *options, *(f"-r:{file}" for file in files), *sources)
    return target


@pytest.fixture(scope="module")
def library() -> Path:
    """The assembly that Unity makes: of the files in the package, as the package's assembly definition says."""
    shutil.rmtree(BUILT, ignore_errors=True)
    BUILT.mkdir(parents=True)
    run("npm", "pack", FOLDER, "--pack-destination", BUILT)
    (tarball,) = BUILT.glob("*.tgz")
    with tarfile.open(tarball) as archive:
        archive.extractall(BUILT, filter="data")
    package = BUILT / "package"
    packed = {str(path.relative_to(package)) for path in package.rglob("*") if path.is_file()}
    assert {"package.json", "package.json.meta", "README.md", "LICENSE.md", "Runtime.meta"} < packed
    assert {f"{name}.meta" for name in packed if not name.endswith(".meta")} < packed
    assert not [name for name in packed if "csproj" in name]
    (path,) = package.rglob("*.asmdef")
    assembly = json.loads(path.read_text())
    assert assembly["precompiledReferences"] == [NEWTONSOFT.name]
    return compiled(BUILT / f"{assembly['name']}.dll", *sorted(path.parent.rglob("*.cs")))


def run_program(source: Path, library: Path, *arguments: str | Path) -> str:
    program = compiled(BUILT / f"{source.stem}.exe", source, references=(library,))
    return run("mono", program, *arguments)


def test_the_client_works_against_services(library, url, keyed_url, bad_url, fallback_cases):
    arguments = (url, keyed_url, KEY, bad_url, fallback_cases, URLS_FILE)
    assert "all good" in run_program(HERE / "OwnClient.cs", library, *arguments)


def test_the_examples_of_the_readme_run(library, url):
    examples = re.findall(r"^```csharp\n(.*?)^```", (FOLDER / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert examples
    for number, example in enumerate(examples):
        # The first request of a program may take mono longer than the default deadline on a busy machine.
        patient = example.replace('8080")', '8080", timeout: System.TimeSpan.FromSeconds(120))')
        usings, _, code = patient.replace("http://127.0.0.1:8080", url).partition("\n\n")
        program = BUILT / f"Example{number}.cs"
        program.write_text(EXAMPLE.format(usings=usings, code=code))
        run_program(program, library)
