"""The face of the library: its names, and that it refuses what cannot be, with field, found and accepted."""

import subprocess
import sys
from typing import Any

import pytest

import spades
import spades.bis
import spades.inference
import spades.play
import spades.winprob
from spades import BiddingError, Position, RulesError, choose_card, decide, explain, infer, make_rules
from tests.conftest import committed_tables

HAND = "AKJ62.AQ.Q.K9543"
CUTTHROAT = make_rules("cutthroat")


def test_names():
    names = {"Position", "Rules", "TableSet", "decide", "explain", "choose_card", "infer", "REASONS"}
    assert names < set(spades.__all__)
    assert all(hasattr(spades, name) for name in spades.__all__)
    for package in (spades.bis, spades.winprob, spades.play, spades.inference):
        assert package.__all__
        assert all(hasattr(package, name) for name in package.__all__)


def test_imports_numpy_only():
    """Of other packages, `import spades` loads numpy only (`tests/deploy/test_library_wheel.py` has no others)."""
    absent = ("fastapi", "numba", "orjson", "polars", "prometheus_client", "pydantic", "scipy", "starlette", "tables")
    code = f"import sys, spades; assert 'numpy' in sys.modules; print(*set({absent}) & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout == "\n"


@pytest.mark.parametrize(
    ("arguments", "detail"),
    [
        ({"hand": "AKJ62.AQ.Q.K954"}, "hand has 12 cards; accepted: 13"),
        ({"hand": "AKJ62.AQ.Q"}, "four suits with dots"),
        ({"hand": "AKJ62.AQ.Q.K9544"}, "4C appears twice; accepted: each card once"),
        ({"hand": "BKJ62.AQ.Q.K9543"}, "'BJ' is not a card of deck standard; accepted: "),
        ({"bids": (1, 2, 3, 4)}, "bids has 4 bids; accepted: at most 3"),
        ({"bids": ("nil",)}, r"bids.0 is 'nil'; accepted: 0..13"),
        ({"bids": (14,)}, r"bids.0 is 14; accepted: 0..13"),
        ({"bids": (9, 0, 5)}, r"bids.2: the bid is 5 and the partner's is 9; accepted: nil or 1..4, because "),
        (
            {"bids": (9, 6), "rules": make_rules("mirror")},
            "the bids sum to 15; accepted: at most 13",
        ),
        ({"us": 1.5}, "us is 1.5; accepted: an integer"),
        ({"us": 500}, r"us is 500, but the game ends at 500 \(rules.win\); accepted: -10000..499, or the same points"),
        ({"them_bags": 10}, r"them_bags is 10; accepted: 0..9, because"),
        ({"us_bags": -1, "rules": make_rules("no-bags")}, "us_bags is -1; accepted: 0..99"),
        ({"scores": (0, 0, 0, 0)}, "scores is present; accepted: us and them"),
        ({"scores": (0, 0), "rules": CUTTHROAT}, "scores has 2 numbers; accepted: 4"),
        ({"us": 5, "rules": CUTTHROAT}, "accepted with variant cutthroat: scores and us_bags"),
    ],
)
def test_positions_that_cannot_be(arguments, detail):
    given: dict[str, Any] = {"hand": HAND} | arguments
    with pytest.raises(BiddingError, match=detail):
        Position.of(**given)


@pytest.mark.parametrize(
    ("arguments", "detail"),
    [
        ({"policy": "nobody"}, "policy is 'nobody'; accepted: best, bis, "),
        ({"policy": "bis:colour=red"}, "policy bis has no option 'colour'"),
        ({"legal": ()}, "legal has no bid"),
        ({"legal": (14,)}, "legal has no bid"),
        ({"legal": (15,)}, "legal has 15; accepted: 0..13"),
        ({"seed": -1}, "seed is -1; accepted: 0"),
    ],
)
@pytest.mark.parametrize("function", [decide, explain])
def test_bids_that_cannot_be_asked_for(function, arguments, detail):
    with pytest.raises(BiddingError, match=detail):
        function(Position.of(HAND), committed_tables(), **arguments)


