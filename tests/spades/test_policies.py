"""Policy texts: what each option sets, and that errors name policy, option, what was found and what is accepted."""

import pytest

from spades.cards import RANKS
from spades.errors import PolicyError
from spades.options import BIS, FIXED, FULL, FULL_LEVEL, IO, MS, OPTIONS, RAW, RB, SINGLE, WINPROB, Policy
from spades.policies import BY_NAME, POLICY_KINDS, SERVED, decider_of, kind_of, parse_policy


@pytest.mark.parametrize(
    ("text", "kind"), [("bis", BIS), ("rb", RB), ("ms", MS), ("io", IO), ("fixed", FIXED), ("winprob", WINPROB)]
)
def test_kinds(text, kind):
    assert parse_policy(text).kind == kind


def test_published_defaults():
    policy = parse_policy("bis")
    assert (policy.nil_threshold, policy.offset) == (25.0, 0.0)  # as published
    assert (policy.curves, policy.factor, policy.endgame, policy.spade_honours, policy.nils) == (FULL, 1, 1, 0, 1)


def test_tuned_is_more_than_one_option():
    tuned = parse_policy("bis:tuned")
    for field, value in BY_NAME["bis"].tuned.items():
        assert getattr(tuned, field) == value
    assert parse_policy("bis:tuned,nil_threshold=7").nil_threshold == 7.0  # the last option wins
    assert tuned._replace(**dict(parse_policy("bis")._asdict())) == parse_policy("bis")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("bis:curves=single", {"curves": SINGLE}),
        ("bis:curves=raw", {"curves": RAW}),
        ("bis:curves=full", {"curves": FULL}),
        ("bis:factor=off", {"factor": 0}),
        ("bis:dynamic=on", {"dynamic": 1}),
        ("bis:endgame=off,spade_honours=allow", {"endgame": 0, "spade_honours": 1}),
        ("bis:spade_honours=deny,nils=off", {"spade_honours": 0, "nils": 0}),
        ("bis:nil_threshold=-3.5", {"nil_threshold": -3.5}),
        ("bis:offset=0.25,nil_floor=.4", {"offset": 0.25, "nil_floor": 0.4}),
        ("rb:nil=5-8-T", {"nil_x": 3, "nil_y": 6, "nil_z": 8}),
        ("ms:nil=2-j-a", {"nil_x": 0, "nil_y": 9, "nil_z": 12}),
        ("io:nils=off", {"nils": 0}),
        ("fixed:bid=0", {"bid": 0}),
        ("fixed:bid=13", {"bid": 13}),
    ],
)
def test_options(text, fields):
    policy = parse_policy(text)
    base = parse_policy(text.partition(":")[0])
    assert policy == base._replace(**fields)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "unknown policy ''; accepted: bis, rb, ms, io, fixed"),
        ("BIS", "unknown policy 'BIS'"),
        ("bis:", "policy bis has no option ''; accepted: tuned, nil_threshold"),
        ("bis:threshhold=3", "policy bis has no option 'threshhold'"),
        ("bis:nil=5-8-T", "policy bis has no option 'nil'"),
        ("rb:endgame=off", "policy rb has no option 'endgame'; accepted: nil, nils"),
        ("io:nil=5-8-T", "policy io has no option 'nil'; accepted: nils"),
        ("bis:curves=none", "bis: curves is 'none'; accepted: full, single, raw"),
        ("bis:endgame", "bis: endgame is ''; accepted: off, on"),
        ("bis:nil_threshold=1_0", "bis: nil_threshold is '1_0'; accepted: a plain decimal number -1000..1000"),
        ("bis:offset=5.1", "bis: offset is '5.1'; accepted: a plain decimal number -5..5"),
        ("bis:nil_floor=-.1", r"bis: nil_floor is '-\.1'; accepted: a plain decimal number 0\.\.1"),
        ("bis:tuned=yes", "bis: tuned is 'yes'; accepted: tuned without a value"),
        ("rb:nil=5-8", "rb: nil is '5-8'; accepted: three ranks such as 5-8-T"),
        ("rb:nil=5-8-10", "rb: nil is '5-8-10'; accepted: three ranks"),
        ("rb:nil=5-8-X", "rb: nil is '5-8-X'; accepted: three ranks"),
        ("rb:nil=", "rb: nil is ''; accepted: three ranks"),
        ("fixed:bid=14", "fixed: bid is '14'; accepted: 0..13"),
        ("fixed:bid=-1", "fixed: bid is '-1'; accepted: 0..13"),
        ("fixed:bid=1_0", "fixed: bid is '1_0'; accepted: 0..13"),
    ],
)
def test_refused(text, message):
    with pytest.raises(PolicyError, match=message):
        parse_policy(text)


def test_fields_are_numbers_that_kernels_take():
    defaults = Policy()
    for text in (*BY_NAME, "bis:tuned", "bis:nil_threshold=3,endgame=off,curves=raw", "rb:nil=5-8-T", "fixed:bid=3"):
        for default, value in zip(defaults, parse_policy(text), strict=True):
            assert isinstance(value, (int, float))
            if isinstance(default, float):
                assert isinstance(value, float)


@pytest.mark.parametrize(
    ("text", "with_table", "without"),
    [
        ("best", "winprob", "bis:tuned"),
        ("best:level=3,nil_bias=-1", "winprob:level=3,nil_bias=-1", "bis:tuned,level=3,nil_bias=-1"),
        ("bis:endgame=off", "bis:endgame=off", "bis:endgame=off"),
    ],
)
def test_who_decides(text, with_table, without):
    assert (decider_of(text, True), decider_of(text, False)) == (with_table, without)
    assert parse_policy(with_table)
    assert parse_policy(without)


def test_what_is_served():
    assert set(SERVED) == set(BY_NAME) - {"fixed"}


def test_options_set_every_field_but_three():
    fields = [field for option in OPTIONS.values() for field in option.fields]
    assert len(fields) == len(set(fields))
    assert {*Policy._fields} - {*fields} == {"kind", "noise_sd", "nil_shift"}
    assert {*fields} < {*Policy._fields}


@pytest.mark.parametrize("text", [*BY_NAME, "bis:tuned"])
def test_defaults_are_values_that_the_options_take(text):
    policy = parse_policy(text)
    for name in kind_of(text).options:
        option = OPTIONS[name]
        numbers = tuple(getattr(policy, field) for field in option.fields)
        text = "-".join(RANKS[rank] for rank in numbers) if name == "nil" else f"{numbers[0]:g}"
        words = option.values.form.split("|")
        accepted = {option.values.read(word) for word in words} if len(words) > 1 else {option.values.read(text)}
        assert numbers in accepted or (name, numbers) == ("level", (0,))


@pytest.mark.parametrize("kind", POLICY_KINDS, ids=lambda kind: kind.name)
def test_a_policy_fits_its_options(kind):
    assert POLICY_KINDS[kind.kind] is kind
    assert {*kind.options} <= OPTIONS.keys()
    own = {name for option in kind.options for name in OPTIONS[option].fields}
    for values in (kind.tuned, *kind.in_variant.values()):
        assert values.keys() <= own
    assert len(kind.noise_sd) == (FULL_LEVEL + 1 if "level" in kind.options else 0)
    assert not kind.served or min(kind.typical_us) > 0.0


def test_every_option_is_one_of_a_policy():
    assert {name for kind in POLICY_KINDS for name in kind.options} == OPTIONS.keys()
