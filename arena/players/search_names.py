"""Read and write the name of the card player that searches: `search@3(deals=500, tricks=5, bids=none)`."""

from typing import NamedTuple

from arena.agent_text import AgentText, one_of, parse_text, read_options, whole
from spades.inference import BIDDERS

# By name, the version; `search` is the newest.
VERSIONS = {"search": 3, "search@1": 1, "search@3": 3}
NAMES = tuple(VERSIONS)
NO_BIDS = "none"
SEARCH_OPTIONS = (
    whole("deals", 1, 1_000_000, 1_000, "most deals for a decision of search@1; search@3 takes about as long"),
    whole("tricks", 1, 13, 13, "the last tricks of a round in which it searches; SRP 3 plays those before"),
    one_of("bids", (*BIDDERS, NO_BIDS), BIDDERS[0], "the policy by which it assumes that the others bid"),
)


class SearchPlayer(NamedTuple):
    """The options of SEARCH (`arena.players.search`), as `SEARCH_OPTIONS` describes them."""

    deals: int = 1_000
    tricks: int = 13
    bids: str = BIDDERS[0]  # NO_BIDS: it does not read the bids
    version: int = VERSIONS["search"]

    def __str__(self) -> str:
        options = {option.key: str(getattr(self, option.key)) for option in SEARCH_OPTIONS}
        return str(AgentText(f"search@{self.version}", options))


def parse_search(text: str) -> SearchPlayer | None:
    """Return the searching player that a text names, or None if it names none. Raises `AgentError`.

    >>> str(parse_search("search(deals=50)")), parse_search("srp")
    ('search@3(deals=50, tricks=13, bids=bis)', None)
    """
    parsed = parse_text(text)
    if parsed.name not in VERSIONS:
        return None
    return SearchPlayer(**read_options(parsed, SEARCH_OPTIONS), version=VERSIONS[parsed.name])
