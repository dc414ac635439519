"""The games that `winprob` knows: which rules have a win table, and where it stands in the array `win`.

Not the tables themselves (`winning` reads them, `tables.win` makes them). A game is told by goal, losing goal and bag
penalty; all other rules are classic's, but for those that leave the worth of a score alone (FREE). The preset
bis-paper's penalty has tables of its own at its own goal only: at the others it reads classic's, whose penalty is ten
points less; to 500 `winprob` beats `bis` by as much so as under classic (docs/strength.md).
"""

from typing import NamedTuple

from service.bidding.rules import NEVER, PRESETS, Rules

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
_TOLD = ("win", "lose", "bag_penalty")


class Place(NamedTuple):
    """Where a game's table stands: shape (size, size, BAGS, BAGS) from cell ``start`` on, first row ``floor`` tens."""

    floor: int
    size: int
    start: int


Key = tuple[int, int, int]  # goal, losing goal, bag penalty


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
ROWS = tuple((*key, *place) for key, place in PLACES.items())  # the same for kernels


def key_of(rules: Rules) -> Key:
    """The game that rules tell; in PLACES where `refusal` finds nothing."""
    return rules.win, rules.lose, rules.bag_penalty


def rules_of(key: Key) -> Rules:
    """Classic's rules for a game.

    >>> key_of(rules_of((200, -100, 110)))
    (200, -100, 110)
    """
    return CLASSIC._replace(win=key[0], lose=key[1], bag_penalty=key[2])


def refusal(rules: Rules) -> tuple[str, str] | None:
    """The first field for which there is no win table, and what is expected of it; None where there is one.

    >>> refusal(CLASSIC._replace(win=400))
    ('win', '200, 250, 300, 350 or 500')
    """
    for field in Rules._fields:
        if field not in FREE and field not in _TOLD and getattr(rules, field) != getattr(CLASSIC, field):
            return field, "the value of preset classic"
    if rules.bag_penalty not in PENALTIES:
        return "bag_penalty", _either(PENALTIES)
    if rules.win not in GOALS:
        return "win", _either(tuple(GOALS))
    if rules.lose not in GOALS[rules.win]:
        return "lose", f"{_either(GOALS[rules.win])} with a goal of {rules.win}"
    return None


def _either(values: tuple[int, ...]) -> str:
    texts = ["null" if value == NEVER else str(value) for value in values]
    return f"{', '.join(texts[:-1])} or {texts[-1]}"
