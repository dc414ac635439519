"""Read and write the name of the card player that searches: `search@1(deals=500, tricks=5, bids=none)`."""

from typing import NamedTuple

from arena.agent_text import AgentText, one_of, parse_text, read_options, whole
from spades.inference import BIDDERS

NAME = "search@1"
NAMES = ("search", NAME)
NO_BIDS = "none"
SEARCH_OPTIONS = (
    whole("deals", 1, 1_000_000, 1_000, "most deals for a decision"),
    whole("tricks", 1, 13, 13, "the last tricks of a round in which it searches; SRP 3 plays those before"),
    one_of("bids", (*BIDDERS, NO_BIDS), BIDDERS[0], "the policy by which it assumes that the others bid"),
)


class SearchPlayer(NamedTuple):
    """The options of SEARCH (`arena.players.search`), as `SEARCH_OPTIONS` describes them."""

    deals: int = 1_000
    tricks: int = 13
    bids: str = BIDDERS[0]  # NO_BIDS: it does not read the bids

    def __str__(self) -> str:
        return str(AgentText(NAME, {option: str(value) for option, value in self._asdict().items()}))


def parse_search(text: str) -> SearchPlayer | None:
    """Return the searching player that a text names, or None if it names none. Raises `AgentError`.

    >>> str(parse_search("search(deals=50)")), parse_search("srp")
    ('search@1(deals=50, tricks=13, bids=bis)', None)
    """
    parsed = parse_text(text)
    return SearchPlayer(**read_options(parsed, SEARCH_OPTIONS)) if parsed.name in NAMES else None
