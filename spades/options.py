"""`Policy`: a bidder and its options as a flat tuple of numbers, so that kernels take it as it is, compiled or not.

`OPTIONS` says which values a policy text may give to each option. `policies` says which bidder has which options, and
reads the texts.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from spades.arguments import decimal, integer
from spades.cards import RANKS

BIS, RB, MS, IO, FIXED, WINPROB = range(6)
FULL, SINGLE, RAW = 0, 1, 2  # curves: by the previous bids, one for all, the nil value itself
NO_CONVENTION, BIG5, BIG6, AUTO = range(4)
CONVENTIONS = ("none", "big5", "big6", "auto")
FULL_LEVEL = 5
UNKNOWN, LIKE_BIS, SIMPLE, LIKE_WINPROB, WEAK = range(5)
PLAYER_KINDS = ("unknown", "bis", "simple", "winprob", "weak")  # what `winprob` may know of another player


class Values(NamedTuple):
    """The values that an option takes in a policy text."""

    form: str  # in a list of options
    expected: str  # in an error message
    read: Callable[[str], tuple[float, ...] | None]  # text -> a number for each field; None if it is not accepted


def words(numbers: Mapping[str, int]) -> Values:
    """A closed list of words, kept as numbers."""
    read = {word: (number,) for word, number in numbers.items()}.get
    return Values("|".join(numbers), ", ".join(numbers), read)


def number(low: float, high: float, unit: str) -> Values:
    """Numbers from ``low`` to ``high``; ``unit`` stands for them in a list of options."""
    return Values(unit, f"a plain decimal number {low:g}..{high:g}", _within(low, high, decimal))


def whole_number(low: int, high: int) -> Values:
    """Whole numbers from ``low`` to ``high``."""
    return Values(f"{low}..{high}", f"{low}..{high}", _within(low, high, integer))


def _within(low: float, high: float, number_of: Callable[[str], float]) -> Callable[[str], tuple[float] | None]:
    def read(text: str) -> tuple[float] | None:
        try:
            value = number_of(text)
        except ValueError:
            return None
        return (value,) if low <= value <= high else None

    return read


def _three_ranks(text: str) -> tuple[float, ...] | None:
    ranks = text.upper().split("-")
    if len(ranks) != 3 or not all(len(rank) == 1 and rank in RANKS for rank in ranks):
        return None
    return tuple(RANKS.index(rank) for rank in ranks)


class Option(NamedTuple):
    """An option of a policy text: its values, and the fields of `Policy` that it sets."""

    values: Values
    fields: tuple[str, ...]


class Policy(NamedTuple):
    """A bidder and its options. Units are points, tricks and probabilities; flags are 0 or 1. Add new fields last.

    No option sets ``kind``, which is the policy's name. ``noise_sd`` and ``nil_shift`` follow from the level.
    """

    kind: int = BIS
    nil_threshold: float = 25.0  # expected points that a nil must be worth
    offset: float = 0.0  # tricks added to the estimate before it is rounded
    curves: int = FULL  # nil curves: by the previous bids, one for all, none
    factor: int = 1  # whether the previous bids change the estimate
    endgame: int = 1  # whether the end-of-game rules apply
    spade_honours: int = 0  # whether a nil may hold the king or queen of spades
    nil_floor: float = 0.3  # least probability for the desperate nil at the end of a game
    nils: int = 1  # whether the policy bids nil at all
    dynamic: int = 0  # whether estimated contract points replace nil_threshold (BIS*)
    # Highest ranks of the lowest, second and third lowest card of each suit for a nil: 0 is the deuce, 8 the ten.
    nil_x: int = 8
    nil_y: int = 9
    nil_z: int = 10
    bid: int = 4  # the bid that is made from every hand
    convention: int = NO_CONVENTION  # what both partners play; a request's `convention` replaces it
    blind: int = 0  # whether the policy may bid blind nil, or `winprob` a blind number, before it sees the hand
    blind_frequency: float = 0.0  # how often it bids blind nil in fourth seat after a high sum of bids
    blind_floor: float = 0.0  # least probability of making a blind nil
    answer_threshold: float = -10.0  # nil threshold after partner's signal, unless nil_threshold is lower
    signal_takes: int = 4  # fewest tricks of a hand that signals; 4 as published
    nil_slope: float = 0.0  # nil threshold's rise for each trick, in whiz and suicide
    ignores: int = 0  # whether to bid as if the variant were partnership
    ten_from: float = 8.75  # tricks of both partners from which to bid ten where ten stakes 200
    forced_trick: float = 25.0  # points: cost of each trick over the estimate that `min_bid` forces
    ignores_rules: int = 0  # whether to see classic rules, but for goals, blind nil and variant
    level: int = 0  # skill, 1 to FULL_LEVEL; 0: full strength, no style
    noise_sd: float = 0.0  # standard deviation of the misjudgement: tricks, or win probability for `winprob`
    aggression: float = 0.0  # style: to fewer tricks (-1) or to more (1)
    nil_bias: float = 0.0  # style: away from nils (-1) or to them (1)
    nil_shift: float = 0.0  # points by which this nil looks worse than it is
    certain: int = 1  # whether a number is at least the tricks that the spades take by force
    margin: float = 2e-3  # win probability by which a higher number must be better than a lower one
    nil_margin: float = 5e-3  # win probability by which a nil must be better than the number chosen
    even: float = 5e-3  # if all numbers are closer in win probability, the regular takes are bid
    left: int = UNKNOWN  # how the next player bids; a request's `players` replaces it, as the two below
    partner: int = UNKNOWN  # how partner bids
    right: int = UNKNOWN  # how the player before bids
    far_margin: float = 0.03  # win probability by which an unusual bid must be better, if the game can end


_FLAG = words({"off": 0, "on": 1})
_IGNORE = words({"heed": 0, "ignore": 1})
_POINTS = number(-1000.0, 1000.0, "POINTS")
_TRICKS = number(0.0, 30.0, "TRICKS")
_CHANCE = number(0.0, 1.0, "PROBABILITY")
_LEANING = number(-1.0, 1.0, "-1..1")
_PLAYERS = words({name: i for i, name in enumerate(PLAYER_KINDS)})
_VALUES = {
    "nil_threshold": _POINTS,
    "offset": number(-5.0, 5.0, "TRICKS"),
    "curves": words({"full": FULL, "single": SINGLE, "raw": RAW}),
    "factor": _FLAG,
    "endgame": _FLAG,
    "spade_honours": words({"deny": 0, "allow": 1}),
    "nil_floor": _CHANCE,
    "nils": _FLAG,
    "dynamic": _FLAG,
    "nil": Values("X-Y-Z", "three ranks such as 5-8-T", _three_ranks),
    "bid": whole_number(0, 13),
    "convention": words({name: i for i, name in enumerate(CONVENTIONS)}),
    "blind": _FLAG,
    "blind_frequency": _CHANCE,
    "blind_floor": _CHANCE,
    "answer_threshold": _POINTS,
    "signal_takes": words({"4": 4, "5": 5, "6": 6}),
    "nil_slope": _POINTS,
    "variant": _IGNORE,
    "ten_from": _TRICKS,
    "forced_trick": _POINTS,
    "rules": _IGNORE,
    "level": words({str(level): level for level in range(1, FULL_LEVEL + 1)}),
    "aggression": _LEANING,
    "nil_bias": _LEANING,
    "certain": _FLAG,
    "margin": _CHANCE,
    "nil_margin": _CHANCE,
    "even": _CHANCE,
    "left": _PLAYERS,
    "partner": _PLAYERS,
    "right": _PLAYERS,
    "far_margin": _CHANCE,
}
# The fields of the options that are not named for one field.
_FIELDS = {"nil": ("nil_x", "nil_y", "nil_z"), "variant": ("ignores",), "rules": ("ignores_rules",)}
# By name in a policy text.
OPTIONS: Final[Mapping[str, Option]] = MappingProxyType(
    {name: Option(values, _FIELDS.get(name, (name,))) for name, values in _VALUES.items()}
)
