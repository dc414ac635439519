"""The card player that learned from a search: what its net sees, and the card that it plays."""

import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spades.card_net import ARRAYS, LEAST_GAINS, CardNet, gains, net_knows
from spades.cards import format_card, parse_card
from spades.contract.card_request import card_answer, read_card
from spades.contract.faults import RequestError
from spades.errors import TablesError
from spades.legal import BLIND_NIL, BLIND_NUMBER
from spades.play import PlayState, net_inputs, open_cards, play_card, srp4
from spades.play.distilled import check_net, first_layer, net_choice
from spades.play.net_inputs import CARD_INPUTS, POSITION_INPUTS
from spades.rules import CLASSIC, PRESETS, make_rules
from tests.arena.engine import states
from tests.conftest import committed_tables
from tests.spades.play.test_play import blindfolded, redealt
from tests.spades.play.test_touching import a_round

GROUPS = re.findall(r"^([A-Z_0-9]+) = ", Path(net_inputs.__file__).read_text(), re.MULTILINE)
OF_POSITIONS = GROUPS[: GROUPS.index("POSITION_INPUTS")]
OF_CARDS = GROUPS[len(OF_POSITIONS) + 1 : -1]


def named(numbers, groups):
    """Return the inputs as (group, place in the group)."""
    starts = {group: getattr(net_inputs, group) for group in groups}
    found = [max((start, group) for group, start in starts.items() if start <= number) for number in numbers]
    return {(group, number - start) for number, (start, group) in zip(numbers, found, strict=True)}


def inputs(state, me, card=None, usual=None, count=1):
    found = [0] * max(POSITION_INPUTS, CARD_INPUTS)
    if card is None:
        return named(found[: net_inputs.position_inputs(state, me, found)], OF_POSITIONS)
    names = parse_card(card), parse_card(usual or card)
    return named(found[: net_inputs.card_inputs(state, me, *names, count, found)], OF_CARDS)


def net():
    found = committed_tables().card_net
    assert found is not None
    return found


def midway(seed, cards=None):
    """Return a round of classic in which `srp@4` has played some cards, and the seat whose turn it is."""
    state = states.dealt(seed, 1)
    rng = random.Random(seed)
    state.bid[:] = [rng.choice((0, 2, 3, 4, 5)) for _ in range(4)]
    for _ in range(rng.randrange(48) if cards is None else cards):
        play_card(state, states.to_play(state), srp4(state, states.to_play(state)))
    return state, states.to_play(state)


