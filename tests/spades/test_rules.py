"""Rule sets: presets by hand, make_rules and describe as inverses, and errors that name the field."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades.errors import RulesError
from spades.rules import (
    FIELDS,
    NO_LOSING_GOAL,
    PRESETS,
    UNLIMITED,
    VARIANTS,
    Flag,
    Integer,
    Rules,
    describe,
    make_rules,
)

FLAGS = [name for name, rule in FIELDS.items() if isinstance(rule.values, Flag)]
LIMITS = {name: rule.values for name, rule in FIELDS.items() if isinstance(rule.values, Integer)}

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
    "deck": None,
    "nil_pass": 0,
    "blind_nil_pass": 0,
    "nil_passes_first": False,
    "nil": True,
    "bag_points": 1,
    "set_points": "contract",
    "slam_points": 0,
    "double_nil_points": None,
    "sum_not_13": False,
    "spades_lead": "broken",
    "first_lead": "any",
    "first_trick_spades": True,
    "blind_min": None,
}


def accepted(values):
    """Return the JSON values that a rule accepts."""
    if isinstance(values, Integer):
        numbers = st.integers(values.low, values.high)
        return numbers if values.null is None else st.none() | numbers
    if isinstance(values, Flag):
        return st.booleans()
    words = st.sampled_from(values.json_words)
    return words if values.null is None else st.none() | words


def overrides():
    """Return overrides that are each supported separately."""
    return st.fixed_dictionaries({}, optional={name: accepted(rule.values) for name, rule in FIELDS.items()})


def test_classic_by_hand():
    assert describe(make_rules()) == CLASSIC
    assert make_rules() == Rules() == PRESETS["classic"]
    assert set(CLASSIC) == set(Rules._fields)
    assert (Rules().lose, Rules().team_max) == (NO_LOSING_GOAL, UNLIMITED)


def test_bis_paper_by_hand():
    assert describe(make_rules("bis-paper")) == CLASSIC | {"win": 200, "lose": -100, "bag_penalty": 110}


_SOLO = ("double_nil", "double_nil_points", "blind_nil", "blind_min", "failed_nil_tricks", "team_min", "team_max")


def refused(values):
    """Return the fields that make a set of values unsupported, by the tables of the documentation."""
    fixed = {
        "partnership": ("deck",),
        "jokers": (),
        "suicide": ("nil", "double_nil", "double_nil_points", "blind_nil", "blind_min", "deck"),
        "cutthroat": (*_SOLO, "nil_pass", "blind_nil_pass", "nil_passes_first"),
    }
    nils = ("nil", "double_nil", "double_nil_points", "blind_nil", "blind_min")
    spades = (*nils, "min_bid", "team_min", "team_max", "sum_not_13")
    fixed |= {"whiz": spades, "mirror": (*spades, "deck"), "whiz_strict": (*spades, "deck")}
    fields = {field for field in fixed[values["variant"]] if values[field] != CLASSIC[field]}
    most = values["team_max"]
    if most is not None and most < max(2 * values["min_bid"], values["team_min"]):
        fields.add("team_max")
    if values["blind_nil"] and not values["nil"]:
        fields.add("blind_nil")
    if values["double_nil_points"] is not None and not values["double_nil"]:
        fields.add("double_nil_points")
    if values["bag_points"] != 1 and not values["bags"]:
        fields.add("bag_points")
    return fields


@given(st.sampled_from(sorted(PRESETS)), overrides())
def test_overrides_and_nothing_else(preset, overrides):
    wanted = describe(PRESETS[preset]) | overrides
    if wanted["deck"] and wanted["variant"] == "partnership" and "variant" not in overrides:
        wanted["variant"] = "jokers"
    if overrides and refused(wanted):
        with pytest.raises(RulesError, match="accepted") as caught:
            make_rules(preset, overrides)
        assert caught.value.field in refused(wanted)
        return
    rules = make_rules(preset, overrides)
    assert describe(rules) == wanted
    assert make_rules("classic", wanted) == rules
    assert all(type(value) is int for value in rules)


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_presets_can_be_asked_for_field_by_field(preset):
    assert make_rules("classic", describe(PRESETS[preset])) == PRESETS[preset]


def test_other_presets_by_hand():
    assert describe(PRESETS["board-4"]) == CLASSIC | {"team_min": 4}
    assert describe(PRESETS["five-bags"]) == CLASSIC | {"bag_limit": 5, "bag_penalty": 50}
    assert describe(PRESETS["suicide"]) == CLASSIC | {"variant": "suicide", "team_min": 4, "lose": -200}
    assert {preset.variant for preset in PRESETS.values()} == set(range(len(VARIANTS)))


@pytest.mark.parametrize(
    ("overrides", "field", "message"),
    [
        ({"variant": "mirror", "team_min": 4}, "team_min", "team_min is 4 with variant mirror; accepted: 0"),
        (
            {"variant": "suicide", "double_nil": False},
            "double_nil",
            "double_nil is false with variant suicide; accepted: true",
        ),
        ({"variant": "whiz", "nil": False}, "nil", "nil is false with variant whiz; accepted: true"),
        ({"nil": False, "blind_nil": True}, "blind_nil", "blind_nil is true with nil false; accepted: false"),
        (
            {"double_nil": False, "double_nil_points": 500},
            "double_nil_points",
            "double_nil_points is 500 with double_nil false; accepted: null",
        ),
        ({"bags": False, "bag_points": -1}, "bag_points", "bag_points is -1 with bags false; accepted: 1"),
        (
            {"min_bid": 4, "team_max": 7},
            "team_max",
            "team_max is 7 with min_bid 4 and team_min 0; accepted: 8 or more",
        ),
    ],
)
def test_values_that_do_not_go_together(overrides, field, message):
    with pytest.raises(RulesError, match=message) as caught:
        make_rules("classic", overrides)
    assert caught.value.field == field


def test_preset_unknown():
    with pytest.raises(RulesError, match="unknown preset 'whist'; accepted: classic, bis-paper") as caught:
        make_rules("whist")
    assert caught.value.field == "preset"


def test_field_unknown():
    with pytest.raises(RulesError, match="unknown rule 'wins'; accepted: win, lose") as caught:
        make_rules("classic", {"wins": 300})
    assert caught.value.field == "wins"


@pytest.mark.parametrize(("field", "limits"), LIMITS.items())
def test_limits_of_numbers(field, limits):
    low, high = limits.low, limits.high
    for value in (low, high):
        assert getattr(make_rules("classic", {field: value}), field) == value
    for value in (
        low - 1,
        high + 1,
        float(low),
        True,
        str(low),
        [low],
        *([None] if limits.null is None else []),
    ):
        with pytest.raises(RulesError, match=rf"accepted: an integer {low}\.\.{high}") as caught:
            make_rules("classic", {field: value})
        assert caught.value.field == field


@pytest.mark.parametrize("field", FLAGS)
def test_flags_are_booleans(field):
    for value in (True, False):
        assert getattr(make_rules("classic", {field: value}), field) == int(value)
    for wrong in (0, 1, "true", None, 0.0):
        with pytest.raises(RulesError, match=f"{field} is .*; accepted: true or false") as caught:
            make_rules("classic", {field: wrong})
        assert caught.value.field == field


@pytest.mark.parametrize("value", ["bag", "", None, 0, True, ["bags"]])
def test_failed_nil_tricks_is_one_of_three(value):
    with pytest.raises(RulesError, match="accepted: one of bags, contract, none") as caught:
        make_rules("classic", {"failed_nil_tricks": value})
    assert caught.value.field == "failed_nil_tricks"


@pytest.mark.parametrize("value", ["spades", "", None, 0, ["mirror"]])
def test_variant_is_one_of_seven(value):
    with pytest.raises(RulesError, match="accepted: one of partnership, cutthroat, mirror") as caught:
        make_rules("classic", {"variant": value})
    assert caught.value.field == "variant"


@pytest.mark.parametrize("field", ["lose", "team_max"])
def test_null_means_none(field):
    assert getattr(make_rules("bis-paper", {field: None}), field) in (NO_LOSING_GOAL, UNLIMITED)
