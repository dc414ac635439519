"""Sections about BIS against the rule-based bidders (Table 2), bids without nils, and UCT against SRP."""

from typing import Any, NamedTuple

from arena.markdown import gain, table
from arena.match import Match
from arena.result import run_match
from report.paper import TABLE_2, Published
from report.setup import Setup, both, by_points, percent
from spades import policies
from studio import plots


class Row(NamedTuple):
    """Opponents, the card player of both sides, and the paper's figures if it has them."""

    b: str
    player: str
    paper: Published | None


def _rows() -> list[Row]:
    rows = []
    for (b, player), published in TABLE_2.items():
        rows.append(Row(b, player, published))
        if b == "rb":
            rows.append(Row("rb:nil=5-8-T", player, published))  # the ranks in the paper's description of RB
        if b == "ms":
            rows.append(Row("ms:nil=T-J-Q", player, None))  # MS with the ranks fitted to RB in our engine
    shown = {row.b for row in rows}
    added = [
        kind.name for kind in policies.POLICY_KINDS if kind.served and kind.opponents == () and kind.name not in shown
    ]
    return rows + [Row(name, "srp", None) for name in added]


ROWS = _rows()


def name_of(player: str) -> str:
    """Return a card player's name as the paper writes it.

    >>> name_of("uct:5"), name_of("srp")
    ('UCT(5)', 'SRP')
    """
    name, _, tricks = player.upper().partition(":")
    return f"{name}({tricks})" if tricks else name


def opponents(setup: Setup) -> str:
    """Return the table of BIS and `bis:tuned` against the rule-based bidders (Table 2)."""
    rows: list[tuple[Any, ...]] = []
    for b, player, paper in ROWS:
        bis = setup.match("bis", b, player)
        tuned = "-" if player.startswith("uct") else percent(setup.match("bis:tuned", b, player))
        published = (paper.win_rate, f"{paper.bis_points} : {paper.points}") if paper else ("-", "-")
        rows.append(
            (b, name_of(player), published[0], percent(bis), tuned, published[1], by_points(bis), f"{bis.pairs:,}")
        )
    head = "opponents | players | paper | bis | bis:tuned | points, paper | points, ours | pairs"
    return table(head, rows)


def forest(setup: Setup) -> str:
    """Return the plot of Table 2's win rates with their intervals and the paper's values."""
    marks = []
    for b, player, paper in ROWS:
        result = setup.match("bis", b, player)
        rate, low, high = (100 * value for value in (result.win_rate, *result.ci95))
        marks.append(plots.Mark(f"{b} ({name_of(player)})", rate, low, high, paper and paper.win_rate))
    text = "Win rates of BIS against each bidder, with intervals and the paper's values"
    return setup.image("win-rates", plots.forest(marks), text)


def numbers_alone(setup: Setup) -> str:
    """Return the table of BIS against RB, MS and IO with nils switched off on both sides."""
    rows: list[tuple[Any, ...]] = []
    for b in ("rb", "ms", "io"):
        for player in ("srp", "wrp"):
            result = setup.match("bis:nils=off,endgame=off", f"{b}:nils=off", player)
            rows.append((b, name_of(player), percent(result), by_points(result), both(result.set_rate)))
    return table("opponents, no nils | players | bis | points per round | contracts set, %", rows)


def uct_against_srp(setup: Setup) -> str:
    """Return how much UCT(n) wins against SRP for the last n tricks, and its cost; the speeds are measured now."""
    fast = _rounds_a_second(setup, "srp", max(1, setup.pairs // 10))
    rows: list[tuple[Any, ...]] = [("SRP", "-", "-", "-", f"{fast:,.0f}", "1")]
    for player in ("uct:3", "uct:5"):
        result = setup.match("bis", "bis", (player, "srp"))
        speed = _rounds_a_second(setup, player, max(1, setup.pairs // 100))
        rows.append(
            (
                f"{name_of(player)} against SRP",
                percent(result),
                gain(result.points_difference, result.points_difference_ci95, 1),
                f"{result.pairs:,}",
                f"{speed:,.0f}",
                f"{fast / speed:,.0f}",
            )
        )
    head = "BIS bids on both sides | win rate | points per round gained | pairs | rounds/s, one core | times slower"
    return table(head, rows)


def _rounds_a_second(setup: Setup, player: str, pairs: int) -> float:
    """Return the rounds per second on one thread with ``player`` on side a and SRP on side b, as in the matches."""
    result = run_match(Match("bis", "bis", (player, "srp"), pairs, seed=setup.seed))
    return result.rounds / result.seconds
