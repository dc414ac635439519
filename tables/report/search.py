"""The section about card players that search: what more deals, more tricks and the bids are worth."""

from dataclasses import replace
from typing import NamedTuple

from tables.arena.result import MatchResult
from tables.markdown import gain, table
from tables.report.setup import Setup, by_points, percent


class Row(NamedTuple):
    """A match of two card players; the same policy bids on both sides."""

    player: str
    against: str = "srp"
    bidder: str = "bis"
    share: float = 1.0  # of the report's pairs with sampling players
    a: str = ""  # the bidder of the first side, if it is another


ROWS = (
    Row("search:deals=256,tricks=5,bids=none"),
    Row("search:deals=256,tricks=5"),
    Row("search:deals=256,bids=none"),
    Row("search:deals=256"),
    Row("search:deals=256", "search:deals=256,bids=none"),
    Row("search:deals=256,bids=best", bidder="winprob"),
    Row("search:deals=16"),
    Row("search:deals=64"),
    Row("search:deals=1000", share=0.5),
    Row("search:deals=3000", share=0.3),
    Row("search:deals=12000", share=0.16),
    Row("search:deals=48000", share=0.04),
)


# What was tried and is in no player that ships.
UCT_BIDDER = "python:tables/arena/uct_bidder.py:bid"
TRIED = (
    Row("cover:lost=95", share=20.0),
    Row("cover:lost=50", share=20.0),
    Row("search@2:deals=256,solved=2", "search:deals=256", share=0.2),
    Row("search@2:deals=128,solved=3", "search:deals=256", share=0.4),
    Row("srp", a=UCT_BIDDER, share=0.04),
    Row("uct:13,samples=20000", share=0.02),
)


def search(setup: Setup) -> str:
    """Return the table of searching players; the times are those of the matches when they were played."""
    rows = []
    for row in ROWS:
        result = _match(setup, row)
        searched = [text for text in result.players if text.startswith("search")]
        tricks = sum(int(text.partition("tricks=")[2].partition(",")[0]) for text in searched)
        ms = 1e3 * result.seconds * setup.jobs / (2 * tricks * result.rounds)
        rows.append(
            (f"`{result.players[0]}`", f"`{result.players[1]}`", f"`{row.bidder}`", *_figures(result), f"{ms:.1f}")
        )
    head = "player | against | bids | games won, % | points per round | difference | pairs | ms for a card"
    return table(head, rows)


def tried(setup: Setup) -> str:
    """Return the table of what was tried beside `search@1`; both sides have the same bidder or the same card player."""
    rows = []
    for row in TRIED:
        result = _match(setup, row)
        names = ("UCT for bids", "`bis`") if row.a else tuple(f"`{player}`" for player in result.players)
        rows.append((*names, *_figures(result), f"{1e3 * result.seconds * setup.jobs / result.rounds:.0f}"))
    head = "tried | against | games won, % | points per round | difference | pairs | ms for a round"
    return table(head, rows)


def _match(setup: Setup, row: Row) -> MatchResult:
    pairs = max(1, round(row.share * min(setup.uct_pairs, setup.pairs)))
    limited = replace(setup, uct_pairs=pairs)  # which a match with UCT would play
    return limited.match(row.a or row.bidder, row.bidder, (row.player, row.against), pairs=pairs)


def _figures(result: MatchResult) -> tuple[str, str, str, str]:
    difference = gain(result.points_difference, result.points_difference_ci95, 1)
    return percent(result), by_points(result), difference, f"{result.pairs:,}"
