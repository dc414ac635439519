"""The source of clients/csharp: compiled without warnings by mono and run (`make test-clients`)."""

import re
import shutil
from pathlib import Path

import pytest

from clients.generate import BUILD, ROOT, run
from tests.clients.conftest import KEY, URLS_FILE

HERE = Path(__file__).parent
FOLDER = ROOT / "clients" / "csharp"
BUILT = BUILD / "csharp"
NEWTONSOFT = Path("/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll")
PACKAGES = "mono-mcs mono-runtime libmono-system-net-http4.0-cil libnewtonsoft-json5.0-cil"
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
    pytest.mark.skipif(
        shutil.which("mcs") is None or shutil.which("mono") is None or not NEWTONSOFT.exists(),
        reason=f"no C# compiler or no Newtonsoft.Json is installed (Debian: apt-get install {PACKAGES})",
    ),
]


def compiled(program: Path) -> Path:
    """Compile a program with the client; return the result."""
    BUILT.mkdir(parents=True, exist_ok=True)
    target = BUILT / f"{program.stem}.exe"
    options = (
        "-langversion:7",
        "-warnaserror+",
        "-codepage:utf8",
        "-r:System.Net.Http",
        f"-r:{NEWTONSOFT}",
        f"-out:{target}",
    )
    run("mcs", *options, program, *sorted(FOLDER.glob("*.cs")))
    return target


def test_the_client_works_against_services(url, keyed_url, bad_url, fallback_cases):
    program = compiled(HERE / "OwnClient.cs")
    assert "all good" in run("mono", program, url, keyed_url, KEY, bad_url, fallback_cases, URLS_FILE)


def test_the_examples_of_the_readme_run(url):
    examples = re.findall(r"^```csharp\n(.*?)^```", (FOLDER / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert examples
    for number, example in enumerate(examples):
        # The first request of a program may take mono longer than the default deadline on a busy machine.
        patient = example.replace('8080")', '8080", timeout: System.TimeSpan.FromSeconds(120))')
        usings, _, code = patient.replace("http://127.0.0.1:8080", url).partition("\n\n")
        BUILT.mkdir(parents=True, exist_ok=True)
        program = BUILT / f"Example{number}.cs"
        program.write_text(EXAMPLE.format(usings=usings, code=code))
        run("mono", compiled(program))
