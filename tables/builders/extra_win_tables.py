"""Win tables of games that the net was not trained on (arrays `games` and `extra_win`): MORE, and a studio's own.

`python -m tables build --rules five-bags:win=200,lose=-100` adds one, and a later build keeps it. The net also serves
these games, because its inputs describe a game only by its goals, its bags and the values of its outcomes.

As for `win`, the tables come from self-play under a game's own rules and value iteration. They are made twice. FIRST
bids in the first rounds. With these tables `winprob` bids in the second rounds, from which the tables come that ship:
so they value scores for the bidder that uses them.

If the points of a penalty or a nil are no whole number of tens, exact rows cover fewer than ten points. Where these
would be too many, the table has rows of ten points; see `parts_of`.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from arena.engine.simulate import kernel_tables
from arena.errors import BuildError
from arena.players.names import TABLES_PLAYER
from spades.errors import RulesError
from spades.manifest import Manifest
from spades.rules import CLASSIC, PRESETS, Rules, make_rules, overrides_of
from spades.scoring import effective_bag_rules
from spades.winprob import (
    GOAL_WIDTHS,
    KEY_FIELDS,
    LONGEST_GOAL,
    LOSING_GOAL,
    ROW_POINTS,
    SHIPPED,
    SLICE_COLUMNS,
    WinTableSlice,
    cells_of,
    game_of,
    key_of,
    win_slice_of,
    win_slices_of,
)
from tables.builders.win_tables import DEPENDS, KEPT, RESIDUAL, make_win_tables
from tables.builders.win_tables import POLICY as FIRST
from tables.run.family import Context, Family

NAME = "games"
NO_BAGS = PRESETS["no-bags"]
NIL_50 = CLASSIC._replace(nil_points=50)
NARROW = (300, 450, 600)  # widths of the tables with bags and a losing goal
SECOND = "winprob"  # bidder of the second rounds
Overrides = dict[str, Any]  # fields that differ from classic's rules, as in a request


def _more_games() -> list[Rules]:
    """Return the games of MORE: nil points that the presets do not have at these goals.

    Without bags, where tables are small, they are at every width of `GOAL_WIDTHS`.
    """
    widths = {NO_BAGS._replace(nil_points=points): GOAL_WIDTHS for points in (50, 200)} | {NIL_50: NARROW}
    return [
        *(rules._replace(win=LONGEST_GOAL) for rules in widths),
        *(rules._replace(win=width + LOSING_GOAL, lose=LOSING_GOAL) for rules, own in widths.items() for width in own),
    ]


def rules_of_text(text: str) -> Rules:
    """Return the rules of ``text``: a preset, with changed fields as in `no-bags:win=200,lose=-200`; values are JSON.

    Raises `BuildError`.
    """
    preset, _, rest = text.partition(":")
    overrides: dict[str, object] = {}
    for part in rest.split(",") if rest else ():
        field, equals, value = part.partition("=")
        if not equals:
            raise BuildError(f"--rules {text}: found {part!r}; accepted: FIELD=VALUE such as win=200")
        try:
            overrides[field] = json.loads(value)
        except ValueError:
            overrides[field] = value  # a word such as failed_nil_tricks=contract
    try:
        rules = make_rules(preset, overrides)
        if not _ships(rules):
            parts_of(rules)
    except (RulesError, ValueError) as error:
        raise BuildError(f"--rules {text}: {error}") from error
    return rules


def parts_of(rules: Rules) -> dict[Rules, float]:
    """Return the games whose win tables make that of ``rules``, and the share of each; the shares sum to 1.

    Usually this is the game itself. If its exact table has too many rows, the table has rows of ten points. Then the
    points of a penalty and of a nil are rounded down and up to tens. A table is made for each combination, and the
    result is their weighted mean: a nearer multiple of ten weighs more. Raises `ValueError` if the rules cannot have a
    win table.
    """
    parts = tens_around(rules)
    try:
        win_slice_of(rules, 0)
        return {rules: 1.0}
    except ValueError:
        if len(parts) == 1:
            raise
    for part in parts:
        win_slice_of(part, 0)  # raises ValueError if the part cannot have a table
    return parts


def tens_around(rules: Rules) -> dict[Rules, float]:
    """Return ``rules`` with the tens around the points of a penalty and of a nil, and the share of each in the mean."""
    limit, penalty = effective_bag_rules(rules)
    bags = {"bag_penalty": penalty - limit} if rules.bags else {}
    parts = {rules: 1.0}
    for field, points in {**bags, "nil_points": rules.nil_points}.items():
        below, more = divmod(points, ROW_POINTS)
        shares = {below: 1 - more / ROW_POINTS, below + 1: more / ROW_POINTS}
        of_bags = limit if field in bags else 0
        parts = {
            part._replace(**{field: ROW_POINTS * tens + of_bags}): share * of_tens
            for part, share in parts.items()
            for tens, of_tens in shares.items()
            if of_tens
        }
    return parts


def game_overrides(rules: Rules) -> Overrides:
    """Return the fields in which the game of ``rules`` differs from preset `classic`, as in a request.

    Fields that change no win table are left out.
    """
    return overrides_of(game_of(rules))


def with_games(families: tuple[Family, ...], built: Manifest, extra: Iterable[Rules] = ()) -> tuple[Family, ...]:
    """Return ``families`` with the games of family `games`: MORE, those in ``built``, and those of ``extra``."""
    entry = built.families.get(NAME)
    before: Iterable[Overrides] = entry.parameters[NAME] if entry else ()
    games = _in_order((*MORE, *before, *map(game_overrides, extra)))
    return tuple(
        replace(family, parameters={**family.parameters, NAME: games}) if family.name == NAME else family
        for family in families
    )


def _in_order(games: Iterable[Overrides]) -> list[Overrides]:
    """Return each of ``games`` once, without those that ship, in an order that does not depend on theirs."""
    wanted = {json.dumps(game, sort_keys=True): game for game in games}
    return [wanted[text] for text in sorted(wanted) if not _ships(make_rules("classic", wanted[text]))]


def _ships(rules: Rules) -> bool:
    """Return whether a shipped win table values the game of ``rules`` exactly."""
    nearest = SHIPPED.nearest(rules)
    return nearest is not None and not nearest.instead


def _make(ctx: Context) -> Arrays:
    found: Any = ctx.family.parameters[NAME]
    if not found:  # neither array may be empty
        return {"extra_win": np.zeros(1, np.uint16), NAME: np.zeros((1, len(KEY_FIELDS) + SLICE_COLUMNS), np.int64)}
    games = {rules: parts_of(rules) for rules in (make_rules("classic", game) for game in found)}
    solved = win_slices_of(dict.fromkeys(part for parts in games.values() for part in parts), extra=1)
    first = make_win_tables(ctx, solved, ctx.size("first_rounds_per_bucket"), kernel_tables(ctx.inputs), FIRST)
    rows = [(*key_of(part), *place[:SLICE_COLUMNS]) for part, place in solved.items()]
    valued = kernel_tables({**ctx.inputs, "extra_win": first, NAME: np.array(rows, np.int64)})
    cells = make_win_tables(ctx, solved, ctx.size("rounds_per_bucket"), valued, SECOND)
    rows, tables, start = [], [], 0
    for rules, parts in games.items():
        place = solved[next(iter(parts))]._replace(start=start)  # those of all parts have the same shape
        start += cells_of(place)
        rows.append((*key_of(rules), *place[:SLICE_COLUMNS]))
        tables.append(mean_cells({solved[part]: share for part, share in parts.items()}, cells))
    return {"extra_win": np.concatenate(tables), NAME: np.array(rows, np.int64)}


def mean_cells(shares: Mapping[WinTableSlice, float], cells: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Return the mean of tables in ``cells``, weighted with their shares; they have the same shape."""
    mean = sum(share * cells[place.start : place.start + cells_of(place)] for place, share in shares.items())
    return np.round(mean).astype(np.uint16)


MORE = _in_order(map(game_overrides, _more_games()))
FAMILIES = (
    Family(
        name=NAME,
        generator=3,
        make=_make,
        axes={
            "extra_win": ("as in `win`",),
            NAME: ("games", "the rules that identify a game, then the place of its win table"),
        },
        parameters={
            NAME: MORE,
            "policies": [FIRST, SECOND],
            "player": TABLES_PLAYER,
            "kept": KEPT,
            "residual": RESIDUAL,
        },
        sizes={"first_rounds_per_bucket": 2_500, "rounds_per_bucket": 10_000},
        depends=(*DEPENDS, "rb", "win", "net"),
    ),
)
