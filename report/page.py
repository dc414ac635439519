"""A page of the appendix: a template in report/templates/appendix, with figures that are kept in docs.

In a template, ``{% call section("name") %} ... {% endcall %}`` encloses a part of the page that shows figures. Inside,
`match` and `query` return figures. If the section is measured, they play or count; otherwise they read what the file of
the page keeps (docs/strength.json for appendix/strength.md). So a page is made again without playing, and the text
around the figures changes without measuring. `summarize` adds a row to a table of a short page.

A section ends with a line that names the settings and the tables that made its figures. Its record has the sha256 of
each array that the figures read. By these, the line says whether the shipped tables have the same arrays.

``section("name", code="COMMIT")`` is frozen: its question is answered, and the code that measured it is in this commit.
It keeps its figures, and cannot be measured again.

A short page is a template in report/templates, with tables of the rows that the appendix summarizes. Short pages are
committed, the appendix is not. So a short page names sections of the appendix in code, and links to them only on the
site, where the appendix lies beside it.
"""

import json
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError

from arena.errors import BuildError
from arena.markdown import table
from arena.match import Match
from arena.public.bots import BOTS
from arena.store import write_atomically
from report import paper
from report.figures import MatchFigures, dash, find_query, ms_a_card, values_of
from report.reads import arrays_of_match
from report.rule_options import OPTIONS
from report.setup import LONG, ONE_ROUND, PAPER, VERSIONS, Players, Setup
from report.winprob import informed
from spades.manifest import Manifest
from spades.rules import PRESETS, Rules, describe, make_rules, overrides_of
from spades.winprob import WON_VARIANTS
from studio import plots

TEMPLATES = Path(__file__).with_name("templates")
APPENDIX = "appendix"  # the folder of these pages, among templates and on the site
DIGITS = 16  # of the sha256 of an array, in a record
_LAST_COLUMNS = "tables | section"  # of a summary
_MARKER = re.compile("\0section (.*)\0\n")


@dataclass
class Record:
    """The figures of a section, and what made them."""

    tables: str  # version
    engine: str | None  # hash of the simulator's sources; None: not known
    pairs: int
    seed: int
    arrays: dict[str, str] = field(default_factory=dict)  # first digits of the sha256 of each array that was read
    figures: dict[str, dict[str, Any]] = field(default_factory=dict)  # JSON values by name of the match or the query

    def made_with(self, shipped: Manifest) -> str:
        """Return the settings and the tables of the figures, and whether the shipped tables have the same arrays.

        >>> Record("2000.1.1+0", None, 20, 7).made_with(Manifest("2000.1.1+0", "2000.1.1", "0", {}, {}))
        '`--pairs 20 --seed 7` on tables 2000.1.1+0.'
        >>> Record("2000.1.1+0", None, 20, 7).made_with(Manifest("2000.1.2+1", "2000.1.2", "1", {}, {}))
        '`--pairs 20 --seed 7` on tables 2000.1.1+0. All arrays that these figures read are the same in 2000.1.2+1.'
        """
        text = f"`--pairs {self.pairs} --seed {self.seed}` on tables {self.tables}."
        if self.tables == shipped.version:
            return text
        changed = self.changed_in(shipped)
        if not changed:
            return f"{text} All arrays that these figures read are the same in {shipped.version}."
        names = ", ".join(f"`{name}`" for name in changed)
        return f"{text} In {shipped.version}, these arrays that they read are different: {names}."

    def changed_in(self, shipped: Manifest) -> list[str]:
        """Return the arrays that the figures read and that are different in the shipped tables."""
        now = digests(shipped)
        return sorted(name for name, digest in self.arrays.items() if now.get(name) != digest)


def digests(manifest: Manifest) -> dict[str, str]:
    """Return the first digits of the sha256 of each array, by name."""
    return {name.removesuffix(".npy"): entry.sha256[:DIGITS] for name, entry in manifest.files.items()}


