"""Card players as texts: `wrp`, `srp`, `srp@1`, `solo`, `uct:5`, `uct:5,samples=400,c=100`; parse and format.

Not the players themselves. What is parsed goes into a state's PLAYER and PIECES cells
(`tables.engine.simulate.player_rows`), what is formatted into a match's result.
"""

import re
from typing import NamedTuple

from service.bidding.game.rules import CUTTHROAT, Rules
from tables.players.choose_card import IDS, UCT1
from tables.players.srp1.goals import ALL_PIECES
from tables.players.uct import C_SHIFT, MOST_C, MOST_SAMPLES, SAMPLES_SHIFT, TRICKS_SHIFT, packed

UCT_NAMES = ("uct", "uct@1")
# Defaults from `python -m tables arena --a bis --b bis --players uct:5,samples=N,c=C,srp --pairs 3000 --seed 7`, on the
# tables of the first fit; points a round more than SRP, +-.7: with 200 samples C 50 3.7, 100 4.2, 200 4.4, 400 4.6; C
# 200 with 100, 200, 500 and 1,000 samples 3.9, 4.4, 4.9 and 5.1.
SAMPLES = 500  # a decision
C_POINTS = 200
LIMITS = {"samples": (1, MOST_SAMPLES), "c": (0, MOST_C)}
EXPECTED = f"{', '.join(IDS)}, or uct:TRICKS[,samples=N][,c=POINTS]"


class PlayerError(ValueError):
    """A text names no card player."""


class Player(NamedTuple):
    """A player's two cells of the state."""

    number: int
    pieces: int


def parse_player(text: str) -> Player:
    """The player of a text; raises `PlayerError`.

    >>> parse_player("srp")
    Player(number=4, pieces=511)
    """
    if text in IDS:
        return Player(IDS[text], ALL_PIECES)
    name, _, rest = text.partition(":")
    if name not in UCT_NAMES:
        raise PlayerError(f"unknown player {text!r}; expected one of {EXPECTED}")
    tricks, *options = rest.split(",")
    values = {"samples": SAMPLES, "c": C_POINTS}
    named = set()
    for option in options:
        key, _, number = option.partition("=")
        if key not in LIMITS or key in named:
            raise PlayerError(f"{text}: found option {option!r}; expected samples=N and c=POINTS, once each")
        values[key] = _number(text, key, number, *LIMITS[key])
        named.add(key)
    return Player(UCT1, packed(_number(text, "tricks", tricks, 1, 13), values["samples"], values["c"]))


def format_player(player: Player) -> str:
    """The full text of a player, version and options: the inverse of `parse_player`.

    >>> format_player(parse_player("uct:5,samples=400,c=90"))
    'uct@1:5,samples=400,c=90'
    """
    if player.number != UCT1:
        return next((name for name, number in IDS.items() if number == player.number and "@" in name), "wrp")
    pieces = player.pieces
    samples, c_points = pieces >> SAMPLES_SHIFT & MOST_SAMPLES, pieces >> C_SHIFT & MOST_C
    return f"uct@1:{pieces >> TRICKS_SHIFT & 15},samples={samples},c={c_points}"


def player_for(rules: Rules) -> str:
    """The player that the rules' tables are made with: of those for a side, or where each plays for herself."""
    return "solo@1" if rules.variant == CUTTHROAT else "srp@2"


def split_players(text: str) -> list[str]:
    """The players of a list set apart by commas, options left with their player.

    >>> split_players("uct:5,samples=400,srp")
    ['uct:5,samples=400', 'srp']
    """
    return re.split(r",(?!\w+=)", text)


def _number(text: str, name: str, number: str, low: int, high: int) -> int:
    if not (number.isascii() and number.isdecimal() and low <= int(number) <= high):
        raise PlayerError(f"{text}: {name} is {number!r}; expected {low}..{high}")
    return int(number)
