"""An incomplete declaration of a rule is refused with a message that names the rule and what to decide."""

from dataclasses import fields, replace
from typing import Annotated, NamedTuple

import pytest

from spades.rules import FIELDS, VARIANTS, Flag, Integer, Rule, Rules, Word, fields_of

DECIDED = Rule(
    values=Integer(0, 5, null=9), meaning="Rounds after a draw.", fixed_in=(), seen_by_ignore=True, games_column=1
)


def declared(row, default=0):
    """Return the fields of a rule set with the flag `on` and the field `overtime`, declared by ``row``."""
    flag = Rule(values=Flag(), meaning="On.", fixed_in=(), seen_by_ignore=True, games_column=0)

    class Some(NamedTuple):
        on: Annotated[int, flag] = 0
        overtime: Annotated[int, row] = default

    return fields_of(Some)


def test_a_whole_row_is_taken():
    found = declared(DECIDED, 9)
    assert list(found) == ["on", "overtime"]
    assert found["overtime"] == replace(DECIDED, name="overtime", default=9)
    assert found["overtime"].json_default is None


QUESTIONS = {field.name: field.metadata["question"] for field in fields(Rule) if "question" in field.metadata}


def test_what_must_be_decided():
    assert set(QUESTIONS) == {"values", "meaning", "fixed_in", "seen_by_ignore", "games_column"}


@pytest.mark.parametrize("attribute", QUESTIONS)
def test_each_decision_is_asked_for(attribute):
    decided = {name: getattr(DECIDED, name) for name in QUESTIONS if name != attribute}
    with pytest.raises(TypeError) as caught:
        declared(Rule(**decided))
    text = str(caught.value)
    assert text.startswith("Some.overtime: declare it as Annotated[int, Rule(...)] and decide ")
    assert text.endswith(f"decide {attribute} ({QUESTIONS[attribute]})")


def test_a_field_without_a_row_is_asked_for_everything():
    class Bare(NamedTuple):
        overtime: int = 0

    with pytest.raises(TypeError, match=r"Bare\.overtime: declare it") as caught:
        fields_of(Bare)
    assert all(f"{name} ({question})" in str(caught.value) for name, question in QUESTIONS.items())


def test_a_field_without_a_default_is_refused():
    class Required(NamedTuple):
        overtime: Annotated[int, DECIDED]

    with pytest.raises(TypeError, match=r"Required\.overtime has no default"):
        fields_of(Required)


@pytest.mark.parametrize(
    ("changes", "default", "message"),
    [
        ({}, 6, "the default is 6; accepted: a number that is stored for an integer 0..5 or null"),
        ({"values": Flag()}, 2, "the default is 2; accepted: a number that is stored for true or false"),
        ({"values": Word(("a", "b"))}, 2, "the default is 2; accepted: a number that is stored for one of a, b"),
        ({"meaning": ""}, 0, "decide meaning (what it means, as a plain sentence for callers)"),
        ({"games_column": 0}, 0, "games_column is 0, which is the column of on; accepted: the next free column"),
        ({"games_column": 2}, 0, "games_column is 2; accepted: 1, the next free column"),
        ({"only_with": "off"}, 0, "only_with is 'off'; accepted: a flag that changes a win table"),
        ({"only_with": "overtime"}, 0, "only_with is 'overtime'; accepted: a flag"),
    ],
)
def test_rows_that_cannot_be(changes, default, message):
    with pytest.raises(TypeError, match="overtime") as caught:
        declared(replace(DECIDED, **changes), default)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", FIELDS)
def test_every_rule_is_explained_to_callers(name):
    rule = FIELDS[name]
    assert rule.meaning.endswith(".")
    assert rule.meaning[0].isupper()
    assert set(rule.fixed_in) <= set(range(len(VARIANTS)))
    assert rule.default == getattr(Rules(), name)


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        (Flag(), {True: 1, False: 0}),
        (Integer(-2, 3, null=-9), {None: -9, -2: -2, 3: 3}),
        (Word(("bags", "none")), {"bags": 0, "none": 1}),
    ],
)
def test_values_and_numbers_are_inverses(values, kept):
    for value, number in kept.items():
        assert values.number_of(value) == number
        assert values.json_of(number) is value or values.json_of(number) == value
    for wrong in (1.0, "", "true", 4, [], {}, *(() if isinstance(values, Flag) else (True,))):
        assert values.number_of(wrong) is None
