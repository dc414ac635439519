"""Parse and format the texts of the card player that searches: `search@1:deals=500,tricks=5,bids=none`."""

import re
from typing import NamedTuple

from arena.players.names import PlayerError
from spades.arguments import integer
from spades.inference import BIDDERS

NAME = "search@1"
NAMES = ("search", NAME)
NO_BIDS = "none"
LIMITS = {"deals": (1, 1_000_000), "tricks": (1, 13)}


class SearchPlayer(NamedTuple):
    """The options of SEARCH (`arena.players.search`)."""

    deals: int = 1_000  # most deals for a decision
    tricks: int = 13  # the last tricks of a round in which it searches; SRP 3 plays those before
    bids: str = BIDDERS[0]  # the policy by which it assumes that the others bid; NO_BIDS: it does not read the bids

    def __str__(self) -> str:
        return f"{NAME}:" + ",".join(f"{option}={value}" for option, value in self._asdict().items())


def parse_search(text: str) -> SearchPlayer | None:
    """Return the searching player that a text names, or None if it names none.

    Raises `PlayerError` if an option is not accepted.

    >>> str(parse_search("search:deals=50")), parse_search("srp")
    ('search@1:deals=50,tricks=13,bids=bis', None)
    """
    name, colon, rest = text.partition(":")
    if name not in NAMES:
        return None
    values: dict[str, int | str] = {}
    for option in rest.split(",") if colon else ():
        key, _, value = option.partition("=")
        if key not in SearchPlayer._fields or key in values:
            accepted = ", ".join(f"{field}=VALUE" for field in SearchPlayer._fields)
            raise PlayerError(f"{text}: option is {option!r}; accepted: {accepted}, each at most once")
        values[key] = _number(text, key, value) if key in LIMITS else _bidder(text, value)
    return SearchPlayer()._replace(**values)  # type: ignore[arg-type]


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
