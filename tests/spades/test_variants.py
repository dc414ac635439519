"""Mirror, whiz and suicide: bids within the variant's limits, changed thresholds, reasons in explanations."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.match import Match
from arena.result import run_match
from spades.bidder import decide
from spades.cards import parse_pbn
from spades.legal import extra_spades_of, nil_threshold, sees_no_jokers, variant_of
from spades.options import Policy
from spades.policies import BY_NAME, parse_policy
from spades.position import Position
from spades.rules import (
    CUTTHROAT,
    JOKERS,
    MIRROR,
    PARTNERSHIP,
    SUICIDE,
    WHIZ,
    WHIZ_STRICT,
    describe,
    make_rules,
)
from spades.scoring import START, Standing
from spades.tables import PARTNERSHIP_PROFILE, SUICIDE_PROFILE, WHIZ_PROFILE, profile_of
from spades.tableset import open_tables
from tables.families import FAMILIES
from tables.run.family import in_order, recorded
from tests import naive

WORKED = "AKJ62.AQ.Q.K9543"
LOW = "432.5432.5432.32"
NO_SPADES = ".65432.5432.5432"
PRESETS = ("mirror", "whiz", "whiz-strict", "suicide")
hands = st.permutations(naive.DECK).map(lambda deck: naive.pbn_of(deck[:13]))


@pytest.fixture(scope="module")
def tables():
    return open_tables()


def bid(tables, pbn, preset, previous=(), us=0, them=0, policy="bis", bags=0):
    rules = make_rules(preset)
    position = Position(parse_pbn(pbn), tuple(previous), Standing(us, them, bags, 0), rules)
    return decide(position, parse_policy(policy, rules.variant), tables)


# ---- the kernels --------------------------------------------------------------------------------------------------


def test_what_a_policy_bids_by():
    whiz = make_rules("whiz")
    assert variant_of(whiz, Policy()) == WHIZ
    assert variant_of(whiz, Policy(ignores=1)) == PARTNERSHIP
    jokers = make_rules("jokers")
    assert [extra_spades_of(variant, jokers) for variant in (PARTNERSHIP, JOKERS)] == [0, 2]
    with_jokers = make_rules("whiz", {"deck": "jokers"})
    assert [extra_spades_of(variant, with_jokers) for variant in (PARTNERSHIP, WHIZ)] == [0, 2]
    assert extra_spades_of(WHIZ, whiz) == 0
    assert sees_no_jokers(with_jokers, parse_policy("rb", WHIZ))
    assert not sees_no_jokers(with_jokers, parse_policy("bis", WHIZ))
    assert extra_spades_of(JOKERS, make_rules("jjdd")) == 3
    assert not sees_no_jokers(jokers, Policy())
    assert sees_no_jokers(jokers, Policy(ignores=1))
    assert sees_no_jokers(jokers, parse_policy("rb", JOKERS))
    assert not sees_no_jokers(whiz, parse_policy("rb", WHIZ))


def test_thresholds_by_hand():
    policy = Policy(nil_threshold=-20.0, nil_slope=10.0)
    # whiz: 2.5 tricks beside a number of 4 are 1.5 short, beside a number of 1 they are 1.5 over
    assert nil_threshold(WHIZ, policy, 2.5, 4) == -35.0
    assert nil_threshold(WHIZ, policy, 2.5, 1) == -5.0
    assert nil_threshold(SUICIDE, policy, 2.5, 4) == 5.0  # only the estimate matters
    for variant in (PARTNERSHIP, CUTTHROAT, MIRROR, WHIZ_STRICT, JOKERS):
        assert nil_threshold(variant, policy, 2.5, 4) == -20.0


def test_fitted_options_hold_in_their_variant_only():
    for preset, variant in (("whiz", WHIZ), ("suicide", SUICIDE), ("jokers", JOKERS)):
        fitted = BY_NAME["bis"].in_variant[variant]
        policy = parse_policy("bis", make_rules(preset).variant)
        assert {name: getattr(policy, name) for name in fitted} == fitted
        assert parse_policy("bis:nil_threshold=7", variant).nil_threshold == 7.0
        assert parse_policy("bis:variant=ignore", variant).nil_threshold == Policy().nil_threshold == 25.0
    assert parse_policy("bis").nil_slope == 0.0


def test_settings_read_their_own_tables(tables):
    for name, setting in (("whiz", WHIZ_PROFILE), ("suicide", SUICIDE_PROFILE)):
        rules = make_rules(name)
        assert profile_of(rules, Policy(), START) == setting
        assert profile_of(rules, Policy(ignores=1), START) == PARTNERSHIP_PROFILE
        own = tables.kernel_arrays[setting]
        assert own.curves is tables.arrays[f"{name}_curves"]
        assert own.mean_bids is tables.arrays[f"{name}_mean_bids"]


@pytest.mark.parametrize("name", ["whiz", "suicide", "jokers"])
def test_curves_are_calibrated(tables, name):
    """On rounds not used for fitting, stated and actual success agree in every twentieth with enough nils."""
    rows = tables.research[f"{name}_held_out"]
    enough = rows[rows[:, 0] >= 1000]
    assert len(enough) >= 8
    assert (abs(enough[:, 1] - enough[:, 2]) < 0.06).all()
    figures = tables.families[f"{name}_curves"].figures
    assert figures["held_out_brier"] < 0.25
    curves = tables.arrays[f"{name}_curves"]
    assert (curves[:, 1:] >= curves[:, :-1]).all()


def test_self_play_is_told_in_full():
    """A changed constant changes the parameters of the table family, so that its tables are built again."""
    parameters = {family.name: family.parameters for family in in_order(FAMILIES)}
    for name, variant in (("whiz", WHIZ), ("suicide", SUICIDE), ("jokers", JOKERS)):
        text = str(parameters[f"{name}_curves"]["policy"])
        assert parse_policy(text, PARTNERSHIP) == parse_policy("bis:endgame=off", variant)
        assert parameters[f"{name}_curves"]["rules"] == recorded(make_rules(name))


# ---- bids ---------------------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(
    hands,
    st.sampled_from(PRESETS),
    st.lists(st.integers(0, 6), max_size=3),
    st.integers(-100, 520),
    st.integers(-100, 520),
    st.sampled_from(("bis", "bis:tuned", "bis:variant=ignore", "rb", "ms", "io", "bis:dynamic=on")),
)
def test_every_bid_is_allowed(tables, pbn, preset, previous, us, them, text):
    """Every bid, also near the end of a game, is one that the reference implementation of the rules allows."""
    rules = make_rules(preset)
    partner = previous[-2] if len(previous) > 1 else None
    made = bid(tables, pbn, preset, previous, us, them, text)
    allowed = naive.bids_allowed(len(naive.suits_of(pbn)["S"]), partner, describe(rules))
    assert made.bid in allowed
    told = made.explanation
    assert told is not None
    steps = told["adjustments"]
    assert all(one["after"] == after["before"] for one, after in pairwise(steps))
    if steps:
        assert steps[-1]["after"] == made.bid


@settings(max_examples=60, deadline=None)
@given(hands, st.sampled_from(("mirror", "whiz-strict")), st.integers(400, 499), st.integers(400, 499))
def test_mirror_and_strict_whiz_decide_nothing(tables, pbn, preset, us, them):
    """For every policy and score, the bid is the number of spades, or nil without spades."""
    bids = {bid(tables, pbn, preset, (), us, them, text).bid for text in ("bis", "bis:variant=ignore", "rb", "io")}
    assert bids == {len(naive.suits_of(pbn)["S"])}


@pytest.mark.parametrize(
    ("pbn", "preset", "previous", "expected", "why"),
    [
        (WORKED, "mirror", (), 5, "In mirror you must bid the number of your spades."),
        (LOW, "mirror", (), 3, "In mirror you must bid the number of your spades."),
        (LOW, "whiz-strict", (), 3, "In strict whiz you must bid the number of your spades."),
        (WORKED, "whiz", (), 5, "In whiz you must bid the number of your spades, or nil."),
        (WORKED, "suicide", (3, 4), 0, "In suicide one of two partners must bid nil, "),
        (LOW, "suicide", (4, 4), 0, "In suicide one of two partners must bid nil, "),
        (LOW, "suicide", (0, 4), 4, "In suicide one of two partners must bid nil, "),
    ],
)
def test_the_forced_bid_is_told(tables, pbn, preset, previous, expected, why):
    made = bid(tables, pbn, preset, previous)
    assert made.bid == expected
    told = made.explanation
    assert told is not None
    (step,) = told["adjustments"]
    assert step["rule"] == make_variant_name(preset)
    assert step["after"] == expected
    assert step["why"].startswith(why)
    assert why in told["sentence"]


def make_variant_name(preset):
    return str(describe(make_rules(preset))["variant"])


@pytest.mark.parametrize("preset", ["mirror", "whiz-strict", "whiz"])
def test_no_spades_is_a_nil(tables, preset):
    assert bid(tables, NO_SPADES, preset).bid == 0
    assert bid(tables, ".AKQ2.AKQ2.AKQ32", preset).bid == 0  # forced by the rules, although it is hopeless


def test_nil_in_whiz_and_suicide(tables):
    assert bid(tables, LOW, "whiz").bid == 0
    assert bid(tables, LOW, "suicide").bid == 0
    assert bid(tables, "A32.5432.5432.32", "whiz").bid == 3  # the ace of spades takes a trick
    assert bid(tables, WORKED, "suicide").bid == 6


def test_whiz_takes_a_risk_where_the_number_is_far_off(tables):
    """The same nil is bid more readily if the hand can't take as many tricks as it has spades."""
    numbers = {}
    for pbn in ("T98.J65.J654.J65", "T98.A65.A654.A65"):
        told = bid(tables, pbn, "whiz").explanation
        assert told is not None
        numbers[pbn] = told["nil"]["threshold"]
    assert numbers["T98.J65.J654.J65"] < numbers["T98.A65.A654.A65"]


# ---- against bidders that ignore the variant ----------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("preset", ["mirror", "whiz-strict"])
def test_nothing_decided_nothing_won(preset):
    """Every bid is forced, so the two games of a duplicate pair are the same game with the sides exchanged."""
    result = run_match(Match("bis", "bis:variant=ignore", ("srp", "srp"), 50, make_rules(preset), seed=3))
    assert result.win_rate == 0.5
