"""Parse and format the texts of card players: `wrp`, `srp`, `srp@1`, `solo`, `uct:5`, `uct:5,samples=400,c=100`.

A parsed player is two numbers, which go into the fields ``player`` and ``pieces`` of a play state
(`arena.engine.simulate.player_rows`). The formatted text goes into the result of a match.
"""

import re
from typing import NamedTuple

from arena.players.choose_card import IDS, UCT_IDS
from arena.players.uct import C_SHIFT, MOST_C, MOST_SAMPLES, SAMPLES_SHIFT, TRICKS_SHIFT, packed
from arena.removed import PLAYERS as REMOVED_PLAYERS
from arena.removed import what_became_of
from spades.play import ALL_PIECES
from spades.rules import CUTTHROAT, Rules

# The card player in the self-play of all fitted tables except those of cutthroat. To make the tables with another
# player, change this line.
TABLES_PLAYER = "srp@3"
CUTTHROAT_PLAYER = "solo@1"

# Measured against SRP 1 (docs/explanation/what-was-tried.md).
SAMPLES = 500  # iterations for each decision
C_POINTS = 200  # the constant C of `arena.players.uct`
LIMITS = {"samples": (1, MOST_SAMPLES), "c": (0, MOST_C)}
EXPECTED = f"{', '.join(IDS)}, or uct:TRICKS[,samples=N][,c=POINTS]"


class PlayerError(ValueError):
    """The text does not name a card player, or an option of it is not accepted."""


class Player(NamedTuple):
    """The two numbers by which a play state knows a card player.

    ``number`` is one of `choose_card.IDS` or `UCT_IDS`. ``pieces`` has a bit for each part of SRP that is switched on,
    and above these the options of UCT (`uct.packed`).
    """

    number: int
    pieces: int


def parse_player(text: str) -> Player:
    """Return the player that a text names. Raises `PlayerError`.

    >>> parse_player("srp")
    Player(number=3, pieces=4294967295)
    """
    if text in IDS:
        return Player(IDS[text], ALL_PIECES)
    name, _, rest = text.partition(":")
    if name in REMOVED_PLAYERS:
        others = "or another of docs/reference/policies.md"
        raise PlayerError(f"player is {text!r}; {what_became_of(name)}; accepted: {REMOVED_PLAYERS[name]}, {others}")
    if name not in UCT_IDS:
        raise PlayerError(f"player is {text!r}; accepted: {EXPECTED}")
    tricks, *options = rest.split(",")
    values = {"samples": SAMPLES, "c": C_POINTS}
    named = set()
    for option in options:
        key, _, number = option.partition("=")
        if key not in LIMITS or key in named:
            raise PlayerError(f"{text}: option is {option!r}; accepted: samples=N and c=POINTS, each at most once")
        values[key] = _number(text, key, number, *LIMITS[key])
        named.add(key)
    return Player(UCT_IDS[name], packed(_number(text, "tricks", tricks, 1, 13), values["samples"], values["c"]))


def format_player(player: Player) -> str:
    """Return the full text of a player, with its version and options; `parse_player` reads it back.

    >>> format_player(parse_player("uct:5,samples=400,c=90"))
    'uct@2:5,samples=400,c=90'
    """
    names = {number: name for name, number in (IDS | UCT_IDS).items() if name == "wrp" or "@" in name}
    name = names[player.number]
    if name not in UCT_IDS:
        return name
    pieces = player.pieces
    samples, c_points = pieces >> SAMPLES_SHIFT & MOST_SAMPLES, pieces >> C_SHIFT & MOST_C
    return f"{name}:{pieces >> TRICKS_SHIFT & 15},samples={samples},c={c_points}"


def player_for(rules: Rules) -> str:
    """Return the name of the card player that the tables for ``rules`` are made with."""
    return CUTTHROAT_PLAYER if rules.variant == CUTTHROAT else TABLES_PLAYER


def split_players(text: str) -> list[str]:
    """Split a comma-separated list of players; each option stays with its player.

    >>> split_players("uct:5,samples=400,srp")
    ['uct:5,samples=400', 'srp']
    """
    return re.split(r",(?!\w+=)", text)


def _number(text: str, name: str, number: str, low: int, high: int) -> int:
    if not (number.isascii() and number.isdecimal() and low <= int(number) <= high):
        raise PlayerError(f"{text}: {name} is {number!r}; accepted: {low} to {high}")
    return int(number)