def test_rules_without_a_win_table():
    bag_limit = Position.of(HAND, rules=make_rules("classic", {"bag_limit": 7}))
    with pytest.raises(RulesError, match="bag_limit is 7, for which policy winprob has no win table; accepted: 10"):
        decide(bag_limit, committed_tables(), "winprob", approximate=False)
    assert decide(bag_limit, committed_tables(), "winprob").bid
    with pytest.raises(RulesError, match='variant is "cutthroat", for which policy winprob has no win table'):
        decide(Position.of(HAND, rules=CUTTHROAT), committed_tables(), "winprob")
    jokers = Position.of("BLAKJ.AQ.Q9.K954", rules=make_rules("jokers"))
    with pytest.raises(BiddingError, match="plays convention big5 with variant jokers; accepted: none"):
        decide(jokers, committed_tables(), "bis:convention=big5")


@pytest.mark.parametrize(
    ("arguments", "detail"),
    [
        ({"bids": (3, 1)}, "bids has 2 bids; accepted: 4"),
        ({"seat": 4}, r"seat is 4; accepted: 0..3"),
        ({"seat": 1}, "seat is 1, but seat 0 plays next after these tricks; accepted: 0"),
        ({"tricks": [["AS"], ["2D", "3D", "4D", "5D"]]}, r"tricks.0 has 1 cards; accepted: 4"),
        ({"tricks": [["ZZ"]]}, "'ZZ' is not a card of deck standard"),
        ({"tricks": [["2S"]], "seat": 1}, r"tricks.0.0: seat 0 plays 2S, which is in the hand of seat 1"),
        ({"given": ["QH"]}, "given is present; accepted: only with a pass"),
        ({"bags": (0, 0, 0, 0)}, "bags is present; accepted: only with variant cutthroat"),
        ({"us_bags": 1, "rules": CUTTHROAT}, "us_bags is present; accepted with variant cutthroat: scores and bags"),
        ({"us": 30, "rules": CUTTHROAT}, "us is present; accepted with variant cutthroat: scores and bags by seat"),
        ({"bags": (0, 0, 10, 0), "rules": CUTTHROAT}, r"bags.2 is 10; accepted: 0..9, because the penalty"),
    ],
)
def test_rounds_that_cannot_be(arguments, detail):
    given: dict[str, Any] = {"hand": HAND, "bids": (3, 1, 5, 2), "seat": 0} | arguments
    with pytest.raises(BiddingError, match=detail):
        choose_card(**given)


@pytest.mark.parametrize(
    ("arguments", "detail"),
    [
        ({"bids": ()}, r"bids has 0 bids; accepted: 1..4"),
        ({"seat": None}, "only one of hand and seat is present"),
        ({"policy": "rb"}, "policy is 'rb'; accepted: bis, best"),
        ({"us_bags": 3, "rules": CUTTHROAT}, "us_bags is present; accepted with variant cutthroat: scores and bags"),
        ({"bids": (3,), "played": {0: ["AC"]}}, "played or voids is present after 1 bids"),
        ({"played": {4: ["AC"]}}, r"played has seat 4; accepted: 0..3"),
        ({"voids": {1: "X"}}, r"voids.1 has 'X'; accepted: S, H, D, C"),
        ({"played": {0: ["AS"]}}, r"played.0: seat 0 has played AS, which is in the hand of seat 2"),
        ({"voids": {1: "D"}}, r"voids.1: seat 1 has played no card"),
        ({"received": ["QH"]}, "received is present; accepted: only with a pass"),
        ({"bids": (3,), "given": ["QH"]}, "given is present; accepted: only after 4 bids"),
        ({"bags": (0, 0, 0, 0)}, "bags is present; accepted: only with variant cutthroat"),
    ],
)
def test_views_that_cannot_be(arguments, detail):
    given: dict[str, Any] = {"bids": (3, 1, 5, 2), "hand": HAND, "seat": 2} | arguments
    with pytest.raises(BiddingError, match=detail):
        infer(tables=committed_tables(), **given)
