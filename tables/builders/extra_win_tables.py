"""Win tables of games with other rules than those the `winprob` net was trained on (arrays `games` and `extra_win`).

The tables of the partnership presets are included. `python -m tables build --rules five-bags:win=200` adds one, and a
later build keeps it. The net also serves these games, because its inputs describe a game only by its goals, its bags
and the values of its outcomes. As for `win`, the tables come from self-play under a game's own rules and value
iteration.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from service.bidding.errors import RulesError
from service.bidding.game.rules import PARTNERSHIP, PRESETS, Rules, make_rules, overrides_of
from service.bidding.manifest import Manifest
from service.bidding.winprob.games import (
    PLACE_COLUMNS,
    SHIPPED,
    GameKey,
    WinTableSlice,
    extra_slice,
    game_of,
    key_of,
    nearest_game,
)
from tables.builders.win_tables import KEPT, POLICY, RESIDUAL, cells_of, outcomes_by_bucket, solve
from tables.players.names import TABLES_PLAYER
from tables.run.family import Arrays, BuildError, Context, Family

NAME = "games"
Overrides = dict[str, Any]  # fields that differ from classic's rules, as in a request


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
        if key_of(rules) not in SHIPPED:
            extra_slice(rules, 0)
    except (RulesError, ValueError) as error:
        raise BuildError(f"--rules {text}: {error}") from error
    return rules


def game_overrides(rules: Rules) -> Overrides:
    """Return the fields in which the game of ``rules`` differs from preset `classic`, as in a request.

    Fields that change no win table are left out.
    """
    return overrides_of(game_of(rules))


def with_games(families: tuple[Family, ...], built: Manifest, extra: Iterable[Rules] = ()) -> tuple[Family, ...]:
    """Return ``families`` with extra games in family `games`: those in ``built``, and those of ``extra``.

    The included games (SHIPPED_EXTRA) come first.
    """
    entry = built.families.get(NAME)
    before: Iterable[Overrides] = entry.parameters[NAME] if entry else ()
    wanted = {json.dumps(game, sort_keys=True): game for game in (*before, *map(game_overrides, extra))}
    for rules in SHIPPED_EXTRA:
        wanted.pop(json.dumps(game_overrides(rules), sort_keys=True), None)
    games = [game_overrides(rules) for rules in SHIPPED_EXTRA]
    games += [wanted[text] for text in sorted(wanted) if key_of(make_rules("classic", wanted[text])) not in SHIPPED]
    return tuple(
        replace(family, parameters={**family.parameters, NAME: games}) if family.name == NAME else family
        for family in families
    )


def _make(ctx: Context) -> Arrays:
    games = [make_rules("classic", game) for game in _games_in(ctx.family)]
    places: list[WinTableSlice] = []
    start = 0
    for rules in games:
        win_slice = extra_slice(rules, start)
        places.append(win_slice)
        start += win_slice.size**2 * win_slice.bags**2
    cells = np.zeros(start, np.uint16)
    residuals: list[float] = []
    # What a round brings depends on the points left to the goal, not on the goal, so games that differ only in their
    # goals share their rounds.
    alike: dict[tuple[Rules, int], list[tuple[Rules, WinTableSlice]]] = {}
    for rules, place in zip(games, places, strict=True):
        alike.setdefault((_any_goal(rules), place.unit), []).append((rules, place))
    for (rules, _), group in alike.items():
        found, share = outcomes_by_bucket(ctx, f"rounds-{_name(rules)}", rules, group[0][1])

        def settle(index: int, seed: int, group: Any = group, found: Any = found, share: Any = share) -> Arrays:
            rules, place = group[index]
            value, change, _ = solve(rules, place, found, share)
            return {"cells": cells_of(value), "residual": np.array([change])}

        made = ctx.gathered(f"games-{_name(rules)}", len(group), settle)
        at = 0
        for _, place in group:
            size = place.size**2 * place.bags**2
            cells[place.start : place.start + size] = made["cells"][at : at + size]
            at += size
        residuals.extend(made["residual"])
    ctx.figure("residual", max(residuals))
    rows = [(*key_of(rules), *place[:PLACE_COLUMNS]) for rules, place in zip(games, places, strict=True)]
    return {"extra_win": cells, NAME: np.array(rows, np.int64)}


def _any_goal(rules: Rules) -> Rules:
    return rules._replace(win=Rules().win, lose=Rules().lose)


def _name(rules: Rules) -> str:
    return ",".join(f"{field}={value}" for field, value in game_overrides(rules).items()) or "classic"


def _games_in(family: Family) -> list[Overrides]:
    found: Any = family.parameters[NAME]
    return list(found)


# Games between goals this many points apart: with a table for each, a game without one is valued by a similar one.
WIDTHS = (150, 200, 250, 300, 350, 400, 450, 500, 600, 700, 800, 1000)
LONGEST = 1000  # goal of the tables without a losing goal, which serve all lower goals too
LOSE = -100


def _shipped() -> list[Rules]:
    games = [PRESETS["classic"]._replace(win=LONGEST), *_of_widths("classic", WIDTHS)]
    games += [PRESETS["no-bags"]._replace(win=LONGEST), *_of_widths("no-bags", WIDTHS)]
    games += [rules for rules in PRESETS.values() if rules.variant == PARTNERSHIP]
    for preset in ("five-bags", "nil-50"):
        games += _of_widths(preset, (300,))
    return games


def _of_widths(preset: str, widths: Iterable[int]) -> list[Rules]:
    return [PRESETS[preset]._replace(win=width + LOSE, lose=LOSE) for width in widths]


def _without_equals(games: Iterable[Rules]) -> tuple[Rules, ...]:
    # The games without those that are valued exactly by a game before them, or by one of SHIPPED.
    places: dict[GameKey, WinTableSlice] = dict(SHIPPED)
    kept = []
    for rules in games:
        nearest = nearest_game(rules, places)
        if nearest is None or nearest.instead:
            places[key_of(rules)] = extra_slice(rules, 0)
            kept.append(rules)
    return tuple(kept)


SHIPPED_EXTRA = _without_equals(_shipped())
FAMILIES = (
    Family(
        name=NAME,
        generator=1,
        make=_make,
        axes={
            "extra_win": ("as in `win`",),
            NAME: ("games", "the rules that identify a game, then the place of its win table"),
        },
        parameters={
            NAME: [game_overrides(rules) for rules in SHIPPED_EXTRA],
            "policy": POLICY,
            "player": TABLES_PLAYER,
            "kept": KEPT,
            "residual": RESIDUAL,
        },
        sizes={"rounds_per_bucket": 10_000},
        depends=("p_length", "cnil", "side", "spades", "ruffs", "factor", "curves", "means"),
    ),
)
