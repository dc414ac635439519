"""Sections of the report about the components of BIS (Table 4 of the paper) and about the card player SRP.

BIS plays against itself with one component off or changed. SRP plays against WRP and against SRP 1.
"""

from typing import Any

from arena.agents import player_version
from arena.markdown import table
from report.paper import (
    NO_ENDGAME_1,
    NO_ENDGAME_200,
    SINGLE_CURVE,
    SRP_WINS,
    WINS_AGAINST_A_HUMAN,
    Published,
)
from report.setup import ONE_ROUND, PAPER, Setup, by_points, percent, person_match, won_by_b
from spades.rules import PRESETS, Rules

RB_OF_PAPER = "rb:nil=5-8-T"  # with the nil ranks of the paper; those of `rb` are fitted to our engine


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


def card_players(setup: Setup) -> str:
    """Return the table of SRP against WRP with the same bidder."""
    rows = [
        (f"`{bidder}`", paper, percent(setup.match(bidder, bidder, ("srp", "wrp"))))
        for bidder, paper in ((RB_OF_PAPER, SRP_WINS), ("rb", SRP_WINS), ("bis", "-"))
    ]
    head = "bidder of both sides | paper | SRP against WRP, % of games"
    return table(head, rows)


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
    """Return the table of SRP against SRP 1, the player of the paper, with the same bidder."""
    games: tuple[tuple[str, str, Rules], ...] = (
        ("BIS, 200/-100", "bis", PAPER),
        ("RB, 200/-100", "rb", PAPER),
        ("BIS, classic (500)", "bis", PRESETS["classic"]),
        *((f"BIS, {preset}", "bis", PRESETS[preset]) for preset in ("jokers", "whiz", "suicide")),
    )
    rows: list[tuple[Any, ...]] = []
    for name, bidder, rules in games:
        result = setup.match(bidder, bidder, ("srp", "srp@1"), rules)
        rows.append((name, percent(result), by_points(result)))
    return table(f"bidder of both sides | {player_version('srp')} against srp@1, % of games | points per round", rows)
