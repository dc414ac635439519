"""Table profiles: which tables a decision reads, and which convention a side plays at a score."""

import pytest

from spades.options import BIG5, BIG6, NO_CONVENTION
from spades.policies import parse_policy
from spades.rules import make_rules
from spades.scoring import Standing
from spades.tables import PROFILES, convention_of, profile_of


def setting(policy, us=0, them=0, preset="classic", **rules):
    return PROFILES[profile_of(make_rules(preset, rules), parse_policy(policy), Standing(us, them, 0, 0))]


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        ("classic", "partnership"),
        ("bis-paper", "partnership"),
        ("mirror", "partnership"),  # the rules decide, so no tables are fitted
        ("whiz-strict", "partnership"),
        ("cutthroat", "cutthroat"),
        ("whiz", "whiz"),
        ("suicide", "suicide"),
        ("jokers", "jokers"),
    ],
)
def test_variants_have_their_own(preset, expected):
    assert setting("bis", preset=preset) == expected
    assert setting("bis:variant=ignore", preset=preset) == "partnership"


def test_auto_demands_no_blind_nil_that_the_deficit_forbids():
    rules = make_rules("blind-nil", {"blind_nil_deficit": 300})
    auto = parse_policy("bis:convention=auto")
    assert [convention_of(rules, auto, Standing(0, them, 0, 0)) for them in (150, 299, 300)] == [BIG5, BIG5, BIG6]


def test_conventions_have_their_own():
    assert setting("bis:convention=big5") == "big5"
    assert setting("bis:convention=big6") == "big6"
    assert setting("bis:convention=none") == "partnership"


@pytest.mark.parametrize(
    ("us", "them", "blind_nil", "expected"),
    [
        (0, 101, True, BIG6),  # behind by more than 100
        (0, 100, True, BIG5),
        (101, 0, True, BIG5),
        (0, 300, False, BIG5),  # Big 6 is useless without blind nil
    ],
)
def test_auto_looks_at_the_score(us, them, blind_nil, expected):
    rules = make_rules("classic", {"blind_nil": blind_nil})
    standing = Standing(us, them, 0, 0)
    assert convention_of(rules, parse_policy("bis:convention=auto"), standing) == expected
    assert convention_of(rules, parse_policy("bis"), standing) == NO_CONVENTION
    assert setting("bis:convention=auto", us, them, blind_nil=blind_nil) == {BIG5: "big5", BIG6: "big6"}[expected]
