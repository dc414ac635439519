"""Sections about blind nil: what it wins against the same bidder without it, and against opponents that overbid."""

from typing import Any

from arena.markdown import table
from arena.result import MatchResult
from report.setup import Setup, by_points, percent, share
from spades.bis import HIGH_SUM
from spades.position import auction_after
from spades.rules import make_rules

RULES_TO_200 = make_rules("blind-nil", {"win": 200, "lose": -100})
RULES_TO_500 = make_rules("blind-nil")  # goal 500, no losing goal
_FOURTH = f"in fourth seat if the others bid {HIGH_SUM} or more tricks"
# Bidder, the same bidder without blind nil, and what the row shows.
ROWS = (
    ("bis:blind=on", "bis", "published: only `despair`"),
    ("bis:blind=on,blind_frequency=0.1", "bis", f"`despair`, and in one of ten cases {_FOURTH}"),
    ("bis:blind=on,blind_frequency=1", "bis", f"`despair`, and always {_FOURTH}"),
    ("bis:blind=on,blind_floor=0.3", "bis", "only `despair`, stated success at least 30%"),
    ("bis:blind=on,blind_frequency=1,blind_floor=0.2", "bis", "both rules, stated success at least 20%"),
    ("bis:blind=on,blind_frequency=1,blind_floor=0.3", "bis", "both rules, stated success at least 30%"),
    ("bis:blind=on,blind_frequency=1,blind_floor=0.4", "bis", "both rules, stated success at least 40%"),
    ("bis:blind=on,blind_frequency=1,blind_floor=0.5", "bis", "both rules, stated success at least 50%"),
    ("bis:tuned,blind=on", "bis:tuned", "as fitted"),
    ("bis:tuned,blind=on,convention=big6", "bis:tuned", "as fitted, with Big 6"),
)
OVERBIDDERS = ("bis:offset=0.5", "bis:offset=1")
AGAINST_OVERBIDDERS = ("bis", "bis:blind=on", "bis:blind=on,blind_frequency=1,blind_floor=0.3")


def blind_nil(setup: Setup) -> str:
    """Return the table of bidders with blind nil against the same bidders without it.

    They play to 200 with losing goal -100, and to 500.
    """
    rows: list[tuple[Any, ...]] = []
    for a, b, what in ROWS:
        short, long = setup.match(a, b, rules=RULES_TO_200), setup.match(a, b, rules=RULES_TO_500)
        often, made = _blind_nils(long)
        rows.append((f"`{a}`", f"`{b}`", what, percent(short), percent(long), often, made, by_points(long)))
    head = (
        "bidder | against | blind nil is bid | % won to 200/-100 | % won to 500 | blind nils per 100 games (500) "
        "| made, % | points per round (500)"
    )
    return table(head, rows)


def against_overbidders(setup: Setup) -> str:
    """Return the table of bidders with and without blind nil against opponents who bid too high.

    Their bids raise the sum and can trigger the fourth-seat rule.
    """
    rows: list[tuple[Any, ...]] = []
    for b in OVERBIDDERS:
        for a in AGAINST_OVERBIDDERS:
            result = setup.match(a, b, rules=RULES_TO_500)
            often, made = _blind_nils(result)
            rows.append((f"`{b}`", f"`{a}`", percent(result), often, made))
    return table("opponents | bidder | wins, % (500) | blind nils per 100 games | made, %", rows)


def fitted(setup: Setup) -> str:
    """Return the table of the probability that a blind nil is made, after some previous bids.

    Beside it is the probability that the bidder holds the ace of spades. Both are from the shipped tables.
    """
    rows: list[tuple[Any, ...]] = []
    figures = setup.opened.families["blind"].figures
    p_made = setup.opened.arrays["blind_nil"]
    for bids in ((), (3,), (5,), (3, 3), (5, 4), (2, 2, 2), (2, 3, 3), (3, 3, 3), (3, 4, 4), (4, 4, 3), (4, 4, 4)):
        p_ace = setup.opened.arrays["p_ace"][len(bids), sum(bids)]
        rows.append((", ".join(map(str, bids)) or "none", share(p_ace), share(p_made[auction_after(bids).sequence])))
    words = (
        f"On held-out rounds, the table states that {share(figures['held_out_stated'])}% of blind nils are made; "
        f"{share(figures['held_out_made'])}% were made. Brier score {figures['held_out_brier']:.4f}. In fourth seat "
        f"a sum of bids counts as high from {HIGH_SUM}."
    )
    return words + "\n\n" + table("bids before | the bidder holds the ace of spades, % | blind nil made, %", rows)


def _blind_nils(result: MatchResult) -> tuple[str, str]:
    # Side a's blind nils per 100 games, and the share of them that were made.
    for row in result.bids:
        if row["side"] == "a" and row["bid"] == "blind_nil":
            return f"{100 * row['bids'] / result.games:.1f}", share(row["made"])
    return "0.0", "-"
