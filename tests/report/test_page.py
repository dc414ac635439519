"""Pages and their appendix from templates and kept figures: without playing, with their tables, section by section."""

import re
import shutil
from pathlib import Path

import pytest

from arena.errors import BuildError
from report import __main__ as report_command
from report import page, setup
from report.__main__ import DOCS, SECTIONS, SUMMARIES
from report.page import Page, Record, read_records, records_text, rows_with, summary_page
from report.setup import Setup
from tests.conftest import committed_tables
from tests.report.made_up import result_of

TRIAL = """before {{ "{{" }} by hand
## Other games
### Short games
{% call section("short-games") %}
| goal | wins, % | points |
|---|---|---|
{% for win in [50, 100] %}
{% set found = match("winprob", "bis", rules=rules(win=win)) %}
| {{ win }} | {{ found.rate }} | {{ found.by_points }} |
{% endfor %}
{{ summarize("`winprob`", "`bis`, goal 50", match("winprob", "bis", rules=rules(win=50)).rate) }}
{% endcall %}
after
"""
SHOWN = """before {{ by hand
## Other games
### Short games
| goal | wins, % | points |
|---|---|---|
| 50 | 60.0 [59.0, 61.0] | 50.0 : 40.0 |
| 100 | 60.0 [59.0, 61.0] | 50.0 : 40.0 |

*`--pairs 20 --seed 7` on tables VERSION.*
after
"""

SHORT = """wins
{{ summary("trial", "first | against | wins, % | paper") }}
{{ chapters("trial") | join("; ") }}
"""
SHOWN_SHORT = """wins
| first | against | wins, % | paper | tables | section |
|---|---|---|---|---|---|
| `winprob` | `bis`, goal 50 | 60.0 [59.0, 61.0] | - | RELEASE | SECTION |
CHAPTER
"""


@pytest.fixture
def report(tmp_path):
    return Setup(committed_tables(), 20, 7, 1, tmp_path / "img")


@pytest.fixture
def templates(tmp_path, monkeypatch):
    folder = tmp_path / "templates"
    (folder / "appendix").mkdir(parents=True)
    (folder / "appendix" / "trial.md.j2").write_text(TRIAL)
    (folder / "short.md.j2").write_text(SHORT)
    monkeypatch.setattr(page, "TEMPLATES", folder)
    return folder


@pytest.fixture
def played(monkeypatch):
    """Matches are played at once; the list has those that were."""
    matches = []

    def play(match, *_):
        matches.append(match)
        return result_of(match)

    monkeypatch.setattr(setup, "run_match", play)
    return matches


@pytest.fixture(scope="module")
def appendix():
    """The pages of the appendix, made from the kept figures, and their texts."""
    setup_of_docs = Setup(committed_tables(), 20, 7, 1, DOCS / "img")
    pages = {name: Page(DOCS / f"{name}.json", setup_of_docs) for name in SECTIONS}
    return pages, {name: page.text() for name, page in pages.items()}


@pytest.mark.parametrize("template", SUMMARIES)
def test_the_committed_page_is_made_from_the_kept_figures(template, appendix):
    shown = summary_page(template, appendix[0], committed_tables().manifest, linked=False)
    assert shown == (DOCS / template.removesuffix(".j2")).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SECTIONS)
def test_every_section_has_its_figures(name):
    records = read_records(DOCS / f"{name}.json")
    assert sorted(records) == sorted(SECTIONS[name])
    assert records_text(records) == (DOCS / f"{name}.json").read_text(encoding="utf-8")
    assert all(record.arrays for record in records.values())


def test_a_new_section_is_one_file(templates, report, played, tmp_path):
    path = tmp_path / "trial.json"
    with pytest.raises(BuildError, match="found no section short-games; measure it: python -m report --measure short"):
        Page(path, report).text()
    shown = Page(path, report, ["short-games"]).text()
    assert re.sub("-{3,}", "---", shown) == SHOWN.replace("VERSION", report.opened.version)
    assert [(match.a, match.rules.win, match.pairs, match.seed) for match in played] == [
        ("winprob", 50, 20, 7),
        ("winprob", 100, 20, 7),
    ]
    assert Page(path, report).text() == shown
    (record,) = read_records(path).values()
    assert {"curves", "net_out", "win"} <= record.arrays.keys()
    assert len(played) == 2


@pytest.mark.parametrize(
    ("linked", "section", "chapter"),
    [
        (True, "[`short-games`](appendix/trial.md#short-games)", "[Other games](appendix/trial.md#other-games)"),
        (False, "`short-games`", "Other games"),
    ],
)
def test_a_short_page_names_the_sections_of_its_rows(templates, report, played, tmp_path, linked, section, chapter):
    trial, manifest = Page(tmp_path / "trial.json", report, ["short-games"]), report.opened.manifest
    trial.text()
    shown = re.sub("-{3,}", "---", summary_page("short.md.j2", {"trial": trial}, manifest, linked=linked))
    expected = SHOWN_SHORT.replace("SECTION", section).replace("CHAPTER", chapter)
    assert shown == expected.replace("RELEASE", manifest.version.partition("+")[0])
    trial.records["short-games"].arrays["win"] = "0"  # as of older tables
    assert r"\* | " in summary_page("short.md.j2", {"trial": trial}, manifest, linked=linked)


def test_a_short_page_loses_no_rows_without_a_word():
    """A number in a template does not find the same number as a text."""
    with pytest.raises(BuildError, match=r"found \[3, 4\] in column 1; accepted: rows with '4'"):
        rows_with([["bis", 3], ["bis", 4]], 1, "4")


