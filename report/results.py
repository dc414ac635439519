"""The win rates in the service's catalogue, as the rows of its file: matches at 200/-100 with SRP in all seats."""

from arena.result import MatchResult
from report.setup import VERSIONS, Setup
from spades.policies import kind_of
from spades.rules import describe, make_rules
from spades.strength import Measured, pairs_to_measure

WINPROB_PAIRS = 10  # for each pair of the report, as in the section about winprob


def measure(setup: Setup) -> list[Measured]:
    """Play the matches, or read those that sections have played."""
    rows = []
    for a, b in pairs_to_measure():
        times = WINPROB_PAIRS if kind_of(a).needs_win_table else 1
        rows.append(measured(setup.play(setup.match(a, b, pairs=times * setup.pairs))))
    return rows


def measured(result: MatchResult) -> Measured:
    """Return the result of a match as a row of the file."""
    classic = describe(make_rules("classic"))
    return Measured(
        a=result.a,
        b=result.b,
        win_percent=round(100 * result.win_rate, 1),
        interval_percent=[round(100 * end, 1) for end in result.ci95],
        pairs=result.pairs,
        seed=result.seed,
        players=result.players,
        rules={name: value for name, value in result.rules.items() if value != classic[name]},
        tables=result.tables["version"],
        engine=VERSIONS[0][:16],
    )
