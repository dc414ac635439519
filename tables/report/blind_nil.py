"""Sections about blind nil: bidders that bid it against bidders that never do, and against those who would lure it."""

from typing import Any

from service.bidding.bis.blind_nil import HIGH_SUM
from service.bidding.game.auction import auction_after
from service.bidding.game.rules import make_rules
from tables.arena.result import MatchResult
from tables.markdown import table
from tables.report.setup import Setup, by_points, percent, share

SHORT = make_rules("blind-nil", {"win": 200, "lose": -100})
LONG = make_rules("blind-nil")  # goal 500, no losing goal
# Bidder, the one that never bids blind nil, and what the row shows.
ROWS = (
    ("bis:blind=on", "bis", "as published: despair, fourth seat in a tenth"),
    ("bis:blind=on,blind_frequency=0", "bis", "despair alone"),
    ("bis:blind=on,blind_frequency=1", "bis", "fourth seat always"),
    ("bis:blind=on,blind_frequency=0,blind_floor=0.3", "bis", "despair alone, from 30%"),
    ("bis:blind=on,blind_frequency=1,blind_floor=0.2", "bis", "all, from 20%"),
    ("bis:blind=on,blind_frequency=1,blind_floor=0.3", "bis", "all, from 30%"),
    ("bis:blind=on,blind_frequency=1,blind_floor=0.4", "bis", "all, from 40%"),
    ("bis:blind=on,blind_frequency=1,blind_floor=0.5", "bis", "all, from 50%"),
    ("bis:tuned,blind=on", "bis:tuned", "as fitted"),
    ("bis:tuned,blind=on,convention=big6", "bis:tuned", "as fitted, with Big 6"),
)
LURES = ("bis:offset=0.5", "bis:offset=1")
LURED = ("bis", "bis:blind=on", "bis:blind=on,blind_frequency=1,blind_floor=0.3")


def blind_nil(setup: Setup) -> str:
    """Blind nil allowed: a bidder with it against one that never does, at both goals."""
    rows: list[tuple[Any, ...]] = []
    for a, b, what in ROWS:
        short, long = setup.match(a, b, rules=SHORT), setup.match(a, b, rules=LONG)
        often, made = _blind_nils(long)
        rows.append((f"`{a}`", f"`{b}`", what, percent(short), percent(long), often, made, by_points(long)))
    head = "bidder | against | which | 200/-100 | 500 | blind nils, 100 games (500) | made, % | points a round (500)"
    return table(head, rows)


def lures(setup: Setup) -> str:
    """Opponents who bid more than they have, which makes the fourth seat's sum high."""
    rows: list[tuple[Any, ...]] = []
    for b in LURES:
        for a in LURED:
            result = setup.match(a, b, rules=LONG)
            often, made = _blind_nils(result)
            rows.append((f"`{b}`", f"`{a}`", percent(result), often, made))
    return table("opponents | bidder | wins, % (500) | blind nils, 100 games | made, %", rows)


def fitted(setup: Setup) -> str:
    """The share of blind nils that are made, by seat and sum of the bids before, as the shipped table states it."""
    rows: list[tuple[Any, ...]] = []
    figures = setup.opened.families["blind"].figures
    p_made = setup.opened.arrays["blind_nil"]
    for bids in ((), (3,), (5,), (3, 3), (5, 4), (2, 2, 2), (2, 3, 3), (3, 3, 3), (3, 4, 4), (4, 4, 3), (4, 4, 4)):
        row = auction_after(bids).sequence
        p_ace = setup.opened.arrays["p_ace"][len(bids), sum(bids)]
        rows.append((", ".join(map(str, bids)) or "none", share(p_ace), share(p_made[row])))
    words = (
        f"Held out: {share(figures['held_out_stated'])}% stated, {share(figures['held_out_made'])}% made, Brier score "
        f"{figures['held_out_brier']:.4f}; fourth seat counts as high from a sum of {HIGH_SUM}."
    )
    return words + "\n\n" + table("bids before | ace of spades here, % | blind nil made, %", rows)


def _blind_nils(result: MatchResult) -> tuple[str, str]:
    # How many side a bid in 100 games, and the share made.
    for row in result.bids:
        if row["side"] == "a" and row["bid"] == "blind_nil":
            return f"{100 * row['bids'] / result.games:.1f}", share(row["made"])
    return "0.0", "-"
