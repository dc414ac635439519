"""The text by hand of docs/strength.md states no measured figure: those are in the sections of its template."""

import re

import pytest

from report.page import TEMPLATES

PAGE = TEMPLATES / "strength.md.j2"

# Phrases that look like measured figures, and why each may stay.
ALLOWED = {
    "with 95% intervals": "the width of all intervals, in ADR 44",
    "in two of four seats": "the seats that UCT has in a match",
    "losing goal -100": "a goal, which the row's match declares",
    "nil with less than one trick": "a rule of Trickster's bidder",
    "with probability 0.25": "counted: four hands, one ace of spades",
    "ten points for a trick": "the weights of `kinds`",
    "share over 30% of their hands": "declared in `kinds`",
    "one too low, which gives one more bag": "the definition of a refusal",
    "won points 1.8 %": "published by AI Factory, for another program",
    "200 points, from 100 points behind": "fields of the preset `blind-nil`",
    "half a trick or a whole trick too much": "declared in `blind_nil.OVERBIDDERS`",
    "wins 3% of games less": "the goal of the search behind the levels",
}

_WORD = "half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|sixteen|twenty|thirty"
_COUNT = rf"(?<![\w@.-])(?:\d[\d,.]*|{_WORD})"
_FIGURES = re.compile(
    rf"""
      \d\s?%                                                    # 52%
    | {_COUNT}\s(?:to\s\w+\s)?(?:more\s|less\s)?                # 3 points, nine to fourteen points
      (?:percent|percentage|points?|tricks?\s(?:more|less|too|higher|lower)|times)\b
    | {_COUNT}\s(?:or\s\w+\s)?tricks?\s(?:fewer|more|less|higher|lower)\b
    | \b(?:{_WORD})\stoo\s(?:low|high)\b
    | (?:half|quarter|third|tenth)\s(?:of\s)?(?:a\s)?(?:percent|point|trick)s?\b
    | \bless\sthan\s(?:a|one|half\sa)\s(?:point|trick|percent)\b
    | {_COUNT}\s(?:games\s)?(?:in|of)\s(?:\d+|ten|four|three|five|a\shundred)\b   # eight in ten, 53 of 100
    | (?<![\w@.-])(?<!section\ )\d+\.\d+(?![\w.-])              # 52.9, but not 2026.11.4, and not section 5.1
    | (?<![\w/-])[+-]\d|±                                         # +3, ± 0.5
    | \[\d+\.\d+,                                               # an interval
    """,
    re.VERBOSE,
)


def prose_of(page):
    """Return the text of a template without sections, code and link targets, with one space between words."""
    text = re.sub(r"{% call .*?{% endcall %}|{[{%].*?[}%]}", "", page, flags=re.DOTALL)
    text = re.sub(r"```.*?```|`[^`\n]+`", "", text, flags=re.DOTALL)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return " ".join(text.split())


def figures_in(text):
    """Return the measured figures that a text seems to state, with some words around them."""
    for phrase in ALLOWED:
        text = text.replace(phrase, "")
    return [text[max(0, found.start() - 30) : found.end() + 20] for found in _FIGURES.finditer(text)]


def test_the_text_states_no_measured_figure():
    assert figures_in(prose_of(PAGE.read_text())) == []


def test_every_exception_is_needed():
    prose = prose_of(PAGE.read_text())
    for phrase in ALLOWED:
        assert phrase in prose
        assert _FIGURES.search(phrase), phrase


@pytest.mark.parametrize(
    "sentence",
    [
        "Against MS with SRP it wins 64%, not 67.7%.",
        "BIS holds it to 52.9 with SRP.",
        "It makes 47 points a round.",
        "BIS wins nine to fourteen points more than in the paper.",
        "The curve is off by 0.21 tricks.",
        "UCT wins 53 of 100 games at about 200 times the cost.",
        "Of the added nils about six in ten are made.",
        "It costs half a percent of games.",
        "Success falls by about thirteen points.",
        "winprob bid one or two tricks more than BIS.",
        "The intervals are ±0.12.",
        "The result is 73.0 [72.8, 73.1].",
        "It loses less than a point in a hundred games.",
    ],
)
def test_a_measured_figure_is_found(sentence):
    assert figures_in(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Goals are 200/-100.",
        "RB bids (section 5.1).",
        "Tables 2026.11.4 ship.",
        "There are 2,955 curves.",
        "The paper played 10,000 games.",
    ],
)
def test_a_declared_number_is_not(sentence):
    assert figures_in(sentence) == []


def test_sections_and_code_are_no_prose():
    page = "Above.{{ x }}\n{% call section('x') %}\n52.9%\n{% endcall %}\nBelow `bis:offset=0.5`, [all](x.md#1.5)."
    assert prose_of(page) == "Above. Below , [all]."
