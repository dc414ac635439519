"""Games without a win table of their own: `winprob` uses the nearest, names it, or refuses."""

import itertools

import pytest

from spades.bidder import decide
from spades.contract.bid_request import read_bid
from spades.contract.faults import RequestError
from spades.rules import FIELDS, NO_LOSING_GOAL, PRESETS, make_rules
from spades.scoring import Standing
from spades.winprob import KEY_FIELDS, nearest_errors
from spades.winprob.outcomes import table_bags, win_probability
from tests.conftest import committed_tables

WORKED = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [3, 1], "seat": 2, "policy": "winprob", "convention": "none"}
GOALS = range(50, 1001, 50)
LOSING = (None, -100, -200, -300, -500)
BAGS: tuple[dict[str, object], ...] = ({"bags": False}, {"bag_limit": 5}, {"bag_limit": 7}, {"bag_limit": 10})
NIL_POINTS = (50, 100, 200)


def _request(rules, **more):
    return WORKED | {"rules": {"preset": "classic"} | rules, "scores": {"us": 20, "them": -10}} | more


@pytest.mark.slow
def test_every_common_game_is_served():
    """No score from the losing goal, or -150, on is below the table's first row, so a lead always counts."""
    tables = committed_tables()
    exact = 0
    for win, lose, bags, nil_points in itertools.product(GOALS, LOSING, BAGS, NIL_POINTS):
        rules: dict[str, object] = {"win": win, "lose": lose, "nil_points": nil_points} | bags
        call = read_bid(_request(rules), tables.games)
        named = {entry.split("=")[0] for entry in call.assumed if entry.startswith("rules.")}
        assert 0 <= decide(call.position, call.policy, tables, call.legal, False).bid <= 13
        nearest = tables.games.nearest(call.position.rules)
        assert nearest is not None
        assert nearest.win_slice.floor * nearest.win_slice.unit <= max(lose or -150, -150)
        strict = _request(rules | {"approximate": False})
        if named:
            with pytest.raises(RequestError) as refused:
                read_bid(strict, tables.games)
            faults = refused.value.faults
            assert {(fault.pointer.replace("/rules/", "rules."), fault.code) for fault in faults} == {
                (field, "unsupported-rules") for field in named
            }
        else:
            exact += 1
            assert read_bid(strict, tables.games).position == call.position
    assert exact > len(GOALS) * 2  # at least all goals without a losing goal, with bags and without


@pytest.mark.parametrize(
    ("rules", "assumed"),
    [
        ({"win": 400}, []),
        ({"win": 300, "lose": -100}, []),
        ({"bag_limit": 7}, ["bag_limit=10"]),
        ({"win": 440, "lose": -100}, ["lose=-160"]),
        ({"nil_points": 60}, ["nil_points=50"]),
        ({"win": 500, "lose": -900}, ["lose=null"]),
    ],
)
def test_what_the_answer_names(call, rules, assumed):
    answer = call("POST", "/bid", json=_request(rules)).json()
    found = [entry for entry in answer["assumed"] if entry.startswith("rules.")]
    assert found == [f"rules.{text}, error {nearest_errors()[text.partition('=')[0]]}" for text in assumed]


def test_what_is_refused(call):
    (error,) = call("POST", "/bid", json=_request({"bag_limit": 7, "approximate": False})).json()["errors"]
    assert error["pointer"] == "/rules/bag_limit"
    assert error["detail"] == (
        "bag_limit is 7, for which policy winprob has no win table; accepted: 10, or any with approximate: true"
    )
    request = _request({"preset": "mirror"}, hand="AKJ.A32.QJ2.K954", previous_bids=[3, 1])
    (error,) = call("POST", "/bid", json=request).json()["errors"]
    assert (error["pointer"], error["code"]) == ("/rules/variant", "unsupported-rules")


def test_other_policies_need_no_table(call):
    answer = call("POST", "/bid", json=_request({"bag_limit": 7, "approximate": False}, policy="bis")).json()
    assert not any(entry.startswith("rules.") for entry in answer["assumed"])


def test_the_error_of_every_rule_is_measured():
    # No table serves another variant, and none is made for whiz with jokers. The games of the report are those of a
    # policy that bids no blind numbers.
    measured = {*KEY_FIELDS} - {"variant", "deck", "blind_min"}
    hint = "add a case to CASES in report/nearest_tables.py, and run its section of the report"
    assert nearest_errors().keys() == measured, hint
    assert all(0.0 <= error < 10.0 for error in nearest_errors().values())


def test_a_goal_shifts_a_game(call):
    """600 with -100 and 500 with -200 are one game: at scores that are equally far from the goals, the same bids."""
    for us, them in ((0, 0), (350, 420), (-150, 200), (480, 260)):
        answers = []
        for win, lose in ((500, -200), (600, -100), (300, -400)):
            more = win - 500
            request = _request({"win": win, "lose": lose}, scores={"us": us + more, "them": them + more})
            answers.append(call("POST", "/bid", json=request).json())
        assert len({str(answer["explanation"]["candidates"]) for answer in answers}) == 1


def test_a_similar_rule_gives_a_similar_chance():
    """A limit of 9 instead of 10 bags moves win chances a little, and not at all when the penalty is as near."""
    tables = committed_tables()
    assert FIELDS["lose"].values.json_of(NO_LOSING_GOAL) is None
    chances = []
    for limit in (9, 10):
        rules = {"bag_limit": limit}
        request = _request(rules, scores={"us": 203 + limit - 10, "them": 220, "us_bags": limit - 7, "them_bags": 0})
        call = read_bid(request, tables.games)
        made = decide(call.position, call.policy, tables, call.legal, True)
        assert made.explanation is not None
        chances.append(made.explanation["p_win"])
    assert abs(chances[0] - chances[1]) < 0.02
    assert make_rules("classic", {"bag_limit": 9}) != PRESETS["classic"]


@pytest.mark.parametrize("preset", ["classic", "whiz", "suicide", "jokers", "jjdd", "pass-2"])
@pytest.mark.parametrize("rules", [{"win": 1000}, {"win": 1000, "lose": -100}, {"bags": False}, {"win": 2000}])
def test_a_lead_counts_in_every_game(preset, rules):
    """So does the number of bags, unless the rules count none: then it is as if both sides had none."""
    tables = committed_tables()
    game = make_rules(preset, rules)
    nearest = tables.games.nearest(game)
    assert nearest is not None
    win = tables.arrays["win"]
    level, ahead = (win_probability(Standing(us, 0, 0, 0), nearest.win_slice, win) for us in (0, 200))
    assert 0.45 < level < 0.55
    assert ahead > level + 0.015 or game.win > 1000  # in suicide a round may bring 400 points
    assert table_bags(0, nearest.win_slice) == 0 or game.bags