def read_records(path: Path) -> dict[str, Record]:
    """Return the records of a page by section; none if there is no file. Raises `BuildError`."""
    if not path.exists():
        return {}
    try:
        return {name: Record(**values) for name, values in json.loads(path.read_text(encoding="utf-8")).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise BuildError(f"{path}: found {error}; accepted: the records of a page's sections") from error


def records_text(records: Mapping[str, Record]) -> str:
    """Return the content of a file of records, one figure a line: the inverse of `read_records`."""
    sections = []
    for name, record in sorted(records.items()):
        values = asdict(record)
        figures = ",\n".join(f"{json.dumps(key)}: {_json(value)}" for key, value in values.pop("figures").items())
        sections.append(f'{json.dumps(name)}: {_json(values)[:-1]}, "figures": {{\n{figures}\n}}}}')
    return "{\n" + ",\n".join(sections) + "\n}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def rows_with(rows: Sequence[Sequence[Any]], column: int, cell: object) -> list[Sequence[Any]]:
    """Return the rows whose ``column`` is ``cell``, so that a template does not lose them without a word.

    >>> rows_with([["bis", 3], ["bis", 4]], 1, 4)
    [['bis', 4]]

    Raises `BuildError` if there are none.
    """
    found = [row for row in rows if row[column] == cell]
    if not found:
        raise BuildError(f"found {[row[column] for row in rows]} in column {column}; accepted: rows with {cell!r}")
    return found


def sections_of(template: str) -> dict[str, str]:
    """Return the sections of a template: by name, the commit with the code of a frozen one; ``""`` for others."""
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    return dict(re.findall(r'call section\("([^"]+)"(?:, code="([^"]+)")?\)', text))


def filled(template: str, names: Mapping[str, Any]) -> str:
    """Return a template's text with ``names`` to call and to read. Raises `BuildError` if it has a wrong one."""
    loader = FileSystemLoader(TEMPLATES)
    environment = Environment(
        loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters["thousands"] = "{:,}".format
    try:
        return environment.get_template(template).render(names)
    except TemplateError as error:
        raise BuildError(f"{template}: {error}") from error


class Page:
    """A page of the appendix while it is made; a template calls its public methods."""

    def __init__(self, kept: Path, setup: Setup, measured: Collection[str] = ()) -> None:
        """``kept``: the file of records; the sections ``measured`` are measured, and the file changes."""
        self.kept, self.setup, self.measured = kept, setup, measured
        self.template = f"{APPENDIX}/{kept.stem}.md.j2"
        self.records = read_records(kept)
        self.current = ""  # the section in which a template calls `match` and `query`
        self.summary: list[tuple[str, tuple[object, ...]]] = []  # rows of a short page: section and cells
        self.chapters: list[str] = []  # headings of the second level
        self.headings: dict[str, str] = {}  # by section: the heading above it

    def text(self) -> str:
        """Return the page. Raises `BuildError` if a section was never measured, or a template names a wrong figure."""
        text = filled(
            self.template,
            {
                "section": self.section,
                "match": self.match,
                "query": self.query,
                "as_match": lambda values: MatchFigures("a query", values),
                "rates": lambda *matches: " / ".join(match.rate for match in matches),
                "image": self.image,
                "win_table": self.win_table,
                "summarize": self.summarize,
                "table": table,
                "rows_with": rows_with,
                "rules": lambda preset="classic", **fields: make_rules(preset, fields),
                "dash": dash,
                "shipped": self.setup.opened.manifest,
                "pairs": self.setup.pairs,
                "uct_pairs": min(self.setup.uct_pairs, self.setup.pairs),
                "plots": plots,
                "paper": paper,
                "PAPER": PAPER,
                "LONG": LONG,
                "ONE_ROUND": ONE_ROUND,
                "PRESETS": PRESETS,
                "OPTIONS": OPTIONS,
                "BOTS": BOTS,
                "WON_VARIANTS": WON_VARIANTS,
                "informed": informed,
            },
        )
        heading = ""
        for line in text.splitlines(keepends=True):
            if line.startswith("#"):
                heading = line.strip("# \n")
                if line.startswith("## "):
                    self.chapters.append(heading)
            elif found := _MARKER.fullmatch(line):
                self.headings[found[1]] = heading
        return _MARKER.sub("", text)

    def section(self, name: str, caller: Callable[[], str], code: str = "") -> str:
        """Return the content of a section, and the line that names its tables; ``code``: the commit of a frozen one."""
        self.current, started = name, time.monotonic()
        if name in self.measured:
            print(f"{name} ...", end=" ", flush=True)
            self.records[name] = Record(self.setup.opened.version, VERSIONS[0][:16], self.setup.pairs, self.setup.seed)
        elif name not in self.records:
            raise BuildError(f"{self.kept}: found no section {name}; measure it: python -m report --measure {name}")
        content = caller().strip("\n")
        if name in self.measured:
            write_atomically(self.kept, records_text(self.records).encode())  # after each section, to keep it
            print(f"{time.monotonic() - started:.1f} s", flush=True)
        self.current = ""
        line = self.records[name].made_with(self.setup.opened.manifest)
        line += f" The code that measured them is in commit `{code}`." if code else ""
        return f"\0section {name}\0\n{content}\n\n*{line}*\n"

    def match(
        self, a: str, b: str, players: Players = "srp", rules: Rules = PAPER, *, pairs: int = 0, mixed: bool = False
    ) -> MatchFigures:
        """Return the figures of a match; see `arena.match.Match`."""
        match = self.setup.match(a, b, players, rules, pairs=pairs, mixed=mixed)
        name = _name_of(match)

        def play() -> dict[str, Any]:
            result = self.setup.play(match)
            return values_of(result, ms_a_card(self.setup, match, result))

        return MatchFigures(name, self._figure(name, lambda: arrays_of_match(match, self.setup.opened.arrays), play))

    def query(self, name: str, *arguments: Any) -> Mapping[str, Any]:
        """Return the figures of a query (`report.figures.query`)."""
        key = " ".join([name, *map(str, arguments)])
        return self._figure(
            key,
            lambda: find_query(name).reads(self.setup, *arguments),
            lambda: find_query(name).measure(self.setup, *arguments),
        )

    def win_table(self, rules: Rules) -> str:
        """Return whether the win table that values scores under ``rules`` is made for them."""

        def find() -> dict[str, Any]:
            nearest = self.setup.opened.games.nearest(rules)
            assert nearest is not None, "the page names games that have win tables"
            return {"win_table": "the nearest" if nearest.instead else "its own"}

        name = f"win table of {json.dumps(overrides_of(rules))}"
        return str(self._figure(name, lambda: ["games"], find)["win_table"])

    def image(self, name: str, text: str, svg: bytes | None = None) -> str:
        """Return the link to a plot, and write it if there is ``svg``; queries write the others."""
        if svg is not None:
            self.setup.plot(name, svg)
        return f"![{text}](../{self.setup.images.name}/{name}.svg)"

    def summarize(self, *cells: object) -> str:
        """Add a row to the summary of this page, which a short page shows."""
        self.summary.append((self.current, cells))
        return ""

    def _figure(
        self, name: str, reads: Callable[[], Collection[str]], measure: Callable[[], Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        if self.current not in self.records:
            raise BuildError(f"{self.template}: found {name} outside a section; accepted: figures in a section")
        record = self.records[self.current]
        if self.current in self.measured and name not in record.figures:
            now = digests(self.setup.opened.manifest)
            record.arrays |= {array: now[array] for array in sorted(reads())}
            record.figures[name] = dict(measure())
        if name not in record.figures:
            fix = f"measure it again: python -m report --measure {self.current}"
            raise BuildError(f"{self.kept}: found no figures of {name} in section {self.current}; {fix}")
        return record.figures[name]


def _name_of(match: Match) -> str:
    """Return the key of a match in a record. Its pairs are not part of it."""
    parts = [f"{match.a} v {match.b}"]
    parts += ["mixed"] if match.mixed else []
    parts += [f"players {' '.join(match.players)}"] if match.players != ("srp", "srp") else []
    usual = describe(PAPER)
    parts += [f"{key}={json.dumps(value)}" for key, value in describe(match.rules).items() if value != usual[key]]
    return ", ".join(parts)


def summary_page(template: str, appendix: Mapping[str, Page], shipped: Manifest, *, linked: bool) -> str:
    """Return the short page of a template; ``appendix``: its pages by name, after their texts were made."""
    names = {
        "summary": lambda name, columns: _summary(name, appendix[name], columns, shipped, linked),
        "chapters": lambda name: [_reference(name, title, linked=linked) for title in appendix[name].chapters],
        "shipped": shipped,
    }
    return filled(template, names)


def _summary(name: str, page: Page, columns: str, shipped: Manifest, linked: bool) -> str:
    # The summarized rows; missing cells at the end are dashes. Each row has the tables and the section of its figures.
    width = columns.count("|") + 1
    rows = []
    for section, cells in page.summary:
        record = page.records[section]
        star = "\\*" if record.changed_in(shipped) else ""
        tables = f"{record.tables.partition('+')[0]}{star}"
        link = _reference(name, page.headings[section], f"`{section}`", linked=linked)
        rows.append((*cells, *["-"] * (width - len(cells)), tables, link))
    return table(f"{columns} | {_LAST_COLUMNS}", rows)


def _reference(name: str, heading: str, text: str = "", *, linked: bool) -> str:
    # The text, or the heading, as a link to the heading if the appendix lies beside the page.
    anchor = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
    return f"[{text or heading}]({APPENDIX}/{name}.md#{anchor})" if linked else text or heading
