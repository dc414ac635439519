"""Rule sets: presets by hand, make_rules and describe as inverses, every refusal names its field."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.bidding.errors import RulesError
from service.bidding.rules import (
    FAILED_NIL_TRICKS,
    NEVER,
    PRESETS,
    SUPPORTED_RANGES,
    UNLIMITED,
    Rules,
    describe,
    make_rules,
)

FLAGS = {field for field, limits in SUPPORTED_RANGES.items() if limits == (0, 1)}

CLASSIC = {
    "win": 500,
    "lose": None,
    "nil_points": 100,
    "blind_nil_points": 200,
    "double_nil": True,
    "blind_nil": False,
    "blind_nil_deficit": 100,
    "bags": True,
    "bag_limit": 10,
    "bag_penalty": 100,
    "failed_nil_tricks": "bags",
    "min_bid": 0,
    "team_min": 0,
    "team_max": None,
    "ten_for_200": False,
    "variant": "partnership",
}


def values():
    """Overrides that are supported."""
    fields: dict[str, st.SearchStrategy] = {
        field: st.booleans() if field in FLAGS else st.integers(low, high)
        for field, (low, high) in SUPPORTED_RANGES.items()
    }
    fields["lose"] = st.none() | fields["lose"]
    fields["failed_nil_tricks"] = st.sampled_from(FAILED_NIL_TRICKS)
    return st.fixed_dictionaries({}, optional=fields)


def test_classic_by_hand():
    assert describe(make_rules()) == CLASSIC
    assert make_rules() == Rules() == PRESETS["classic"]
    assert set(CLASSIC) == set(Rules._fields)
    assert (Rules().lose, Rules().team_max) == (NEVER, UNLIMITED)


def test_bis_paper_by_hand():
    assert describe(make_rules("bis-paper")) == CLASSIC | {"win": 200, "lose": -100, "bag_penalty": 110}


@given(st.sampled_from(sorted(PRESETS)), values())
def test_overrides_and_nothing_else(preset, overrides):
    assert describe(make_rules(preset, overrides)) == describe(PRESETS[preset]) | overrides


@given(st.sampled_from(sorted(PRESETS)), values())
def test_round_trip(preset, overrides):
    rules = make_rules(preset, overrides)
    assert make_rules("classic", describe(rules)) == rules
    assert all(type(value) is int for value in rules)


def test_preset_unknown():
    with pytest.raises(RulesError, match="unknown preset 'whist'; expected one of classic, bis-paper") as caught:
        make_rules("whist")
    assert caught.value.field == "preset"


def test_field_unknown():
    with pytest.raises(RulesError, match="unknown rule 'wins'; expected one of win, lose") as caught:
        make_rules("classic", {"wins": 300})
    assert caught.value.field == "wins"


@pytest.mark.parametrize(("field", "limits"), [(f, v) for f, v in SUPPORTED_RANGES.items() if f not in FLAGS])
def test_limits_of_numbers(field, limits):
    low, high = limits
    for value in (low, high):
        assert getattr(make_rules("classic", {field: value}), field) == value
    for value in (low - 1, high + 1, float(low), True, str(low), [low], *([] if field == "lose" else [None])):
        with pytest.raises(RulesError, match=rf"expected an integer {low}\.\.{high}") as caught:
            make_rules("classic", {field: value})
        assert caught.value.field == field


@pytest.mark.parametrize("field", sorted(FLAGS))
def test_flags_are_booleans(field):
    for value in (True, False):
        assert getattr(make_rules("classic", {field: value}), field) == int(value)
    for wrong in (0, 1, "true", None, 0.0):
        with pytest.raises(RulesError, match=f"{field} is .*; expected true or false") as caught:
            make_rules("classic", {field: wrong})
        assert caught.value.field == field


@pytest.mark.parametrize("value", ["bag", "", None, 0, True, ["bags"]])
def test_failed_nil_tricks_is_one_of_three(value):
    with pytest.raises(RulesError, match="expected one of bags, contract, none") as caught:
        make_rules("classic", {"failed_nil_tricks": value})
    assert caught.value.field == "failed_nil_tricks"


@pytest.mark.parametrize(
    ("field", "only", "others"),
    [
        ("min_bid", 0, [1, False, 0.0, None, "0"]),
        ("team_min", 0, [4, False]),
        ("team_max", None, [13, 26, False]),
        ("ten_for_200", False, [True, 0, None]),
        ("variant", "partnership", ["cutthroat", "mirror", "jokers", "spades", 0, None]),
    ],
)
def test_not_supported_yet(field, only, others):
    assert make_rules("classic", {field: only}) == Rules()
    for value in others:
        with pytest.raises(RulesError, match="not supported yet") as caught:
            make_rules("classic", {field: value})
        assert caught.value.field == field
