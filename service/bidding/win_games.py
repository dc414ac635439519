"""The games that `winprob` knows: which rules have a win table, and where it stands in the arrays of such tables.

Not the tables themselves (`winning` reads them, `tables.win` and `tables.games` make them). The games of PLACES, which
the net has learnt from, are classic's but for goal, losing goal and bag penalty. The preset bis-paper's penalty has
tables of its own at its own goal only: at the others it reads classic's, whose penalty is ten points less; to 500
`winprob` beats `bis` by as much so as under classic (docs/strength.md). Games of other rules stand in an array of their
own, `more_win`, and are told by the rows of `games`. Rules that leave the worth of a score alone (FREE) tell none.
"""

from collections.abc import Iterable, Mapping
from math import gcd
from types import MappingProxyType
from typing import NamedTuple

from service.bidding.rules import NEVER, PARTNERSHIP, PRESETS, VARIANTS, Rules

CLASSIC = PRESETS["classic"]
PENALTIES = (CLASSIC.bag_penalty, PRESETS["bis-paper"].bag_penalty)
GOALS: dict[int, tuple[int, ...]] = {  # goal: losing goals
    200: (NEVER, -100, -200),
    250: (NEVER, -200),
    300: (NEVER, -200),
    350: (NEVER, -200),
    500: (NEVER, -200),
}
OWN_GOAL = PRESETS["bis-paper"].win
DEPTH = 150  # points below zero down to which a table without a losing goal reaches; a lower score counts as that
BAGS = CLASSIC.bag_limit  # of either side, as a table's last two axes count them
FREE = ("double_nil", "blind_nil", "blind_nil_points", "blind_nil_deficit")  # what may be bid, not what it is worth
TENS = 10  # points to a row of PLACES' tables
MOST_CELLS = 4_000_000  # of one more game's table
_TOLD = (  # what tells a game, goals first
    *("win", "lose", "bags", "bag_limit", "nil_points", "failed_nil_tricks", "min_bid", "team_min", "team_max"),
    *("ten_for_200", "variant", "bag_penalty"),
)


class Place(NamedTuple):
    """Where a game's table stands: shape (size, size, bags, bags) from cell ``start`` on, first row ``floor`` units."""

    floor: int
    size: int
    start: int
    bags: int = BAGS  # of either side, as the last two axes count them
    unit: int = TENS  # points to a row
    more: int = 0  # 1: in `more_win`


Key = tuple[int, int, int]  # goal, losing goal, bag penalty
GameKey = tuple[int, ...]  # by _TOLD, without bags as if each were taken back at once
Games = Mapping[GameKey, Place]


def _places() -> dict[Key, Place]:
    places: dict[Key, Place] = {}
    start = 0
    for penalty in PENALTIES:
        for win, losing in GOALS.items():
            for lose in losing:
                if penalty != CLASSIC.bag_penalty and win != OWN_GOAL:
                    places[win, lose, penalty] = places[win, lose, CLASSIC.bag_penalty]
                    continue
                floor = -DEPTH // 10 if lose == NEVER else (lose + 1) // 10
                place = Place(floor, win // 10 - floor, start)
                places[win, lose, penalty] = place
                start += place.size**2 * BAGS**2
    return places


PLACES = _places()
CELLS = max(place.start + place.size**2 * BAGS**2 for place in PLACES.values())


def rules_of(key: Key) -> Rules:
    """Classic's rules for a game of PLACES.

    >>> rules_of((200, -100, 110)).bag_penalty
    110
    """
    return CLASSIC._replace(win=key[0], lose=key[1], bag_penalty=key[2])


def key_of(rules: Rules) -> GameKey:
    """What tells the game of ``rules``.

    >>> key_of(PRESETS["no-bags"]) == key_of(CLASSIC)
    False
    """
    bags = rules.bags
    return (
        rules.win,
        rules.lose,
        bags,
        rules.bag_limit if bags else 1,
        rules.nil_points,
        rules.failed_nil_tricks,
        rules.min_bid,
        rules.team_min,
        rules.team_max,
        rules.ten_for_200,
        rules.variant,
        rules.bag_penalty if bags else 1,
    )


SHIPPED: Games = MappingProxyType({key_of(rules_of(key)): place for key, place in PLACES.items()})
ROWS = tuple((*key, *place) for key, place in SHIPPED.items())  # the same for kernels
COLUMNS = len(ROWS[0])  # of `games` too


def games_of(rows: Iterable[Iterable[int]]) -> Games:
    """The games of PLACES and those in the rows of `games`."""
    told = (tuple(int(value) for value in row) for row in rows)
    return {**{row[: len(_TOLD)]: Place(*row[len(_TOLD) :]) for row in told if any(row)}, **SHIPPED}


def own_place(rules: Rules, start: int) -> Place:
    """Where one more game's table would stand, from cell ``start`` of `more_win` on; `ValueError` where none can."""
    limit, penalty = (rules.bag_limit, rules.bag_penalty) if rules.bags else (1, 1)
    unit = gcd(TENS, limit - penalty)
    if rules.variant != PARTNERSHIP:
        raise ValueError(f"variant is {VARIANTS[rules.variant]}; expected partnership")
    if limit > BAGS:
        raise ValueError(f"bag_limit is {limit}; expected at most {BAGS}")
    floor = -DEPTH // unit if rules.lose == NEVER else (rules.lose + 1) // unit
    size = -(-rules.win // unit) - floor
    if size**2 * limit**2 > MOST_CELLS:
        raise ValueError(
            f"found {size} scores of {unit} points to a side and {limit} numbers of bags; expected at most {MOST_CELLS}"
            " pairs of both"
        )
    return Place(floor, size, start, limit, unit, 1)


def refusal(rules: Rules, games: Games = SHIPPED) -> tuple[str, str] | None:
    """The first field for which there is no win table, and what is expected of it; None where there is one.

    >>> refusal(CLASSIC._replace(win=400))
    ('win', '200, 250, 300, 350 or 500')
    """
    key = key_of(rules)
    if key in games:
        return None
    alike = [other for other in games if other[2:] == key[2:]]  # but for the goals
    if not alike:
        plain = key_of(CLASSIC)
        for field, value, usual in zip(_TOLD[2:], key[2:], plain[2:], strict=True):
            if field == "bag_penalty":
                return field, _either({other[-1] for other in games if other[2:-1] == key[2:-1]})
            if value != usual:
                return field, "the value of preset classic, or a table made for these rules"
    if all(other[0] != rules.win for other in alike):
        return "win", _either({other[0] for other in alike})
    return "lose", f"{_either({other[1] for other in alike if other[0] == rules.win})} with a goal of {rules.win}"


def _either(values: Iterable[int]) -> str:
    texts = ["null" if value == NEVER else str(value) for value in sorted(values)]
    return " or ".join((", ".join(texts[:-1]), texts[-1])) if len(texts) > 1 else texts[0]
