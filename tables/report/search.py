"""The section about card players that search: what more deals, more tricks and the bids are worth."""

from typing import NamedTuple

from tables.markdown import gain, table
from tables.report.setup import Setup, by_points, percent


class Row(NamedTuple):
    """A match of two card players; the same policy bids on both sides."""

    player: str
    against: str = "srp"
    bidder: str = "bis"
    share: float = 1.0  # of the report's pairs with sampling players


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


def search(setup: Setup) -> str:
    """Return the table of searching players; the times are those of the matches when they were played."""
    rows = []
    for row in ROWS:
        pairs = max(1, round(row.share * min(setup.uct_pairs, setup.pairs)))
        result = setup.match(row.bidder, row.bidder, (row.player, row.against), pairs=pairs)
        searched = [text for text in result.players if text.startswith("search")]
        tricks = sum(int(text.partition("tricks=")[2].partition(",")[0]) for text in searched)
        rows.append(
            (
                f"`{result.players[0]}`",
                f"`{result.players[1]}`",
                f"`{row.bidder}`",
                percent(result),
                by_points(result),
                gain(result.points_difference, result.points_difference_ci95, 1),
                f"{result.pairs:,}",
                f"{1e3 * result.seconds * setup.jobs / (2 * tricks * result.rounds):.1f}",
            )
        )
    head = "player | against | bids | games won, % | points per round | difference | pairs | ms for a card"
    return table(head, rows)
