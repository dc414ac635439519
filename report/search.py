"""The time that a card player which searches takes for a card."""

from arena.match import Match
from arena.players.search_names import parse_search
from arena.result import MatchResult
from report.setup import Setup


def ms_a_card(setup: Setup, match: Match, result: MatchResult) -> str | None:
    """Return the mean ms for a card of the searching players on one core; None if no player searches.

    It is the time of a round, divided by the number of cards that the two seats of such a player play in the tricks in
    which it searches.
    """
    tricks = sum(searching.tricks for searching in map(parse_search, result.players) if searching)
    if not tricks:
        return None
    seconds = result.seconds * min(setup.jobs, match.chunks)
    ms = 1e3 * seconds / (2 * tricks * result.rounds)
    return f"{ms:,.0f}" if ms >= 10 else f"{ms:.2g}"
