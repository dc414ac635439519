"""Parse and format the texts of card players that search: `search@1:deals=500,tricks=5,bids=none`, `cover:lost=90`."""

import re
from typing import NamedTuple

from spades.arguments import integer
from spades.inference import BIDDERS
from tables.players.names import PlayerError

NO_BIDS = "none"
LIMITS = {"deals": (1, 1_000_000), "tricks": (1, 13), "solved": (1, 5), "lost": (1, 100)}


class SearchPlayer(NamedTuple):
    """The options of SEARCH (`tables.players.search`) or of COVER (`tables.players.cover`)."""

    deals: int = 1_000  # most deals for a decision
    tricks: int = 13  # the last tricks of a round in which it searches; SRP 3 plays those before
    bids: str = BIDDERS[0]  # the policy by which it assumes that the others bid; NO_BIDS: it does not read the bids
    solved: int = 0  # search@2: the last tricks of each deal that are played perfectly
    lost: int = 0  # cover@1: percent of the deals on which partner's nil must fail to be given up

    @property
    def name(self) -> str:
        """The name with its version."""
        return "cover@1" if self.lost else "search@2" if self.solved else "search@1"

    def __str__(self) -> str:
        _, options = PLAYERS[self.name]
        return f"{self.name}:" + ",".join(f"{option}={getattr(self, option)}" for option in options)


PLAYERS = {  # by name: the player with the defaults of its options, and the names of these options
    player.name: (player, options)
    for player, options in (
        (SearchPlayer(), ("deals", "tricks", "bids")),
        (SearchPlayer(solved=3), ("deals", "tricks", "bids", "solved")),
        (SearchPlayer(100, lost=95), ("deals", "bids", "lost")),
    )
}
NEWEST = {"search": "search@1", "cover": "cover@1"}


def parse_search(text: str) -> SearchPlayer | None:
    """Return the player that a text names, or None if it names no player of PLAYERS.

    Raises `PlayerError` if an option is not accepted.

    >>> str(parse_search("search:deals=50")), parse_search("srp")
    ('search@1:deals=50,tricks=13,bids=bis', None)
    """
    name, colon, rest = text.partition(":")
    name = NEWEST.get(name, name)
    if name not in PLAYERS:
        return None
    defaults, options = PLAYERS[name]
    values: dict[str, int | str] = {}
    for option in rest.split(",") if colon else ():
        key, _, value = option.partition("=")
        if key not in options or key in values:
            accepted = ", ".join(f"{field}=VALUE" for field in options)
            raise PlayerError(f"{text}: option is {option!r}; accepted: {accepted}, each at most once")
        values[key] = _number(text, key, value) if key in LIMITS else _bidder(text, value)
    return defaults._replace(**values)  # type: ignore[arg-type]


def _number(text: str, key: str, value: str) -> int:
    low, high = LIMITS[key]
    if not re.fullmatch("[0-9]{1,7}", value) or not low <= integer(value) <= high:
        raise PlayerError(f"{text}: {key} is {value!r}; accepted: {low} to {high}")
    return integer(value)


def _bidder(text: str, value: str) -> str:
    accepted = (*BIDDERS, NO_BIDS)
    if value not in accepted:
        raise PlayerError(f"{text}: bids is {value!r}; accepted: {', '.join(accepted)}")
    return value