def test_inputs_of_a_position_by_hand():
    state = a_round()
    state.bid[:], state.taken[:] = [5, 0, 4, 3], [1, 1, 0, 0]
    state.score[:], state.bags[:] = [300, 180], [4, 2]
    state.void[3] = 0b1000
    found = inputs(state, 0)
    assert {("NILS_4", 2 * 1 + 1), ("MISSING_4", 12 * 0 + 4 + 2), ("MISSING_4", 12 * 3 + 3 + 2)} <= found
    assert {("OUR_NEED", 8 + 5), ("THEIR_NEED", 3 + 5), ("LEFT", 11), ("SPARE", 0 + 6)} <= found
    assert {("OUR_DISTANCE", 200 // 25), ("THEIR_DISTANCE", 320 // 25), ("OUR_BAGS", 4), ("THEIR_BAGS", 2)} <= found
    assert {("AHEAD", (390 - 210) // 30 + 6), ("SPADELESS_3", 2), ("OWN_SPADE_COUNT", 5), ("TOP_SPADES", 2)} <= found
    assert {("TOP_CARDS", 1), ("SINGLES", 1), ("VOIDS", 0), ("TRICK_SIZE", 0), ("WINNER", 4)} <= found, (
        "AH alone is top"
    )
    assert not {("REACHES", 0), ("BROKEN", 0)} & found


def test_inputs_of_a_card_by_hand():
    state = a_round("KC", "2C")  # the hands of the test: seat 2 has QC and 6C
    state.bid[:] = [3, 3, 0, 3]
    state.void[3] = 0b0001
    found = inputs(state, 2, "QC", usual="6C", count=2)
    assert {("KIND", 1), ("AGAINST_BEST", 3), ("BEST_RANK", 11), ("NIL_BEHIND_4", 0), ("CHOICES", 2)} <= found
    assert {("RANK", 10), ("UNSEEN_ABOVE", 1), ("OWN_BELOW", 1), ("BESIDE_USUAL", 6 + 6)} <= found
    assert {("VOID_3", 0), ("MAY_RUFF_3", 0)} <= found
    assert not {("SURE", 0), ("IS_USUAL", 0), ("OVER_NIL", 0)} & found


def test_points_that_a_side_can_reach():
    state = a_round()
    for bids, taken, reached in (
        ((5, 0, 4, 3), (0, 0, 0, 0), 90),
        ((0, 1, 0, 3), (0, 0, 0, 0), 200),
        ((0, 1, 0, 3), (1, 0, 0, 0), 100),
        ((BLIND_NIL, 1, 4, 3), (0, 0, 0, 0), 240),
        ((BLIND_NUMBER + 6, 1, 4, 3), (0, 0, 0, 0), 200),
    ):
        state.bid[:], state.taken[:] = bids, taken
        for points in (500 - reached, 500 - reached - 1):
            state.score[:] = [points, 0]
            assert (("REACHES", 0) in inputs(state, 0)) == (points + reached >= 500), bids


def test_numbers_beyond_a_group_count_as_its_nearest_end():
    state = a_round()
    state.bid[:], state.score[:] = [13, 0, 13, 0], [-900, -900]
    assert {("OUR_NEED", 16), ("OUR_DISTANCE", 15), ("BIDS_4", 8)} <= inputs(state, 0)


@pytest.mark.parametrize("seed", range(12))
def test_the_player_sees_only_what_its_seat_may_see(seed):
    state, me = midway(seed)
    choice = net_choice(state, me, net())
    assert net_choice(blindfolded(state, me), me, net()) == choice
    assert net_choice(redealt(state, me, random.Random(seed)), me, net()) == choice


def test_another_card_is_played_only_for_a_gain():
    found = [net_choice(state, me, net()) for state, me in map(midway, range(150))]
    others = [choice for choice in found if choice.card != choice.usual]
    assert 5 < len(others) < 75
    assert min(choice.gain for choice in others) > LEAST_GAINS[5]
    assert {choice.gain for choice in found if choice.card == choice.usual} == {0.0}


def test_the_weights_are_whole_numbers_whose_sums_are_exact():
    arrays = committed_tables().arrays
    assert {arrays[name].dtype.str for name in ARRAYS} == {"<i2"}
    weights = [np.abs(array).astype(np.float64) for array in net()]
    most = weights[0].sum(axis=0) + weights[1].sum(axis=0)
    most = most @ weights[2][:-1] + 1024 * weights[2][-1]
    assert float((most @ weights[3])[0]) < 2.0**53


def test_a_net_by_hand():
    """A net that counts the card's rank against that of the usual one."""
    state, me = a_round(), 0
    width = 1
    card = np.zeros((CARD_INPUTS, width))
    card[net_inputs.RANK : net_inputs.RANK + 13, 0] = 1024.0 * np.arange(13)
    ranks = CardNet(np.zeros((POSITION_INPUTS + 1, width)), card, np.array([[1024.0], [0.0]]), np.array([[1024.0]]))
    cards = [parse_card(name) for name in ("2S", "AS", "QD")]
    assert gains(ranks, first_layer(ranks, state, me, cards)).tolist() == pytest.approx([0.0, 1.2, 1.0])


def test_touching_cards_are_one_choice():
    state, me = midway(4, 0)
    legal, cards = sum(1 << card for card in states.legal_now(state)), [0] * 13
    count = open_cards(cards, legal, srp4(state, me), 0)
    assert count == len({card >> 4 for card in states.legal_now(state)})


def test_which_rules_it_knows():
    assert net_knows(CLASSIC)
    assert net_knows(make_rules("classic", {"win": 250, "lose": -200, "blind_nil": True}))
    assert {name for name, rules in PRESETS.items() if net_knows(rules)} == {
        "classic",
        "blind-nil",
        "board-4",
        "quick",
        "short",
        "single-nil",
    }
    assert not net_knows(make_rules("classic", {"nil_points": 50}))


# ---- requests --------------------------------------------------------------------------------------------------------


def request(seed=0, **fields):
    state, me = midway(seed, 0)
    assert isinstance(state, PlayState)
    hand = [format_card(card) for card in range(64) if state.hand[me] >> card & 1]
    return {"hand": hand, "bids": [3, 3, 3, 3], "seat": me, **fields}


def answer(**fields):
    return card_answer(read_card(request(**fields)), committed_tables())


def test_it_is_the_best_player_that_does_not_search():
    for fields in ({}, {"player": "distilled@1"}, {"rules": {"win": 200}}):
        found = answer(**fields)
        assert (found["player"], found["tables"]) == ("distilled@1", committed_tables().version)
    others: tuple[dict[str, Any], ...] = (
        {"player": "srp@4"},
        {"rules": {"preset": "suicide"}, "bids": [0, 4, 4, 0]},
    )
    for fields in others:
        found = answer(**fields)
        assert found["player"].startswith("srp@4")
        assert "tables" not in found


def test_levels_below_it_are_those_of_the_player_by_rules():
    names = ["distilled@1", "distilled@1(level=4)", "srp@4", "srp@4(level=4)", "srp@4(level=3)"]
    assert [answer(level=level)["player"] for level in (5, 4, 3, 2, 1)] == names
    beside_search = [
        card_answer(read_card(request(level=level)), committed_tables(), "busy", searches=True)["player"]
        for level in (5, 4, 3, 1)
    ]
    assert beside_search == ["distilled@1", "distilled@1(level=4)", "srp@4", "srp@4(level=4)"]


def test_another_card_has_its_gain_as_reason():
    for seed in range(40):
        found = answer(seed=seed)
        first = found["reasons"][0]
        if first["code"] == "net-better":
            assert found["card"] == first["card"] != first["usual"]
            assert first["gain"] >= 100 * LEAST_GAINS[5] - 0.05
            assert first["usual"] == answer(seed=seed, player="srp@4")["card"]
            return
    pytest.fail("the net prefers no other card in 40 first leads")


@pytest.mark.parametrize(
    ("fields", "pointer", "detail"),
    [
        (
            {"rules": {"preset": "whiz"}, "bids": [3, 3, 3, 3]},
            "/player",
            "player is distilled@1, whose net does not know these rules; accepted: best, srp@4",
        ),
        ({"level": 3}, "/level", "level is 3 with player distilled@1; accepted: 4..5, or player best"),
        ({"deals": 9}, "/deals", "deals is present; accepted: only with player best, search@1, search@3"),
    ],
)
def test_what_it_cannot_do(fields, pointer, detail):
    with pytest.raises(RequestError) as refused:
        read_card(request(player="distilled@1", **fields))
    assert (pointer, detail) in [(fault.pointer, fault.detail) for fault in refused.value.faults]


def test_a_net_that_the_code_cannot_read():
    check_net(net())
    with pytest.raises(TablesError, match=rf"card_net_card\.npy: found shape \({CARD_INPUTS - 1}, 256\)"):
        check_net(net()._replace(card=net().card[1:]))
    arrays = {name: array for name, array in committed_tables().arrays.items() if name != ARRAYS[2]}
    with pytest.raises(TablesError, match=r"found no file card_net_hidden\.npy"):
        _ = replace(committed_tables(), arrays=arrays).card_net


def test_tables_without_the_net():
    arrays = {name: array for name, array in committed_tables().arrays.items() if name not in ARRAYS}
    tables = replace(committed_tables(), arrays=arrays)
    assert tables.card_net is None
    assert card_answer(read_card(request()), tables)["player"] == "srp@4"
    with pytest.raises(RequestError, match="have no net for it; accepted: best, srp@4"):
        card_answer(read_card(request(player="distilled@1")), tables)
