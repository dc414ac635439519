"""Matches in which a card player searches."""

import numpy as np
import pytest

from arena.engine.deal import Deals
from arena.engine.game import SUMS, Lineup
from arena.engine.selfplay import play_pairs
from arena.engine.simulate import kernel_tables, player_rows, policies_by_chair, tables_for
from arena.errors import ArenaError
from arena.match import PAPER_RULES, Match
from arena.result import run_match
from arena.searching import SearchMatch, SearchSettings, play_searching
from spades.policies import parse_policy
from spades.rules import make_rules
from tests.conftest import committed_tables

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("rules", [PAPER_RULES, make_rules("pass-2", {"win": 200, "lose": -100})])
def test_without_searching_the_games_are_those_of_self_play(rules):
    policies = policies_by_chair(parse_policy("bis"), parse_policy("rb"))
    profiles = kernel_tables(committed_tables().arrays)
    used = tables_for(profiles, rules, policies)
    won = tables_for(profiles, rules, [parse_policy("winprob")])[0]
    lineup = Lineup(policies, player_rows("srp", "wrp"))
    found = []
    for play in (0, 1):
        scores, sums = np.zeros((12, 2), np.int64), np.zeros(SUMS)
        if play:
            nobody = SearchSettings(*np.zeros((2, 4), np.int64))
            searching = SearchMatch(nobody, (None,) * 4, won, rules)
            play_searching(lineup, searching, Deals(7, 3, 15), rules, used, scores, sums)
        else:
            play_pairs(7, 3, 15, rules, lineup, used, scores, sums)
        found.append((scores, sums))
    assert np.array_equal(found[0][0], found[1][0])
    assert np.allclose(found[0][1], found[1][1])


def test_a_search_wins_and_does_not_depend_on_threads():
    match = Match("bis", "bis", ("search:deals=24", "srp"), pairs=20, seed=3)
    one, two = run_match(match, 1), run_match(match, 2)
    assert one.record(timing=False) == two.record(timing=False)
    assert one.players == ["search@1(deals=24, tricks=13, bids=bis)", "srp@3"]
    assert one.win_rate > 0.5


@pytest.mark.parametrize(
    "player",
    [
        "search:deals=4,tricks=2",
        "search:deals=4,bids=none",
        "search:deals=4,bids=best",
    ],
)
@pytest.mark.parametrize("preset", ["classic", "pass-4", "jokers", "whiz"])
def test_every_option_plays_every_game_with_a_win_table(player, preset):
    rules = make_rules(preset, {"win": 100, "lose": -100})
    result = run_match(Match("bis", "bis", (player, "srp"), 2, rules))
    assert result.games == 4


def test_matches_that_cannot_be_searched():
    with pytest.raises(ArenaError, match="outside bidder, a learned player or noise"):
        Match("bis", "bis", ("search", "srp"), noise=0.1)
    with pytest.raises(ArenaError, match="variant is mirror with a player that searches"):
        Match("bis", "bis", ("search", "srp"), rules=make_rules("mirror", {}))
