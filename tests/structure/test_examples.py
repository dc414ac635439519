"""Every example of README, the tutorial, the how-to guides and the reference is run, read or declared.

Fenced examples:

- `sh`: commands that ask a server are run against one. Other commands are read by the real parser of their arguments.
- `json`: a request is sent to the server. An answer must have the form of the real one; `"..."` means "and more".
- `python`: a program is run. A part of a change to the code must be Python, with names that the code has.

Commands in the text are read by the parser of their arguments. `ELSEWHERE` lists the other examples and says
why no test here runs them.
"""

import argparse
import ast
import json
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from arena import __main__ as arena_command
from loadtest import __main__ as loadtest_command
from report import __main__ as report_command
from service import __main__ as service_command
from service.settings import Settings
from service.table_sets import read_releases
from spades import __main__ as spades_command
from studio import __main__ as studio_command
from tables import __main__ as tables_command
from tests.bench import big_log
from tests.patience import LIMIT_S
from tests.servers import RealServer
from tests.structure.test_structure import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "docs/tutorial.md",
    *sorted((ROOT / "docs/how-to").glob("*.md")),
    *sorted((ROOT / "docs/reference").glob("*.md")),
]
ADDRESS = "127.0.0.1:8080"  # of the service in the pages
ELSEWHERE = {  # first words of a command: why it is not run here
    "docker compose": "needs Docker; tests/deploy checks the compose file",
    "loadtest/season/compose.sh": "needs Docker; tests/loadtest/test_season.py plays seasons without it",
    "dask": "needs a cluster; tests/arena/test_cluster.py runs it",
    "psql": "needs PostgreSQL; tests/studio/test_export.py runs its query",
    "cp": "copies all tables; tests/studio/test_guide.py runs it",
    "printf": "needs the tables that the page fits; tests/studio/test_guide.py runs it",
}
MAINS: dict[str, Callable[[list[str]], int]] = {
    "service": service_command.main,
    "spades": spades_command.main,
    "arena": arena_command.main,
    "tables": tables_command.main,
    "studio": studio_command.main,
    "report": report_command.main,
    "loadtest": loadtest_command.main,
    "tests.bench.big_log": big_log.main,
}
COMMAND_IN_TEXT = re.compile(
    r"`((?:(?:\.venv/bin/)?python -m (?:service|spades|arena|tables|studio|report|loadtest)|make) [^`\[]+)`"
)
PATH_IN_HEADING = re.compile(r"## POST (/\S+)")


