"""Sections of the report about the components of BIS (Table 4 of the paper) and about the card player SRP.

BIS plays against itself with one component off or changed. SRP plays against WRP, against its earlier versions, and
against itself without one piece.
"""

from typing import Any

from spades.rules import PRESETS, Rules
from tables import fit
from tables.arena.match import player_version
from tables.markdown import table
from tables.report.paper import (
    NO_ENDGAME_1,
    NO_ENDGAME_200,
    SINGLE_CURVE,
    SRP_WINS,
    WINS_AGAINST_A_HUMAN,
    Published,
)
from tables.report.setup import ONE_ROUND, PAPER, Setup, by_points, percent, person_match, won_by_b

# Components whose removal can change the best nil threshold: name, and the options that remove or change the component.
ON_THRESHOLD = (
    ("one success curve", "curves=single"),
    ("no success curves (nilProb = nilValue)", "curves=raw"),
    ("nils with K or Q of spades allowed", "spade_honours=allow"),
    ("no previous-bids factor", "factor=off"),
)
THRESHOLDS = range(-80, 41, 5)  # points
RB_OF_PAPER = "rb:nil=5-8-T"  # with the nil ranks of the paper; those of `rb` are fitted to our engine
FINALISTS = 3  # candidates that are measured again on new deals


def ablations(setup: Setup) -> str:
    """Return the table of BIS against itself with one component off or changed (Table 4 and section 5.3.3)."""
    both_at_0 = "one success curve, both at threshold 0"
    against: tuple[tuple[str, str, str, Published | str, Rules], ...] = (
        ("one success curve", "bis", "bis:curves=single", SINGLE_CURVE, PAPER),
        (both_at_0, "bis:nil_threshold=0", "bis:curves=single,nil_threshold=0", SINGLE_CURVE, PAPER),
        ("no end-of-game rules, goal 200", "bis", "bis:endgame=off", NO_ENDGAME_200, PAPER),
        ("no end-of-game rules, goal 1", "bis", "bis:endgame=off", NO_ENDGAME_1, ONE_ROUND),
        ("BIS*: the threshold from estimated contract points", "bis", "bis:dynamic=on", "over 50", PAPER),
    )
    rows: list[tuple[Any, ...]] = []
    for name, a, b, paper, rules in against:
        result = setup.match(a, b, rules=rules)
        if isinstance(paper, Published):
            rate, points = str(paper.win_rate), f"{paper.bis_points} : {paper.points}"
        else:
            rate, points = paper, "-"
        rows.append((name, rate, percent(result), points, by_points(result)))
    return table("opponents are BIS with | paper | bis | points, paper | points, ours", rows)


def thresholds(setup: Setup) -> str:
    """Return the table of BIS against versions without one component, each at its own best nil threshold.

    The search for the best threshold plays against `bis`, on other deals than those of the match.
    """
    own, own_rate = _best(setup, "")
    rows: list[tuple[Any, ...]] = [("BIS itself", own, own_rate, "-", "-")]
    for name, options in (*ON_THRESHOLD, ("BIS*", "dynamic=on")):
        # BIS* computes its own threshold, so there is nothing to search.
        best, rate = ("its own", "-") if options == "dynamic=on" else _best(setup, options)
        b = f"bis:{options}" if options == "dynamic=on" else f"bis:{options},nil_threshold={best}"
        result = setup.match(f"bis:nil_threshold={own}", b, seed=setup.seed + 2)
        rows.append((name, best, rate, percent(result), by_points(result)))
    head = (
        "opponents: BIS with | best threshold | games won against `bis`, % | won by `bis` at its best threshold, % "
        "| points per round"
    )
    tried = f"Thresholds tried: {THRESHOLDS[0]} to {THRESHOLDS[-1]}, in steps of {THRESHOLDS.step}."
    return tried + "\n\n" + table(head, rows)


def _best(setup: Setup, options: str) -> tuple[str, str]:
    texts = [f"bis:{options + ',' if options else ''}nil_threshold={threshold}" for threshold in THRESHOLDS]
    pairs = max(1, setup.pairs * 3 // 10)
    rate, text = fit.ranked(setup.tables, texts, "bis", pairs, setup.seed + 100, setup.jobs, FINALISTS)[0]
    return text.rpartition("=")[2], str(rate)


def card_players(setup: Setup) -> str:
    """Return the tables of SRP against WRP with the same bidder, and of each piece of SRP 1 and SRP 3."""
    rows = [
        (f"`{bidder}`", paper, percent(setup.match(bidder, bidder, ("srp", "wrp"))))
        for bidder, paper in ((RB_OF_PAPER, SRP_WINS), ("rb", SRP_WINS), ("bis", "-"))
    ]
    head = "bidder of both sides | paper | SRP against WRP, % of games"
    sizes = setup.pairs, setup.seed, setup.jobs
    pieces = fit.fit_srp(setup.tables, *sizes), fit.srp_without_pieces(setup.tables, RB_OF_PAPER, *sizes)
    return "\n\n".join((table(head, rows), *pieces))


def against_a_person(setup: Setup) -> str:
    """Return the table of the paper's main experiment (section 5.2), with RB and WRP in the person's place.

    In each game a pair with SRP plays against one player of the same kind beside the person.
    """
    rows: list[tuple[Any, ...]] = []
    for bidder, paper in WINS_AGAINST_A_HUMAN.items():
        for person in ("rb", RB_OF_PAPER):
            three = person if bidder == "rb" else bidder
            won = won_by_b(person_match(setup, person, three))
            rows.append((f"`{three}`", f"`{person}`", paper, won))
    return table("bidder of the pair, and beside the person | bidder of the person | paper | wins of the pair, %", rows)


def newest_player(setup: Setup) -> str:
    """Return the tables of SRP against its earlier versions, same bidder, and of each piece that SRP 2 added."""
    games: tuple[tuple[str, str, Rules], ...] = (
        ("BIS, 200/-100", "bis", PAPER),
        ("RB, 200/-100", "rb", PAPER),
        ("BIS, classic (500)", "bis", PRESETS["classic"]),
        *((f"BIS, {preset}", "bis", PRESETS[preset]) for preset in ("jokers", "whiz", "suicide")),
    )
    rows: list[tuple[Any, ...]] = []
    for name, bidder, rules in games:
        for older in ("srp@2", "srp@1"):
            result = setup.match(bidder, bidder, ("srp", older), rules)
            rows.append((name, older, percent(result), by_points(result)))
    head = table(f"bidder of both sides | {player_version('srp')} against | % of games | points per round", rows)
    return head + "\n\n" + fit.fit_srp2(setup.tables, setup.pairs, setup.seed, setup.jobs)
