"""The figures of a match as a page shows them, its speed, and the query that a page may ask for by name."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, NamedTuple

import report
from arena.agents import parse_agent
from arena.called.searching import SearchPlayer
from arena.errors import BuildError
from arena.markdown import gain
from arena.match import Match
from arena.result import MatchResult, run_match
from report.reads import BIS_FIELDS
from report.setup import Setup

Values = Mapping[str, Any]  # JSON values by name


class Query(NamedTuple):
    """A function that measures figures, and the arrays that it reads."""

    measure: Callable[..., Values]
    reads: Callable[..., Collection[str]]  # takes what the function takes


QUERIES: dict[str, Query] = {}


def query(*reads: str | Callable[..., Collection[str]]) -> Callable[[Callable[..., Values]], Callable[..., Values]]:
    """Return a decorator: pages may then ask for the function by its name.

    The function takes the `Setup`, then the arguments that the page gives, and returns JSON values by name. ``reads``:
    names of arrays, or functions that return them and take the same arguments.
    """

    def names(*arguments: Any) -> Iterator[str]:
        for one in reads:
            yield from [one] if isinstance(one, str) else one(*arguments)

    def register(function: Callable[..., Values]) -> Callable[..., Values]:
        QUERIES[function.__name__] = Query(function, lambda *arguments: set(names(*arguments)))
        return function

    return register


def find_query(name: str) -> Query:
    """Return the query ``name`` of a module of this package. Raises `BuildError`."""
    for module in iter_modules(report.__path__, "report."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    if name not in QUERIES:
        raise BuildError(f"query is {name!r}; accepted: {', '.join(sorted(QUERIES))}")
    return QUERIES[name]


class MatchFigures:
    """The figures of a match, with the digits of a page: percent, points and tricks.

    A rate is None without any case, such as the nils made if nobody bid nil. `dash` shows it.
    """

    def __init__(self, name: str, values: Values) -> None:
        self.name, self.values = name, values

    def __getattr__(self, key: str) -> Any:
        """Return a value of `values_of`, such as ``pairs``."""
        if key not in self.values:
            raise BuildError(f"found no {key} among the kept figures of {self.name}; measure its section again")
        return self.values[key]

    @property
    def rate(self) -> str:
        """The win rate of side a with its interval, in percent."""
        return _interval(self.wins)

    @property
    def rate_of_b(self) -> str:
        """The win rate of side b with its interval, in percent."""
        rate, low, high = self.wins
        return _interval([100 - rate, 100 - high, 100 - low])

    @property
    def by_points(self) -> str:
        """The points per round of both sides."""
        return _both(self.points)

    @property
    def difference(self) -> str:
        """The points per round of side a minus those of side b, with the interval if it has one."""
        mean, *ends = self.gain
        return gain(mean, ends or None, 1)

    @property
    def both_nils(self) -> str:
        """The nils of both sides, in percent of bids."""
        return _both([self.nils_a, self.nils_b])

    @property
    def both_made(self) -> str:
        """The nils made of both sides, in percent of nils."""
        return _both([self.made_a, self.made_b])

    @property
    def both_sets(self) -> str:
        """The contracts set of both sides, in percent of contracts."""
        return _both([self.sets_a, self.sets_b])


def values_of(result: MatchResult, ms_a_card: str | None = None) -> dict[str, Any]:
    """Return what is kept of a match as JSON values: rates in percent, and None for a rate without any case."""
    mean, ends = result.points_difference, result.points_difference_ci95 or ()
    blind = next((row for row in result.bids if (row["side"], row["bid"]) == ("a", "blind_nil")), None)
    nils, made, sets = map(_percent, (result.nil_rate, result.nil_success, result.set_rate))
    return {
        "players": result.players,
        "pairs": result.pairs,
        "wins": _percent([result.win_rate, *result.ci95]),
        "points": [round(points, 1) for points in result.points_per_round],
        "gain": [round(points, 1) for points in (mean, *ends)],
        "nils_a": nils[0],
        "nils_b": nils[1],
        "made_a": made[0],
        "made_b": made[1],
        "sets_a": sets[0],
        "sets_b": sets[1],
        "sum_of_bids": None if result.sum_of_bids is None else round(result.sum_of_bids, 2),
        "legal_cards": None if result.legal_cards is None else round(result.legal_cards, 2),
        "blind_nils": round(100 * blind["bids"] / result.games, 1) if blind else 0.0,  # of side a, per 100 games
        "blind_made": _percent([blind["made"]])[0] if blind else None,
        "ms_a_card": ms_a_card,
    }


def _percent(rates: Sequence[float | None]) -> list[float | None]:
    return [None if rate is None else round(100 * rate, 1) for rate in rates]


def _interval(percents: Sequence[float]) -> str:
    return "{:.1f} [{:.1f}, {:.1f}]".format(*percents)


def _both(values: Sequence[float | None]) -> str:
    return " : ".join(map(dash, values))


def dash(value: float | None, digits: int = 1) -> str:
    """Return a number as text, or a dash for None.

    >>> dash(50), dash(None), dash(3.678, 2)
    ('50.0', '-', '3.68')
    """
    return "-" if value is None else f"{value:.{digits}f}"


def ms_a_card(setup: Setup, match: Match, result: MatchResult) -> str | None:
    """Return the mean ms for a card of the searching players on one core; None if no player searches.

    It is the time of a round, divided by the number of cards that the two seats of such a player play in the tricks in
    which it searches.
    """
    players = (parse_agent(text).called for text in result.players)
    tricks = sum(player.tricks for player in players if isinstance(player, SearchPlayer))
    if not tricks:
        return None
    seconds = result.seconds * min(setup.jobs, match.chunks)
    ms = 1e3 * seconds / (2 * tricks * result.rounds)
    return f"{ms:,.0f}" if ms >= 10 else f"{ms:.2g}"


@query(*BIS_FIELDS)
def speed(setup: Setup, player: str, share: int) -> dict[str, Any]:
    """Return rounds per second on one thread, with ``player`` on side a and SRP on side b.

    They play the report's pairs, divided by ``share``.
    """
    result = run_match(Match("bis", "bis", (player, "srp"), max(1, setup.pairs // share), seed=setup.seed))
    return {"rounds_a_second": round(result.rounds / result.seconds)}
