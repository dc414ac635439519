"""Win tables: their place, the cell of a score, and value iteration compared with a linear system."""

import itertools
import json
import subprocess
import sys

import numpy as np
import pytest

from arena.engine.winprob import slice_of
from spades.bidder import decide
from spades.contract.bid_request import read_bid
from spades.rules import NO_LOSING_GOAL, PRESETS, Rules, make_rules, overrides_of
from spades.scoring import Standing
from spades.winprob.games import (
    BAGS,
    SHIPPED,
    SHIPPED_PRESETS,
    SHIPPED_ROWS,
    SHIPPED_SLICES,
    WIN_CELLS,
    WON_VARIANTS,
    WinTableSlice,
    cells_of,
    games_of,
    key_of,
    win_slice_of,
)
from spades.winprob.outcomes import WIN_SCALE, win_array, win_probability, win_probability_after
from tables.win import BUCKETS, RESIDUAL, kept_outcomes, solve
from tests.conftest import committed_tables
from tests.more_games import MORE, MORE_ROWS


def test_tables_stand_one_after_the_other(neutral):
    places = sorted(set(SHIPPED_SLICES.values()), key=lambda place: place.start)
    ends = [place.start + cells_of(place) for place in places]
    assert [place.start for place in places] == [0, *ends[:-1]]
    assert ends[-1] == WIN_CELLS
    for rules, place in SHIPPED_SLICES.items():
        assert slice_of(rules, neutral.plain) == place == SHIPPED[key_of(rules)]
        assert place.unit * (place.floor + place.size) == rules.win
        if rules.lose != NO_LOSING_GOAL:
            assert place.unit * place.floor <= rules.lose + 1 < place.unit * (place.floor + 1)
    assert slice_of(make_rules("classic", {"win": 400}), neutral.plain).start == -1
    assert all(slice_of(rules, neutral.plain).start == -1 for rules in MORE)


def test_more_games_are_told_by_their_rows(fitted):
    games = games_of(MORE_ROWS)
    for rules, place in MORE.items():
        assert slice_of(rules, fitted.plain) == place == games[key_of(rules)]
        assert games.nearest(rules) == (place, ())
        assert slice_of(rules._replace(blind_nil=1), fitted.plain) == place  # what may be bid tells no game
        assert slice_of(rules._replace(failed_nil_tricks=2, nil=1), fitted.plain).start == -1
    no_bags = make_rules("no-bags", {"win": 200, "lose": -200})
    assert slice_of(no_bags._replace(bag_limit=6, bag_penalty=60), fitted.plain) == MORE[no_bags]


@pytest.mark.parametrize(
    ("preset", "overrides", "place"),
    [
        ("classic", {"win": 400}, WinTableSlice(-15, 55, 0, 10, 10, 1)),
        (
            "five-bags",
            {},
            WinTableSlice(-30, 130, 0, 5, 5, 1),
        ),  # five bags take 50 and the five points that they brought
        ("no-bags", {"lose": -200}, WinTableSlice(-20, 70, 0, 1, 10, 1)),
        (
            "classic",
            {"win": 55, "lose": -55, "bag_limit": 2, "bag_penalty": 13},
            WinTableSlice(-54, 109, 0, 2, 1, 1),
        ),
        ("classic", {"win": 200, "nil_points": 75}, WinTableSlice(-30, 70, 0, 10, 5, 1)),
    ],
)
def test_where_one_more_game_stands(preset, overrides, place):
    assert win_slice_of(make_rules(preset, overrides), 0) == place


@pytest.mark.parametrize(
    ("preset", "overrides", "told"),
    [
        ("mirror", {}, "variant is mirror; accepted: partnership"),
        ("classic", {"bag_limit": 11}, "bag_limit is 11; accepted: at most 10"),
        ("classic", {"bag_penalty": 99}, "at most 4000000"),
        ("classic", {"win": 205}, "win is 205; accepted: multiples of 10"),
        ("classic", {"nil_points": 0}, "nil_points is 0"),
    ],
)
def test_games_that_have_no_place(preset, overrides, told):
    with pytest.raises(ValueError, match=told):
        win_slice_of(make_rules(preset, overrides), 0)


def test_the_cell_of_a_score_in_rows_of_five():
    """By hand: five bags at 50; 123 points with three bags are 120, row 24 above -150's 30."""
    rules = make_rules("five-bags", {"win": 200})
    place = win_slice_of(rules, 7)
    win = np.zeros(7 + place.size**2 * 25, np.uint16)
    table = win[7:].reshape(place.size, place.size, 5, 5)
    table[30 + 24, 30 + 11, 3, 2] = round(0.75 * WIN_SCALE)
    assert win_probability(Standing(123, 57, 3, 2), place, win) == pytest.approx(0.75, abs=1e-5)
    assert win_probability(Standing(125, 59, 3, 2), place, win) == pytest.approx(0.75, abs=1e-5)  # the nearest fives
    assert win_probability(Standing(126, 57, 3, 2), place, win) == 0.0


