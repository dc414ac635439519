"""Read and write the names of compiled card players: `wrp`, `srp`, `srp@1`, `solo`, `uct(tricks=5, samples=400)`.

A parsed player is two numbers, which go into the fields ``player`` and ``pieces`` of a play state
(`arena.engine.simulate.player_rows`). The formatted text goes into the result of a match.
"""

import re
from typing import NamedTuple

from arena.agent_text import AgentText, parse_text, read_options, split_outside_brackets, whole
from arena.errors import AgentError
from arena.players.choose_card import IDS, LEVEL_SHIFT, SOLO2, SRP4, UCT_IDS
from arena.players.uct import C_SHIFT, MOST_C, MOST_SAMPLES, SAMPLES_SHIFT, TRICKS_SHIFT, packed
from spades.options import FULL_LEVEL
from spades.play import ALL_PIECES
from spades.rules import CUTTHROAT, Rules

# The card player in the self-play of all fitted tables except those of cutthroat. To make the tables with another
# player, change this line.
TABLES_PLAYER = "srp@4"
CUTTHROAT_PLAYER = "solo@2"

UCT_OPTIONS = (  # the defaults were measured against SRP 1
    whole("tricks", 1, 13, about="the last tricks of a round, which sampling decides"),
    whole("samples", 1, MOST_SAMPLES, 500, "iterations for each decision"),
    whole("c", 0, MOST_C, 200, "the constant C of `arena.players.uct`, in points"),
)
LEVEL_OPTIONS = (whole("level", 1, FULL_LEVEL, FULL_LEVEL, "strength; below 5 it forgets cards as people do"),)
EXPECTED = f"{', '.join(IDS)}, or uct(tricks=N); srp@4 and solo@2 may have a level"


class Player(NamedTuple):
    """The two numbers by which a play state knows a card player.

    ``number`` is one of `choose_card.IDS` or `UCT_IDS`. ``pieces`` has a bit for each part of SRP that is switched on,
    and above these the options of UCT (`uct.packed`) or the level of SRP 4 and solo 2.
    """

    number: int
    pieces: int


def parse_player(text: str) -> Player:
    """Return the player that a text names. Raises `AgentError`.

    >>> parse_player("srp")
    Player(number=3, pieces=4294967295)
    """
    parsed = parse_text(text)
    if parsed.name in UCT_IDS:
        return Player(UCT_IDS[parsed.name], packed(*read_options(parsed, UCT_OPTIONS).values()))
    number = IDS.get(parsed.name, -1)
    if parsed.options and number in (SRP4, SOLO2):
        level = read_options(parsed, LEVEL_OPTIONS)["level"]
        return Player(number, ALL_PIECES | (level << LEVEL_SHIFT if level < FULL_LEVEL else 0))
    if number < 0 or parsed.options:
        raise AgentError(f"player is {text!r}; accepted: {EXPECTED}")
    return Player(number, ALL_PIECES)


def format_player(player: Player) -> str:
    """Return the full text of a player, with its version and options; `parse_player` reads it back.

    >>> format_player(parse_player("uct(tricks=5, samples=400, c=90)"))
    'uct@2(tricks=5, samples=400, c=90)'
    """
    names = {number: name for name, number in (IDS | UCT_IDS).items() if name == "wrp" or "@" in name}
    name = names[player.number]
    pieces = player.pieces
    if name not in UCT_IDS:
        level = pieces >> LEVEL_SHIFT
        return str(AgentText(name, {"level": str(level)})) if level else name
    samples, c_points = pieces >> SAMPLES_SHIFT & MOST_SAMPLES, pieces >> C_SHIFT & MOST_C
    options = {"tricks": pieces >> TRICKS_SHIFT & 15, "samples": samples, "c": c_points}
    return str(AgentText(name, {key: str(value) for key, value in options.items()}))


def player_for(rules: Rules) -> str:
    """Return the name of the card player in matches with ``rules`` that name none."""
    return "solo" if rules.variant == CUTTHROAT else "srp"


def split_players(text: str) -> list[str]:
    """Split a list of players at its commas; each option stays with its player. Raises `AgentError`.

    >>> split_players("uct(tricks=5, samples=400),srp"), split_players("uct:5,samples=400,srp")
    (['uct(tricks=5, samples=400)', 'srp'], ['uct:5,samples=400', 'srp'])
    """
    players: list[str] = []
    for part in split_outside_brackets(text):
        if players and re.match(r"\w+=", part):  # an option in an earlier spelling
            players[-1] += f",{part}"
        else:
            players.append(part.strip())
    return players
