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
from service.bidding.winprob.games import SHIPPED, WinTableSlice, extra_slice, game_of, key_of
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
    cells, residuals = [], []
    for rules, win_slice in zip(games, places, strict=True):
        name = ",".join(f"{field}={value}" for field, value in game_overrides(rules).items())
        found, share = outcomes_by_bucket(ctx, f"rounds-{name}", rules, win_slice)

        def settle(
            index: int,
            seed: int,
            rules: Rules = rules,
            win_slice: WinTableSlice = win_slice,
            found: Any = found,
            share: Any = share,
        ) -> Arrays:
            value, change, _ = solve(rules, win_slice, found, share)
            return {"cells": cells_of(value), "residual": np.array([change])}

        made = ctx.chunks(f"game-{name}", 1, settle)
        cells.append(made["cells"])
        residuals.append(made["residual"][0])
    ctx.figure("residual", max(residuals))
    rows = np.array([(*key_of(rules), *win_slice) for rules, win_slice in zip(games, places, strict=True)], np.int64)
    return {"extra_win": np.concatenate(cells), NAME: rows}


def _games_in(family: Family) -> list[Overrides]:
    found: Any = family.parameters[NAME]
    return list(found)


SHIPPED_EXTRA = tuple(
    rules for rules in PRESETS.values() if rules.variant == PARTNERSHIP and key_of(rules) not in SHIPPED
)
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
