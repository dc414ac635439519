"""The player that learned from a search, in matches: it plays the cards of the service."""

import numpy as np
import pytest

from arena.called.card_net_player import DistilledAnswers
from arena.engine.rounds import Batch, to_play
from arena.engine.simulate import player_rows
from arena.engine.states import plain_state
from arena.errors import ArenaError
from arena.match import Match
from arena.questions import CARD, Asked
from arena.result import run_match
from spades.play import net_choice, srp4
from spades.rules import CLASSIC, make_rules
from tests.conftest import committed_tables

pytestmark = pytest.mark.compiled


def test_it_wins_and_does_not_depend_on_threads():
    match = Match("bis", "bis", ("distilled@1", "srp@4"), pairs=150, rules=make_rules("classic", {"win": 200}), seed=3)
    one, two = run_match(match, 1), run_match(match, 2)
    assert one.record(timing=False) == two.record(timing=False)
    assert one.players == ["distilled@1", "srp@4"]
    assert one.win_rate > 0.5


def test_the_cards_are_those_of_the_service():
    rules, net = CLASSIC._replace(win=200, lose=-100), committed_tables().card_net
    assert net is not None
    batch = Batch(rules, np.arange(64))
    batch.deal(5, player_rows("srp@4", "srp@4"))
    batch.set_scores(np.array([[120, 3, 80, 7]]).repeat(64, axis=0))
    batch.states["bid"] = np.random.default_rng(5).choice([0, 2, 3, 4], (64, 4))
    others = {5: 0, 4: 0}
    for place in range(0, 48, 3):
        states, seats = batch.states, to_play(batch.states)
        asked = Asked(CARD, states, batch.rounds, np.arange(64), seats, 0, rules)
        turns = [(plain_state(state), seat) for state, seat in zip(states, seats.tolist(), strict=True)]
        for level in (5, 4):
            chosen = [net_choice(state, seat, net, level) for state, seat in turns]
            assert DistilledAnswers(net, level).answers(asked).tolist() == [one.card for one in chosen]
            others[level] += sum(one.card != one.usual for one in chosen)
        for _ in range(3):
            batch.play(np.zeros((64, 4), np.int64), usual_cards(batch.states))
        assert batch.next_card.tolist() == [place + 3] * 64
    assert others[5] > 64 > others[4] > 0


def usual_cards(states):
    seats = to_play(states).tolist()
    return np.array([srp4(plain_state(state), seat) for state, seat in zip(states, seats, strict=True)])


def test_rules_that_it_does_not_know():
    with pytest.raises(
        ArenaError, match="rules are other than classic; accepted with distilled@1: classic, but with any goals"
    ):
        Match("bis", "bis", ("distilled@1", "srp@4"), rules=make_rules("pass-2", {}))
