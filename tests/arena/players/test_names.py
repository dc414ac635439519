"""The players of the tables: each family that records its player names one of two versions."""

from arena.players.names import CUTTHROAT_PLAYER, TABLES_PLAYER, format_player, parse_player
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
