"""Matches in which a card player searches."""

import pytest

from arena.errors import ArenaError
from arena.match import Match
from arena.result import run_match
from spades.rules import make_rules

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("preset", ["classic", "pass-2"])
def test_with_nothing_to_decide_the_games_are_those_of_srp(preset):
    """In the last trick each seat has one card."""
    rules = make_rules(preset, {"win": 200, "lose": -100})
    searched, plain = (
        run_match(Match("bis", "rb", (player, "wrp"), pairs=12, rules=rules, seed=7)).record(timing=False)
        for player in ("search(deals=2, tricks=1)", "srp")
    )
    assert searched | {"players": plain["players"]} == plain


def test_a_search_wins_and_does_not_depend_on_threads():
    match = Match("bis", "bis", ("search:deals=24", "srp"), pairs=20, seed=3)
    one, two = run_match(match, 1), run_match(match, 2)
    assert one.record(timing=False) == two.record(timing=False)
    assert one.players == ["search@3(deals=24, tricks=13, bids=bis)", "srp@3"]
    assert one.win_rate > 0.5


@pytest.mark.parametrize(
    "player",
    [
        "search@1:deals=4,tricks=2",
        "search:deals=4,tricks=4",
        "search:deals=4,bids=none",
        "search:deals=4,bids=best",
    ],
)
@pytest.mark.parametrize("preset", ["classic", "pass-4", "jokers", "whiz"])
def test_every_option_plays_every_game_with_a_win_table(player, preset):
    rules = make_rules(preset, {"win": 100, "lose": -100})
    result = run_match(Match("bis", "bis", (player, "srp"), 2, rules))
    assert result.games == 4


def test_games_that_cannot_be_searched():
    with pytest.raises(ArenaError, match=r"variant is mirror with search@3\(.*\); accepted: partnership"):
        Match("bis", "bis", ("search", "srp"), rules=make_rules("mirror", {}))
