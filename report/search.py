"""The section about card players that search: what more deals, more searched tricks and reading the bids win."""

from dataclasses import replace
from typing import NamedTuple

from arena.markdown import gain, table
from arena.players.names import parse_player
from arena.players.search_names import parse_search
from arena.players.uct import TRICKS_SHIFT
from arena.result import MatchResult
from report.setup import Setup, by_points, percent


class Row(NamedTuple):
    """A match of two card players; the same policy bids on both sides."""

    player: str
    against: str = "srp"
    bidder: str = "bis"
    pairs_factor: float = 1.0  # number of pairs / pairs of the report's matches with sampling players


READS_BIDS = Row("search:deals=256", "search:deals=256,bids=none")
ROWS = (
    Row("search:deals=256,tricks=5,bids=none"),
    Row("search:deals=256,tricks=5"),
    Row("search:deals=256,tricks=5", "search:deals=256,tricks=5,bids=none"),
    Row("search:deals=256,bids=none"),
    Row("search:deals=256"),
    READS_BIDS,
    Row("search:deals=256,bids=best", bidder="winprob"),
    Row("search:deals=16"),
    Row("search:deals=64"),
    Row("search:deals=1000", pairs_factor=0.5),
    Row("search:deals=6000", pairs_factor=0.4),  # about 10 ms for a card
    Row("search:deals=40000", pairs_factor=0.08),  # about 50 ms
    Row("search:deals=220000", pairs_factor=0.02),  # about 200 ms
)


def search(setup: Setup) -> str:
    """Return the table of searching players; times are measured when a match is played, and kept with its result."""
    rows = []
    for row in ROWS:
        result = _match(setup, row)
        names = (f"`{result.players[0]}`", f"`{result.players[1]}`", f"`{row.bidder}`")
        rows.append((*names, *_figures(result), _for_a_card(setup, result)))
    head = "player | against | bidder | games won, % | points per round | difference | pairs | ms for a card"
    conditions = f"Goal 200, losing goal -100, seed {setup.seed}, tables {setup.opened.version}."
    return conditions + "\n\n" + table(head, rows)


def reading_bids(setup: Setup) -> str:
    """Return the table of a search that reads the bids against one that does not."""
    result = _match(setup, READS_BIDS)
    row = *(f"`{player}`" for player in result.players), *_figures(result)
    return table("player | against | games won, % | points per round | difference | pairs", [row])


def _match(setup: Setup, row: Row) -> MatchResult:
    pairs = max(1, round(row.pairs_factor * min(setup.uct_pairs, setup.pairs)))
    limited = replace(setup, uct_pairs=pairs)  # a match with UCT players takes its number from here
    return limited.match(row.bidder, row.bidder, (row.player, row.against), pairs=pairs)


def _figures(result: MatchResult) -> tuple[str, str, str, str]:
    difference = gain(result.points_difference, result.points_difference_ci95, 1)
    return percent(result), by_points(result), difference, f"{result.pairs:,}"


def _for_a_card(setup: Setup, result: MatchResult) -> str:
    # Return the mean ms for a card: the time of a round, divided by the number of cards that the searching seats play
    # in searched tricks (two seats per side).
    tricks = sum(map(_sampled_tricks, result.players))
    return _ms(setup, result, 2 * tricks) if tricks else "-"


def _ms(setup: Setup, result: MatchResult, parts: int) -> str:
    # Return ms per part. ``parts``: number of equal parts into which a round's time is divided.
    ms = 1e3 * setup.core_seconds(result) / (parts * result.rounds)
    return f"{ms:,.0f}" if ms >= 10 else f"{ms:.2g}"


def _sampled_tricks(player: str) -> int:
    searching = parse_search(player)
    return searching.tricks if searching else parse_player(player).pieces >> TRICKS_SHIFT & 15
