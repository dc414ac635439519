"""Measured win rates: the pairs that the catalogue needs, the file of results, and each policy's rates and sentence.

`python -m report --measure results` writes the file, strength.json beside this module. The service reads it once,
when it starts. docs/strength.md has the same figures, and more.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from spades.errors import ResultsError
from spades.policies import BEST, SERVED, decider_of, kind_of

RESULTS = Path(__file__).with_name("strength.json")


class Measured(NamedTuple):
    """The win rate of ``a`` against ``b``, percent of games; a row of the file."""

    a: str
    b: str
    win_percent: float
    interval_percent: list[float]  # 95%: low, high
    pairs: int  # duplicate pairs: each deal twice, with the sides swapped
    seed: int
    players: list[str]  # who played the cards on either side, with their versions
    rules: dict[str, Any]  # the rules that differ from preset classic
    tables: str  # version of the tables
    engine: str  # hash of the simulator's sources

    def __str__(self) -> str:
        """The rate and its interval.

        >>> str(Measured("rb", "io", 60.0, [59.5, 60.5], 100, 1, ["wrp", "wrp"], {}, "", ""))
        '60.0 [59.5, 60.5]'
        """
        low, high = self.interval_percent
        return f"{self.win_percent:.1f} [{low:.1f}, {high:.1f}]"


Results = Mapping[tuple[str, str], Measured]


def texts_of_catalogue(name: str) -> list[str]:
    """Return the policy texts under which the catalogue lists a policy.

    >>> texts_of_catalogue("bis"), texts_of_catalogue("best")
    (['bis', 'bis:tuned'], ['best'])
    """
    return [name, f"{name}:tuned"] if name != BEST and kind_of(name).tuned else [name]


def pairs_to_measure() -> list[tuple[str, str]]:
    """Return the pairs of policy texts whose win rates the catalogue gives."""
    texts = [text for name in SERVED for text in texts_of_catalogue(name)]
    return list(dict.fromkeys(pair for text in texts for pair in _pairs_of(text)))


def win_rates_of(text: str, results: Results) -> list[Measured]:
    """Return the win rates of the policy ``text`` (it is ``a`` in each); raise `ResultsError` if one is missing.

    `best` has the win rates of the policy that decides for it under the rules of these games.
    """
    text = decider_of(text, True)
    return [row if row.a == text else _from_the_other_side(row) for row in _rows_of(text, results)]


def strength_of(text: str, results: Results) -> str:
    """Return a sentence about how often the policy ``text`` wins; raise `ResultsError` if a win rate is missing.

    `ResultsError` is also raised if the win rates were measured under different conditions.
    """
    text = decider_of(text, True)
    rows = _rows_of(text, results)
    if not rows:
        return "not measured"
    conditions = {f"{row.players[0]}, goals {row.rules.get('win')}/{row.rules.get('lose')}" for row in rows}
    if len(conditions) > 1:
        raise ResultsError(f"found win rates of {text} under different conditions: {'; '.join(sorted(conditions))}")
    source = f"{conditions.pop()}; docs/strength.md"
    if not kind_of(text).opponents:
        return f"{rows[0].a} wins {rows[0]} % of games against it ({source})"
    won = ", ".join(f"{row} against {row.b}" for row in rows)
    return f"wins {won} (% of games, 95% interval; {source})"


def read_results(path: Path = RESULTS) -> Results:
    """Return the win rates of a file by pair of policy texts, (a, b); raises `ResultsError` as `read_rows` does."""
    return {(row.a, row.b): row for row in read_rows(path)}


def read_rows(path: Path) -> list[Measured]:
    """Read a file of win rates; raises `ResultsError` naming the file, what was found and what is accepted."""
    try:
        return [Measured(**row) for row in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError) as error:
        accepted = f"a JSON list of objects with the fields {', '.join(Measured._fields)}"
        raise ResultsError(f"{path}: found {error}; accepted: {accepted}") from error


def results_text(rows: Iterable[Measured]) -> str:
    """Return the file's content, one win rate a line: the inverse of `read_rows`."""
    lines = ",\n".join(json.dumps(row._asdict()) for row in rows)
    return f"[\n{lines}\n]\n"


def _rows_of(text: str, results: Results) -> list[Measured]:
    pairs = _pairs_of(text)
    for a, b in pairs:
        if (a, b) not in results:
            raise ResultsError(
                f"found no win rate of {a} against {b} in {RESULTS.name}; make it: python -m report --measure results"
            )
    return [results[pair] for pair in pairs]


def _from_the_other_side(row: Measured) -> Measured:
    low, high = row.interval_percent
    rates = [round(100 - rate, 1) for rate in (row.win_percent, high, low)]
    return row._replace(a=row.b, b=row.a, win_percent=rates[0], interval_percent=rates[1:], players=row.players[::-1])


def _pairs_of(text: str) -> list[tuple[str, str]]:
    opponents = kind_of(text).opponents
    if opponents is None:
        return []
    return [(text, other) for other in opponents] or [("bis", text)]
