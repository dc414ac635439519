"""Table profiles: which tables a decision reads, and which convention a side plays at a score."""

import pytest

from spades.options import BIG5, BIG6
from spades.policies import parse_policy
from spades.rules import make_rules
from spades.scoring import START, Standing
from spades.tables import PROFILES, convention_of, profile_of


def setting(policy, preset="classic"):
    return PROFILES[profile_of(make_rules(preset), parse_policy(policy), START)]


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
    assert setting("bis", preset) == expected
    assert setting("bis:variant=ignore", preset) == "partnership"


def test_auto_demands_no_blind_nil_that_the_deficit_forbids():
    rules = make_rules("blind-nil", {"blind_nil_deficit": 300})
    auto = parse_policy("bis:convention=auto")
    assert [convention_of(rules, auto, Standing(0, them, 0, 0)) for them in (150, 299, 300)] == [BIG5, BIG5, BIG6]


def test_conventions_have_their_own():
    assert setting("bis:convention=big5") == "big5"
    assert setting("bis:convention=big6") == "big6"
    assert setting("bis:convention=none") == "partnership"
