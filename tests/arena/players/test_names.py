"""The players of the tables: each family that records its player names one of two versions. And players that went."""

import pytest

from arena.agents import parse_player_agent
from arena.errors import AgentError
from arena.players.names import CUTTHROAT_PLAYER, TABLES_PLAYER, format_player, parse_player
from arena.removed import PLAYERS as REMOVED
from tables.families import FAMILIES


def test_families_are_made_by_the_declared_players():
    found = {family.name: family.parameters["player"] for family in FAMILIES if "player" in family.parameters}
    for name, player in found.items():
        assert player == (CUTTHROAT_PLAYER if name.startswith("cutthroat") else TABLES_PLAYER)
    assert set(found.values()) == {CUTTHROAT_PLAYER, TABLES_PLAYER}


def test_the_declared_players_are_versions():
    """A name without a version would change its meaning with the next version."""
    for player in (CUTTHROAT_PLAYER, TABLES_PLAYER):
        assert format_player(parse_player(player)) == player


@pytest.mark.parametrize("name", REMOVED)
@pytest.mark.parametrize("options", ["", ":deals=9"])
def test_a_removed_player_says_where_its_code_is_and_what_is_accepted(name, options):
    with pytest.raises(AgentError) as refused:
        parse_player_agent(name + options).version()
    commit = "ab439ba3" if name == "q@2" else "cb6485b0"
    assert str(refused.value) == (
        f"player is '{name}{options}'; {name} was removed: its code is in commit {commit}, its figures in "
        f"docs/explanation/what-was-tried.md; accepted: {REMOVED[name]}, or another of docs/reference/policies.md"
    )
    assert parse_player_agent(REMOVED[name]).version()
