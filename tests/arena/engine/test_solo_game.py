"""Games of cutthroat: scores that move with their players, sums, who wins."""

import numpy as np
import pytest

from arena.counters import MATCH_SUMS, count_match
from arena.engine.deal import Deals
from arena.engine.results import cutthroat_winner
from arena.engine.rounds import Batch
from arena.engine.simulate import player_rows, policies_by_chair
from arena.games import ALONE, Lineup, play_pairs
from arena.players.names import parse_player, player_for
from spades.play import PlayState
from spades.policies import parse_policy
from spades.rules import CUTTHROAT, make_rules

RULES = make_rules("cutthroat")


@pytest.mark.parametrize(
    ("scores", "rules", "winner"),
    [
        ((299, 0, 0, 0), RULES, -1),
        ((0, 0, 300, 299), RULES, 2),
        ((300, 301, 0, 0), RULES, 1),
        ((310, 0, 310, 0), RULES, -1),  # a tie: the game goes on
        ((310, 310, 0, 311), RULES, 3),
        ((0, 0, 0, -200), RULES, -1),
        ((0, 5, 0, -200), make_rules("cutthroat", {"lose": -200}), 1),
        ((0, 5, 5, -200), make_rules("cutthroat", {"lose": -200}), -1),
        ((-201, -200, -300, -400), make_rules("cutthroat", {"lose": -200}), 1),
    ],
)
def test_winner(scores, rules, winner):
    assert cutthroat_winner(PlayState(seat_score=list(scores)), rules) == winner


@pytest.mark.compiled
@pytest.mark.parametrize(("before", "result"), [((0, 10, 0, 0), 0), ((0, 10, 0, 249), 1), ((0, 200, 0, 0), -1)])
def test_a_round_by_hand(before, result):
    """The chairs have a0, a1, b0, b1 in turn. Seat 0 is chair 1, so the seats are a1, b0, b1, a0."""
    assert ALONE == (0, 2, 1, 3)
    batch = Batch(RULES, np.zeros(1, np.int64), first_chairs=1)
    batch.rounds["scores"], batch.rounds["bags"] = before, (9, 0, 0, 0)
    batch.write_bids(np.array([[3, 0, 4, 5]]))
    batch.states["taken"], batch.states["choices"] = (4, 0, 3, 6), 170
    assert batch.score(np.array(ALONE) & 1).tolist() == [result]
    (row,) = batch.rounds
    assert row["points"].tolist() == [31 - 100, 100, -40, 51]
    assert row["bags_after"].tolist() == [0, 0, 0, 1]
    all_sums, points = np.zeros(1, MATCH_SUMS), np.zeros(1, np.int64)
    count_match(batch.rounds, batch.active, RULES, np.array(ALONE), points, all_sums)
    (sums,) = all_sums
    assert (sums["rounds"], sums["choices"]) == (1, 170)
    assert sums["points"].tolist() == [-69 + 51, 100 - 40]
    assert points.tolist() == [-69 + 51 - (100 - 40)]
    assert sums["nils"].tolist() == sums["nils_made"].tolist() == [0, 1]
    assert sums["contracts"].tolist() == [2, 1]
    assert sums["sets"].tolist() == [0, 1]
    assert sums["bags"].tolist() == [2, 0]
    assert sums["nil_patterns"][1 << 1, 0] == 1  # b0
    assert sums["bid_sums"][12, 0] == 1
    batch.go_on()  # scores and bags move with their owners
    assert row["scores"].tolist() == [before[1] + 100, before[2] - 40, before[3] + 51, before[0] - 69]
    assert row["bags"].tolist() == [0, 0, 1, 0]
    assert (row["first_chair"], row["number"]) == (2, 1)


@pytest.mark.compiled
def test_equal_bidders_win_half(fitted):
    """The two games of a pair are the same game with the sides' names exchanged."""
    bis = parse_policy("bis", CUTTHROAT)
    lineup = Lineup(policies_by_chair(bis, bis), player_rows("solo", "solo"))
    scores, sums = play_pairs(Deals(23, 0, 20), RULES, lineup, fitted.array_settings)
    assert (scores.sum(axis=1) == 0).all()
    (found,) = sums.view(MATCH_SUMS)
    assert found["games"] == 40
    assert found["points"][0] == found["points"][1]
    assert found["bids"][0] == found["bids"][1] == 2 * found["rounds"]


def test_usual_players():
    assert player_for(RULES) == "solo"
    assert player_for(make_rules()) == "srp"
    assert parse_player("solo").number == parse_player("solo@1").number