def test_the_example_of_the_guide_is_the_whole_section(templates, report, played, tmp_path):
    (example,) = re.findall(r"```jinja\n(.*?)```", (DOCS / "how-to" / "extend.md").read_text(), re.DOTALL)
    (templates / "appendix" / "trial.md.j2").write_text(example)
    assert page.sections_of("appendix/trial.md.j2") == {"short-games": ""}
    shown = Page(tmp_path / "trial.json", report, ["short-games"]).text()
    assert shown.count("| 60.0 [59.0, 61.0] |") == len(played) == 3


def test_a_frozen_section_keeps_its_figures_and_names_the_commit_of_its_code(templates, report, played, tmp_path):
    Page(tmp_path / "trial.json", report, ["short-games"]).text()
    frozen = TRIAL.replace('section("short-games")', 'section("short-games", code="0123abcd")')
    (templates / "appendix" / "trial.md.j2").write_text(frozen)
    assert page.sections_of("appendix/trial.md.j2") == {"short-games": "0123abcd"}
    line = (
        f"`--pairs 20 --seed 7` on tables {report.opened.version}. The code that measured them is in commit `0123abcd`."
    )
    assert line in Page(tmp_path / "trial.json", report).text()


def test_frozen_sections_are_not_measured():
    assert "kinds" in read_records(DOCS / "strength.json")
    assert "kinds" not in report_command.MEASURABLE
    assert "levels" in report_command.MEASURABLE


def test_the_words_of_a_section_change_without_measuring(templates, report, played, tmp_path):
    Page(tmp_path / "trial.json", report, ["short-games"]).text()
    (templates / "appendix" / "trial.md.j2").write_text(TRIAL.replace("| goal |", "| `win` |"))
    assert "| `win` | wins, % |" in Page(tmp_path / "trial.json", report).text()


@pytest.mark.parametrize(
    ("words", "other", "message"),
    [
        ("win in [50, 100]", "win in [50, 150]", "found no figures of winprob v bis, win=150, lose=null in section"),
        ("found.rate", "found.nils_c", "found no nils_c among the kept figures of winprob v bis, win=50"),
        ("found.rate", "fnd.rate", "appendix/trial.md.j2: 'fnd' is undefined"),
        ("{% endfor %}", "", "appendix/trial.md.j2: .*endfor"),
        ('match("winprob", "bis", rules=rules(win=win))', 'query("nothing")', "query is 'nothing'; accepted: .*speed"),
        (
            "## Other games",
            '{{ match("bis", "rb") }}',
            "found bis v rb outside a section; accepted: figures in a section",
        ),
    ],
)
def test_a_wrong_template_is_named(templates, report, played, tmp_path, words, other, message):
    measured = ["short-games"] if "query" in other else []
    Page(tmp_path / "trial.json", report, ["short-games"]).text()
    (templates / "appendix" / "trial.md.j2").write_text(TRIAL.replace(words, other, 1))
    with pytest.raises(BuildError, match=message):
        Page(tmp_path / "trial.json", report, measured).text()


@pytest.mark.parametrize("content", ["{", "[]", '{"x": 3}', '{"x": {"tables": "1"}}'])
def test_kept_figures_that_cannot_be_read_are_named(tmp_path, content):
    (tmp_path / "page.json").write_text(content)
    with pytest.raises(BuildError, match=r"page\.json: found .*; accepted: the records of a page's sections"):
        read_records(tmp_path / "page.json")


def test_a_measured_section_leaves_the_others(report, played, tmp_path, capsys):
    for name in SECTIONS:
        shutil.copy(DOCS / f"{name}.json", tmp_path)
    before = read_records(DOCS / "strength.json")
    report_command.make(report, tmp_path, {"levels"})
    after = read_records(tmp_path / "strength.json")
    assert {name for name in after if after[name] != before[name]} == {"levels"}
    assert after["levels"].pairs == 20
    assert len(played) == 15  # for `bis`, both opponents are the same
    shown = (tmp_path / "appendix" / "strength.md").read_text()
    assert "| `winprob:level=1` | 60.0 [59.0, 61.0] | 60.0 [59.0, 61.0] | 10.0 | - |" in shown
    assert "60.0 [59.0, 61.0] / 60.0 [59.0, 61.0]" in (tmp_path / "strength.md").read_text()
    assert re.match(r"levels \.\.\. \d+\.\d s\n", capsys.readouterr().out)


def test_a_figure_says_whether_its_arrays_have_changed(report):
    manifest = report.opened.manifest
    now = page.digests(manifest)
    record = Record("2000.1.1+0", None, 10, 1, {"curves": now["curves"], "win": now["win"]})
    assert record.made_with(manifest).endswith(
        f"All arrays that these figures read are the same in {manifest.version}."
    )
    record.arrays |= {"win": "0", "gone": "1"}
    assert record.made_with(manifest).endswith("these arrays that they read are different: `gone`, `win`.")
    assert Record(manifest.version, None, 10, 1, {"win": "0"}).made_with(manifest).endswith(f"{manifest.version}.")


def test_plots_of_the_pages_exist_and_are_linked(appendix):
    linked = [name for text in appendix[1].values() for name in re.findall(r"!\[[^]]+\]\(\.\./img/(\S+)\)", text)]
    assert sorted(linked) == sorted(path.name for path in (DOCS / "img").glob("*.svg"))
    for name in linked:
        content = Path(DOCS / "img" / name).read_bytes()
        assert len(content) < 150_000
        assert b"dc:date" not in content