def test_every_preset_has_a_table_where_bids_are_chosen():
    for preset, rules in PRESETS.items():
        nearest = SHIPPED.nearest(rules)
        assert (nearest is None) == (rules.variant not in WON_VARIANTS), preset
        assert preset not in SHIPPED_PRESETS or (nearest is not None and nearest.instead == ()), preset


NEW_PRESETS = {
    "min-1": {"min_bid": 1},
    "eight-bags": {"bag_limit": 8},
    "narrow": {"win": 350, "lose": -170},
    "whiz-350": {"win": 350, "lose": -170, "variant": "whiz"},
}
WITH_NEW_PRESETS = """
import json, sys
from spades import rules

new, requests = json.loads(sys.argv[1])
rules.PRESETS.update({preset: rules.make_rules("classic", overrides) for preset, overrides in new.items()})
from spades.winprob.games import SHIPPED, SHIPPED_ROWS
from tests.spades.winprob.test_winning import answers

instead = {preset: SHIPPED.nearest(rules.PRESETS[preset]).instead for preset in new}
print(json.dumps([SHIPPED_ROWS, answers(requests), instead]))
"""


def answers(rules):
    """Return the bid and the candidates of `winprob` for one hand under each of ``rules``, as in a request."""
    tables = committed_tables()
    request = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [4, 4], "seat": 2, "policy": "winprob"}
    request["scores"] = {"us": 153, "them": 121}
    calls = [read_bid({**request, "rules": fields}, tables.games) for fields in rules]
    made = [decide(call.position, call.policy, tables) for call in calls]
    return [[decision.bid, (decision.explanation or {})["candidates"]] for decision in made]