class Example(NamedTuple):
    """A fenced block of a page."""

    page: Path
    line: int
    kind: str
    text: str
    heading: str

    @property
    def name(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def examples_of(page: Path) -> Iterator[Example]:
    """Return the fenced blocks of a page, with the heading above each."""
    heading, kind, start, lines = "", "", 0, list[str]()
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if fence := re.match(r"\s*```(\w*)", line):
            if kind:
                yield Example(page, start, kind, textwrap.dedent("\n".join(lines)), heading)
                kind, lines = "", []
            else:
                kind, start = fence[1] or "none", number
        elif kind:
            lines.append(line)
        elif line.startswith("#"):
            heading = line
    assert not kind, f"{page}:{start}: a block that is never closed"


def commands(text: str) -> list[str]:
    """Return the commands of a shell block: lines, with those that a backslash, a quote or a pipe continues."""
    found, open_command = list[str](), ""
    for line in text.splitlines():
        open_command = f"{open_command}\n{line}" if open_command else line
        if open_command.endswith(("\\", "|")):
            continue
        try:
            words = shlex.split(open_command, comments=True)
        except ValueError:  # a quote is still open
            continue
        if words:
            found.append(open_command)
        open_command = ""
    assert not open_command, open_command
    return found


class ParsedError(Exception):
    """Raised in place of running a command whose arguments have been read."""


def parsed(main: Callable[[list[str]], int], arguments: list[str]) -> None:
    """Read the arguments of a command with its own parser, without running it; exit if the parser refuses them."""
    parse = argparse.ArgumentParser.parse_args

    def read(parser: argparse.ArgumentParser, *given: Any) -> argparse.Namespace:
        raise ParsedError(parse(parser, *given))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_args", read)
        with pytest.raises(ParsedError):
            main(arguments)


def read_command(command: str, variables: dict[str, str], run: bool = True) -> None:
    """Read a command's arguments, or if ``run``, run it if it only prints a bid; ``variables``: those of the shell."""
    if printed := re.fullmatch(r"(\w+)=\$\((.+)\)", command):
        read_command(printed[2], variables, run)
        variables[printed[1]] = f"what {printed[2]} prints"
        return
    words = shlex.split(command, comments=True)
    while words and (given := re.fullmatch(r"(\w+)=(.*)", words[0])):
        if given[1].startswith("SPADES_"):
            assert given[1].removeprefix("SPADES_").lower() in Settings.model_fields, given[1]
        variables[given[1]] = given[2]
        del words[0]
    words = [re.sub(r"\$(\w+)", lambda name: variables.get(name[1], name[0]), word) for word in words]
    if not words:
        return
    if words[0] == "make":
        subprocess.run(["make", "--dry-run", *words[1:]], cwd=ROOT, check=True, capture_output=True)
        return
    assert words[:2] in (["python", "-m"], [".venv/bin/python", "-m"]), command
    if "<" in words:  # a file on standard input
        del words[words.index("<") :]
    main = MAINS[words[2]]
    if run and words[3] in ("bid", "card") and "--tables" not in words:
        assert main(words[3:]) == 0
    elif not run and len(words) == 4:  # the text names a command, without its arguments
        with pytest.raises(SystemExit, match="0"):
            main([words[3], "--help"])
    else:
        parsed(main, words[3:])


def output_of(command: str, port: int) -> str:
    """Run a command that asks the service, against the server at ``port``, and return what it prints."""
    assert ADDRESS in command, f"{command}: the pages' service is at {ADDRESS}"
    shell = ["bash", "-o", "pipefail", "-c", command.replace(ADDRESS, f"127.0.0.1:{port}")]
    return subprocess.run(shell, check=True, capture_output=True, text=True, timeout=LIMIT_S).stdout


def agrees(shown: Any, found: Any) -> bool:
    """Whether a shown answer has the form of the one found: its fields, in the same types. ``"..."``: and more."""
    if isinstance(shown, str) and shown.endswith("..."):
        return isinstance(found, str)
    if isinstance(shown, dict) and isinstance(found, dict):
        return all(name in found and agrees(one, found[name]) for name, one in shown.items() if name != "...")
    if isinstance(shown, list) and isinstance(found, list):
        shown = [one for one in shown if one != "..."]
        return len(shown) <= len(found) and all(map(agrees, shown, found))
    numbers = (int, float)
    if type(shown) in numbers:
        return type(found) in numbers
    return type(shown) is type(found)


class Reader:
    """Goes through the examples of a page; remembers the last request's answer until the page shows it."""

    def __init__(self, server: RealServer, folder: Path) -> None:
        self.server = server
        self.folder = folder
        self.variables: dict[str, str] = {}
        self.made: set[str] = set()  # by the page's parts of a change
        self.answer: Any = None
        self.section = ""

    def sh(self, example: Example) -> None:
        for command in commands(example.text):
            if command.startswith(tuple(ELSEWHERE)):
                continue
            if command.startswith("echo"):
                shell = ["bash", "-o", "pipefail", "-c", command.replace(".venv/bin/python", sys.executable)]
                subprocess.run(shell, cwd=ROOT, check=True, capture_output=True, timeout=LIMIT_S)
                continue
            if not command.startswith("curl"):
                read_command(command, self.variables)
                continue
            printed = output_of(command, self.server.port)
            if "|" not in command:
                self.answer = json.loads(printed)
                assert "/problems/" not in self.answer.get("type", "") or "error" in example.heading, printed

    def json(self, example: Example) -> None:
        if example.text.startswith('{"format"'):
            self.log(example.text)
            return
        shown = json.loads(example.text)
        if "default" in shown:
            self.roles(example.text)
        elif "code" in shown:
            self.reason(shown)
        elif self.answer is not None:
            assert agrees(shown, self.answer), f"shown: {shown}\nfound: {self.answer}"
            self.answer = None
        else:
            path = PATH_IN_HEADING.match(self.section)
            response = httpx.post(f"{self.server.url}{path[1] if path else '/v1/bid'}", json=shown, timeout=LIMIT_S)
            self.answer = response.json()
            assert response.status_code == 200, response.text

    def log(self, text: str) -> None:
        """Check records of the game log with the command."""
        decoder, at = json.JSONDecoder(), 0
        path = self.folder / "example.jsonl"
        with path.open("w") as file:
            while at < len(text.rstrip()):
                record, at = decoder.raw_decode(text, at + len(text[at:]) - len(text[at:].lstrip()))
                file.write(json.dumps(record) + "\n")
        assert studio_command.main(["check", str(path)]) == 0

    def roles(self, text: str) -> None:
        path = self.folder / "releases.json"
        path.write_text(text)
        read_releases(path)

    def reason(self, shown: dict[str, Any]) -> None:
        listed = httpx.get(f"{self.server.url}/v1/reasons", timeout=LIMIT_S).json()["reasons"]
        template = next(one["template"] for one in listed if one["code"] == shown["code"])
        assert set(re.findall(r"{(\w+)}", template)) == shown.keys() - {"code"}

    def python(self, example: Example) -> None:
        if "print(" in example.text:
            program = example.text.replace("8080, timeout=1", f"{self.server.port}, timeout={LIMIT_S}")
            program = program.replace('"X-Deadline-Ms": "500"', f'"X-Deadline-Ms": "{LIMIT_S * 1000:.0f}"')
            run = [sys.executable, "-c", program]
            done = subprocess.run(run, capture_output=True, text=True, timeout=LIMIT_S, check=False)
            assert done.returncode == 0, done.stderr
            assert f"It prints {done.stdout.strip()}." in example.page.read_text()
            return
        in_braces = re.match(r'"\w', example.text)  # an item of a dictionary
        tree = ast.parse(f"{{{example.text}}}" if in_braces else example.text.replace("elif", "if"))
        found = list(ast.walk(tree))
        self.made |= {node.id for node in found if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        self.made |= {
            node.name for node in found if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        }
        used = {node.id for node in found if isinstance(node, ast.Name)} | {
            node.attr for node in found if isinstance(node, ast.Attribute)
        }
        known = names_in_the_code() | (names_in_the_tests() if "Test" in example.heading else frozenset())
        assert used - known - self.made == set(), "names that neither the code nor the page has"


@cache
def names_in_the_code() -> frozenset[str]:
    """Return all words of the source."""
    texts = (path.read_text() for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return frozenset(word for text in texts for word in re.findall(r"\w+", text))


def names_in_the_tests() -> frozenset[str]:
    """Return all words of the tests."""
    texts = (path.read_text() for path in (ROOT / "tests").rglob("*.py"))
    return frozenset(word for text in texts for word in re.findall(r"\w+", text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page(page: Path, server: RealServer, tmp_path: Path, subtests: pytest.Subtests):
    reader = Reader(server, tmp_path)
    for example in examples_of(page):
        if not example.heading.startswith("###"):
            if reader.section != example.heading:
                reader.answer = None
            reader.section = example.heading
        if example.kind in ("sh", "json", "python"):
            with subtests.test(example.name):
                getattr(reader, example.kind)(example)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_in_the_text(page: Path, subtests: pytest.Subtests):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for command in COMMAND_IN_TEXT.findall(text):
        with subtests.test(command):
            read_command(command.split(" >> ")[0].removesuffix(" ..."), {}, run=False)
