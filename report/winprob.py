"""Sections about `winprob`: matches against the other bidders, and the rounds of its training."""

import json
from typing import Any, NamedTuple, cast

from arena.markdown import table
from report.setup import LONG, PAPER, Players, Setup, both, by_points, percent
from spades.levels import kind_of_player
from spades.options import PLAYER_KINDS
from spades.policies import parse_policy
from spades.rules import PRESETS, Rules, make_rules
from spades.winprob import WON_VARIANTS

PAIRS = 10  # for each pair of the report
OTHER_GAMES: tuple[dict[str, object], ...] = (
    {"win": 100},
    {"win": 300, "lose": -100},
    {"win": 400},
    {"win": 750, "lose": -500},
    {"win": 1000},
    {"bag_limit": 7},
    {"bag_limit": 5, "win": 300},
    {"nil_points": 200},
    {"bags": False, "nil_points": 200, "win": 250},
)


class Row(NamedTuple):
    """A match. ``mark`` is the smallest accepted value of the lower end of its interval, in percent."""

    name: str
    b: str
    mark: float | None = None
    players: Players = "srp"
    rules: Rules = PAPER
    mixed: bool = False
    known: bool = False  # whether `winprob` knows how the others bid


ROWS = (
    Row("`bis`", "bis", 61.3),
    Row("`bis`, known", "bis", 62.0, known=True),
    Row("`bis:tuned`", "bis:tuned", 59.0),
    Row("`rb`", "rb", 62.0),
    Row("`rb:nil=5-8-T`", "rb:nil=5-8-T"),
    Row("`ms`", "ms", 73.0),
    Row("`ms`, known", "ms", known=True),
    Row("`io`", "io", 78.0),
    Row("`bis`, all seats play WRP", "bis", 60.0, "wrp"),
    Row("`bis`, with a `bis` as partner", "bis", 55.0, mixed=True),
    Row("`bis`, goal 500", "bis", 67.3, rules=LONG),
    Row("`bis`, goal 500, known", "bis", 67.8, rules=LONG, known=True),
    Row("`bis:tuned`, goal 500", "bis:tuned", rules=LONG),
    Row("`bis`, goal 250, losing goal -200", "bis", rules=make_rules("classic", {"win": 250, "lose": -200})),
    Row("`bis`, preset bis-paper", "bis", rules=make_rules("bis-paper")),
    Row("`bis`, preset bis-paper, goal 500", "bis", rules=make_rules("bis-paper", {"win": 500, "lose": None})),
)


def informed(opponents: str) -> str:
    """Return the policy text of a `winprob` that knows how its opponents bid, and that its partner is `winprob` too."""
    kind = PLAYER_KINDS[kind_of_player(parse_policy(opponents))]
    return f"winprob:left={kind},partner=winprob,right={kind}"


def against(setup: Setup) -> str:
    """Return the win rates of `winprob`, over `PAIRS` times the report's pairs."""
    rows: list[tuple[Any, ...]] = []
    for row in ROWS:
        a = informed(row.b) if row.known else "winprob"
        result = setup.match(a, row.b, row.players, row.rules, pairs=PAIRS * setup.pairs, mixed=row.mixed)
        mark = "-" if row.mark is None else f"{row.mark:g}"
        rows.append(
            (row.name, percent(result), mark, by_points(result), both(result.nil_rate), both(result.nil_success))
        )
    sizes = f"{PAIRS * setup.pairs:,} duplicate pairs per row."
    return sizes + "\n\n" + table("against | wins, % | minimum | points per round | nils, % | made, %", rows)


def presets(setup: Setup) -> str:
    """Return the win rates of `winprob` against `bis`, in all presets in which `winprob` bids and in other games."""
    games = {f"preset {name}": rules for name, rules in PRESETS.items() if rules.variant in WON_VARIANTS}
    for overrides in OTHER_GAMES:
        text = ", ".join(f"`{field}` {json.dumps(value)}" for field, value in overrides.items())
        games[text] = make_rules("classic", overrides)
    rows: list[tuple[Any, ...]] = []
    for name, rules in games.items():
        nearest = setup.opened.games.nearest(rules)
        assert nearest is not None, "it has a win table"
        result = setup.match("winprob", "bis", rules=rules)
        exact = "its own" if not nearest.instead else "the nearest"
        rows.append((name, exact, percent(result), by_points(result), both(result.nil_rate), both(result.nil_success)))
    return table("game | win table | wins, % | points per round | nils, % | made, %", rows)


def rounds(setup: Setup) -> str:
    """Return the result of each round of training, as the build recorded it."""
    family = setup.opened.families["net"]
    names = [str(stage[0]) for stage in cast(list[list[Any]], family.parameters["rounds"])]
    rows = []
    for name in names:
        figures = (family.figures[f"{name}_{what}"] for what in ("wins_bis", "held_out_lost"))
        won, lost = (f"{100 * figure:.2f}" for figure in figures)
        rows.append((name, f"{family.sizes[f'{name}_positions']:,}", won, lost))
    pairs = f"{family.sizes['pairs']:,}"
    return table(
        f"round | new positions | wins against `bis`, %, {pairs} pairs | % lost to the best bid in hindsight", rows
    )
