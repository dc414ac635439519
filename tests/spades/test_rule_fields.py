"""The declarations of the rules: complete, and consistent with each other."""

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


def test_every_decision_must_be_made():
    for attribute in ("values", "meaning", "fixed_in", "seen_by_ignore", "games_column"):
        decided = {one.name: getattr(DECIDED, one.name) for one in fields(DECIDED) if one.name != attribute}
        with pytest.raises(TypeError, match=f"missing 1 required keyword-only argument: '{attribute}'"):
            Rule(**decided)


def test_a_field_without_a_row_or_a_default_is_refused():
    class Bare(NamedTuple):
        overtime: int = 0

    class Required(NamedTuple):
        overtime: Annotated[int, DECIDED]

    for owner in (Bare, Required):
        with pytest.raises(TypeError, match=rf"{owner.__name__}\.overtime: declare it as Annotated\[int, Rule"):
            fields_of(owner)


def test_the_columns_of_the_win_tables_have_no_gaps():
    columns = [rule.games_column for rule in FIELDS.values() if rule.games_column is not None]
    assert sorted(columns) == list(range(len(columns)))


@pytest.mark.parametrize("name", [rule.only_with for rule in FIELDS.values() if rule.only_with])
def test_a_rule_depends_on_a_flag_that_changes_a_win_table(name):
    flag = FIELDS[name]
    assert flag.values == Flag()
    assert flag.games_column is not None


@pytest.mark.parametrize("name", FIELDS)
def test_every_rule_is_explained_to_callers(name):
    rule = FIELDS[name]
    assert rule.meaning.endswith(".")
    assert rule.meaning[0].isupper()
    assert set(rule.fixed_in) <= set(range(len(VARIANTS)))
    assert rule.default == getattr(Rules(), name)
    assert rule.values.number_of(rule.json_default) == rule.default


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