@pytest.mark.slow
def test_a_new_preset_changes_no_other_game():
    """`win` and all answers stay the same. A preset without a table gets the values of the nearest one."""
    known = [{"preset": preset} for preset in SHIPPED_PRESETS]
    arguments = json.dumps([NEW_PRESETS, known + [{"preset": preset} for preset in NEW_PRESETS]])
    command = [sys.executable, "-c", WITH_NEW_PRESETS, arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    rows, answered, instead = json.loads(done.stdout)
    assert rows == [list(row) for row in SHIPPED_ROWS]
    assert answered == json.loads(json.dumps(answers([*known, *NEW_PRESETS.values()])))
    assert instead == {
        "min-1": [["min_bid", 0]],
        "eight-bags": [["bag_limit", 10]],
        "narrow": [["lose", -250]],
        "whiz-350": [["lose", NO_LOSING_GOAL]],
    }


def test_the_shipped_games_are_presets():
    assert {*SHIPPED_PRESETS} <= PRESETS.keys()


@pytest.mark.parametrize(
    ("overrides", "table"),
    [
        ({"win": 400}, (1000, NO_LOSING_GOAL)),
        ({"win": 200, "blind_nil": True}, (1000, NO_LOSING_GOAL)),
        ({"win": 200, "lose": -200}, (300, -100)),
        ({"win": 100, "lose": -300}, (300, -100)),
        ({"win": 500, "lose": -200}, (600, -100)),
    ],
)
def test_games_between_goals_as_far_apart_share_a_table(overrides, table):
    """By hand: the row of a score is as far from the last row as the score is from the goal."""
    rules = make_rules("classic", overrides)
    nearest = SHIPPED.nearest(rules)
    assert nearest is not None
    place, instead = nearest
    own = SHIPPED_SLICES[Rules(win=table[0], lose=table[1])]
    assert instead == ()
    assert place == own._replace(floor=own.floor + (rules.win - table[0]) // 10)
    assert 10 * (place.floor + place.size) == rules.win


@pytest.mark.parametrize(
    ("preset", "overrides", "instead"),
    [
        ("classic", {"win": 1100}, {"win": 1000}),
        ("classic", {"win": 205}, {"win": 210}),
        ("classic", {"win": 540, "lose": -100}, {"lose": -160}),  # 700 points between the goals instead of 640
        ("classic", {"win": 700, "lose": -500}, {"lose": NO_LOSING_GOAL}),  # no table has 1,200 points between them
        ("classic", {"bag_penalty": 105}, {"bag_penalty": 100}),
        ("bis-paper", {"win": 300}, {"bag_penalty": 100}),
        ("classic", {"nil_points": 55}, {"nil_points": 50}),
        ("classic", {"nil_points": 150}, {"nil_points": 100}),
        ("classic", {"bag_limit": 7, "lose": -100, "win": 250}, {"bag_limit": 10}),
        ("classic", {"bag_limit": 100, "bag_penalty": 1000}, {"bag_limit": 10, "bag_penalty": 100}),
        ("five-bags", {"bag_limit": 6}, {"bag_limit": 5}),
        ("classic", {"bags": False, "win": 70}, {}),
        ("jokers-deuce", {"win": 300}, {}),
        ("jjdd", {"deck": "jjdd-spade"}, {}),
        ("classic", {"nil_pass": 1}, {"nil_pass": 0}),
        ("classic", {"nil_pass": 3}, {"nil_pass": 2}),
        ("suicide", {"win": 300}, {"lose": -400}),
    ],
)
def test_the_nearest_table(preset, overrides, instead):
    nearest = SHIPPED.nearest(make_rules(preset, overrides))
    assert nearest is not None
    assert dict(nearest.instead) == instead


def test_bags_are_counted_from_the_penalty():
    """By hand: with six of seven bags one is missing, as with nine of ten; 123 points with three bags are row 12."""
    nearest = SHIPPED.nearest(make_rules("classic", {"win": 200, "lose": -100, "bag_limit": 7}))
    assert nearest is not None
    place, instead = nearest
    assert dict(instead) == {"bag_limit": 10}
    win = np.zeros(WIN_CELLS, np.uint16)
    table = win[place.start : place.start + place.size**2 * BAGS**2].reshape(place.size, place.size, BAGS, BAGS)
    table[12 - place.floor, 5 - place.floor, 9, 3] = round(0.75 * WIN_SCALE)
    assert win_probability(Standing(126, 50, 6, 0), place, win) == pytest.approx(0.75, abs=1e-5)


def test_the_cell_of_a_score():
    rules = Rules(win=200, lose=-100)
    place = SHIPPED_SLICES[rules]
    win = np.zeros(WIN_CELLS, np.uint16)
    table = win[place.start : place.start + place.size**2 * BAGS**2].reshape(place.size, place.size, BAGS, BAGS)
    table[12 - place.floor, 5 - place.floor, 3, 7] = round(0.75 * WIN_SCALE)
    table[0, place.size - 1, 0, 9] = round(0.25 * WIN_SCALE)
    assert win_probability(Standing(123, 57, 3, 7), place, win) == pytest.approx(0.75, abs=1e-5)
    assert win_probability(Standing(127, 54, 3, 7), place, win) == pytest.approx(0.75, abs=1e-5)  # the nearest tens
    assert win_probability_after(Standing(123, 57, 3, 7), 1, place, rules, win) == pytest.approx(0.75, abs=1e-5)
    assert win_probability_after(Standing(57, 123, 7, 3), 0, place, rules, win) == pytest.approx(0.25, abs=1e-5)
    assert win_probability(Standing(-98, 199, 0, 9), place, win) == pytest.approx(0.25, abs=1e-5)
    assert win_probability_after(Standing(200, 190, 0, 0), 0, place, rules, win) == 1.0
    assert win_probability_after(Standing(210, 212, 0, 2), 1, place, rules, win) == 0.0
    assert win_probability_after(Standing(-100, 20, 0, 0), 1, place, rules, win) == 0.0


def test_value_iteration_solves_the_chain():
    """A game to 20 with losing goal -10 and four outcomes per round, against a linear system of its 900 scores."""
    rules = make_rules("classic", {"win": 20, "lose": -10, "bag_penalty": 20})
    place = WinTableSlice(-1, 3, 0)
    rounds = [((1, 0, 1, 2), 0.4), ((-1, 0, 1, 1), 0.2), ((1, 3, 0, 0), 0.3), ((0, 1, -2, 0), 0.1)]
    found = np.zeros((BUCKETS, BUCKETS, 5, 4), np.int16)
    share = np.zeros((BUCKETS, BUCKETS, 5))
    for k, (outcome, p) in enumerate(rounds):
        found[:, :, k], share[:, :, k] = outcome, p
    value, change, _ = solve(rules, place, found, share)
    assert change < RESIDUAL

    states = [
        (10 * i + b, b, 10 * j + c, c)
        for i, j in itertools.product(range(-1, 2), repeat=2)
        for b in range(10)
        for c in range(10)
    ]
    number = {state: n for n, state in enumerate(states)}
    playing = np.array([us > -10 and them > -10 for us, _, them, _ in states])
    matrix, right = np.eye(len(states)), np.where(playing, 0.0, 0.5)  # beyond the losing goal only ties go on

    def moved(score: int, bags: int, tens: int, more: int) -> tuple[int, int]:
        score, bags = score + 10 * tens + more, bags + more
        return (score - 20, bags - 10) if bags >= 10 else (score, bags)

    for n, (us, b, them, c) in enumerate(states):
        for (tens, more, their_tens, their_more), p in rounds if playing[n] else ():
            (a, x), (o, y) = moved(us, b, tens, more), moved(them, c, their_tens, their_more)
            if (max(a, o) >= 20 or min(a, o) <= -10) and a != o:
                right[n] += p * (a > o)
            else:
                clipped = [
                    (10 * min(max((score - bags) // 10, -1), 1) + bags, bags) for score, bags in ((o, y), (a, x))
                ]
                matrix[n, number[clipped[0] + clipped[1]]] += p
                right[n] += p
    exact = np.linalg.solve(matrix, right)
    ours = np.array([value[(us - b) // 10 + 1, (them - c) // 10 + 1, b, c] for us, b, them, c in states])
    assert np.abs(ours - exact)[playing].max() < 10 * RESIDUAL


def test_rare_outcomes_join_their_nearest():
    rows = np.array([[n, 0, 0, 0] for n in range(600) for _ in range(2 if n < 512 else 1)])
    found, share = kept_outcomes(rows)
    assert share.sum() == pytest.approx(1.0)
    assert share[list(found[:, 0]).index(511)] == pytest.approx((2 + 88) / len(rows))


@pytest.mark.parametrize("rules", SHIPPED_SLICES, ids=lambda rules: str(overrides_of(rules)))
def test_the_tables_that_ship(rules):
    """At equal scores the chances are nearly even. More points are not worse, except for the grouping of outcomes."""
    tables = committed_tables()
    place, win = SHIPPED_SLICES[rules], tables.arrays["win"]
    assert tables.families["win"].figures["residual"] < RESIDUAL
    # A side is better off if its opponents bid first, more so where partner's bid decides a nil under a pass.
    assert win_probability(Standing(0, 0, 0, 0), place, win) == pytest.approx(0.5, abs=0.03 if rules.nil_pass else 0.02)
    shape = (place.size, place.size, place.bags, place.bags)
    cells = win[place.start : place.start + cells_of(place)].reshape(shape) / WIN_SCALE
    inside = cells[1:, 1:]
    worse = -np.diff(inside, axis=0), np.diff(inside, axis=1)  # by ten points more of ours, ten fewer of theirs
    assert worse[0].max() < 0.02
    assert worse[1].max() < 0.035  # where bags are about to be too many, of which the buckets know nothing
    assert max((each > 0.02).mean() for each in worse) < 2e-4
    level = np.arange(1, place.size)
    assert cells[level, level, 0, 0] == pytest.approx(np.full(len(level), 0.5), abs=0.12)


@pytest.mark.parametrize(
    ("overrides", "instead", "bags"),
    [
        ({"bag_points": 0, "bag_penalty": 0}, (), 1),  # the game without bags
        ({"bag_points": -1, "bag_penalty": 0}, (("bag_points", 0),), 1),
        ({"bag_points": -1, "bag_penalty": 0, "bag_limit": 40}, (("bag_points", 0),), 1),
        ({"bag_points": 0}, (("bag_points", 1),), 10),
        ({"nil": False}, (("nil", 1),), 10),
        ({"nil": False, "nil_points": 25, "nil_pass": 2}, (("nil", 1),), 10),  # what nils are worth does not matter
        ({"set_points": "missing"}, (("set_points", 0),), 10),
        ({"slam_points": 100}, (("slam_points", 0),), 10),
        ({"double_nil_points": 500}, (("double_nil_points", -1),), 10),
    ],
)
def test_rules_without_a_table_use_the_most_similar_one(overrides, instead, bags):
    nearest = SHIPPED.nearest(make_rules("classic", overrides))
    assert nearest is not None
    assert (nearest.instead, nearest.win_slice.bags) == (instead, bags)


def test_bags_do_not_matter_without_points_and_penalty(fitted):
    """The same score is worth the same with any number of bags."""
    rules = make_rules("classic", {"bag_points": -1, "bag_penalty": 0, "win": 200})
    nearest = SHIPPED.nearest(rules)
    assert nearest is not None
    win = win_array(nearest.win_slice, fitted.plain)
    found = {
        win_probability_after(Standing(124, 90, bags, 9 - bags), 1, nearest.win_slice, rules, win) for bags in range(10)
    }
    assert len(found) == 1
