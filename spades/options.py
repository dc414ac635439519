"""`Policy`: a bidder and its options as a flat tuple of numbers, so that kernels take it as it is, compiled or not.

Each option is declared once, at its field: the values that a policy text may give it, their unit and what they mean.
`policies` says which bidder has which options, and reads the texts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, NamedTuple, get_type_hints

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


@dataclass(frozen=True)
class Option:
    """Everything that is declared about an option; ``name``: its name in a policy text, "" if it is the field's."""

    values: Values
    meaning: str
    name: str = ""
    fields: tuple[str, ...] = ()  # filled in by `options_of_fields`: the fields of `Policy` that it sets


@dataclass(frozen=True)
class Internal:
    """A field that no option sets; ``source`` says what sets it instead."""

    source: str


_FLAG = words({"off": 0, "on": 1})
_IGNORE = words({"heed": 0, "ignore": 1})
_CURVES = words({"full": FULL, "single": SINGLE, "raw": RAW})
_POINTS = number(-1000.0, 1000.0, "POINTS")
_OFFSET = number(-5.0, 5.0, "TRICKS")
_TRICKS = number(0.0, 30.0, "TRICKS")
_CHANCE = number(0.0, 1.0, "PROBABILITY")
_LEANING = number(-1.0, 1.0, "-1..1")
_LEVELS = words({str(level): level for level in range(1, FULL_LEVEL + 1)})
_CONVENTIONS = words({name: i for i, name in enumerate(CONVENTIONS)})
_PLAYERS = words({name: i for i, name in enumerate(PLAYER_KINDS)})
_RANKS = Values("X-Y-Z", "three ranks such as 5-8-T", _three_ranks)
_REPLACED = "a request's `players` replaces it"
_NIL = Option(_RANKS, "Highest ranks of the lowest, second and third lowest card of each suit for a nil.", "nil")


# fmt: off
class Policy(NamedTuple):
    """A bidder and its options. Units are points, tricks and probabilities; flags are 0 or 1. Add new fields last."""

    kind: Annotated[int, Internal("the policy's name")] = BIS
    nil_threshold: Annotated[float, Option(_POINTS, "Expected points that a nil must be worth.")] = 25.0
    offset: Annotated[float, Option(_OFFSET, "Tricks added to the estimate before it is rounded.")] = 0.0
    curves: Annotated[int, Option(_CURVES, "Nil curves: by the previous bids, one for all, none.")] = FULL
    factor: Annotated[int, Option(_FLAG, "Whether the previous bids change the estimate.")] = 1
    endgame: Annotated[int, Option(_FLAG, "Whether the end-of-game rules apply.")] = 1
    spade_honours: Annotated[
        int, Option(words({"deny": 0, "allow": 1}), "Whether a nil may hold the king or queen of spades.")] = 0
    nil_floor: Annotated[float, Option(_CHANCE, "Least probability for the desperate nil at the end of a game.")] = 0.3
    nils: Annotated[int, Option(_FLAG, "Whether the policy bids nil at all.")] = 1
    dynamic: Annotated[int, Option(_FLAG, "Whether estimated contract points replace nil_threshold (BIS*).")] = 0
    nil_x: Annotated[int, _NIL] = 8  # ranks: 0 is the deuce, 8 the ten
    nil_y: Annotated[int, _NIL] = 9
    nil_z: Annotated[int, _NIL] = 10
    bid: Annotated[int, Option(whole_number(0, 13), "The bid that is made from every hand.")] = 4
    convention: Annotated[
        int, Option(_CONVENTIONS, "What both partners play; a request's `convention` replaces it.")] = NO_CONVENTION
    blind: Annotated[int, Option(_FLAG, "Whether the policy may bid blind nil before it sees the hand.")] = 0
    blind_frequency: Annotated[
        float, Option(_CHANCE, "How often it bids blind nil in fourth seat after a high sum of bids.")] = 0.0
    blind_floor: Annotated[float, Option(_CHANCE, "Least probability of making a blind nil.")] = 0.0
    answer_threshold: Annotated[
        float, Option(_POINTS, "Nil threshold after partner's signal, unless nil_threshold is lower.")] = -10.0
    signal_takes: Annotated[
        int, Option(words({"4": 4, "5": 5, "6": 6}), "Fewest tricks of a hand that signals; 4 as published.")] = 4
    nil_slope: Annotated[float, Option(_POINTS, "Nil threshold's rise for each trick, in whiz and suicide.")] = 0.0
    ignores: Annotated[int, Option(_IGNORE, "Whether to bid as if the variant were partnership.", "variant")] = 0
    ten_from: Annotated[
        float, Option(_TRICKS, "Tricks of both partners from which to bid ten where ten stakes 200.")] = 8.75
    forced_trick: Annotated[
        float, Option(_POINTS, "Cost of each trick over the estimate that `min_bid` forces.")] = 25.0
    ignores_rules: Annotated[
        int, Option(_IGNORE, "Whether to see classic rules, but for goals, blind nil and variant.", "rules")] = 0
    level: Annotated[int, Option(_LEVELS, "Skill; the highest is full strength.")] = 0  # 0: full strength, no style
    # Standard deviation of the misjudgement: tricks, or win probability for `winprob`.
    noise_sd: Annotated[float, Internal("the level")] = 0.0
    aggression: Annotated[float, Option(_LEANING, "Style: to fewer tricks (-1) or to more (1).")] = 0.0
    nil_bias: Annotated[float, Option(_LEANING, "Style: away from nils (-1) or to them (1).")] = 0.0
    nil_shift: Annotated[float, Internal("`levels.perturbed`")] = 0.0  # points by which this nil looks worse than it is
    certain: Annotated[int, Option(_FLAG, "Whether a number is at least the tricks that the spades take by force.")] = 1
    margin: Annotated[
        float, Option(_CHANCE, "Win probability by which a higher number must be better than a lower one.")] = 2e-3
    nil_margin: Annotated[
        float, Option(_CHANCE, "Win probability by which a nil must be better than the number chosen.")] = 5e-3
    even: Annotated[
        float, Option(_CHANCE, "If all numbers are closer in win probability, the regular takes are bid.")] = 5e-3
    left: Annotated[int, Option(_PLAYERS, f"How the next player bids; {_REPLACED}.")] = UNKNOWN
    partner: Annotated[int, Option(_PLAYERS, f"How partner bids; {_REPLACED}.")] = UNKNOWN
    right: Annotated[int, Option(_PLAYERS, f"How the player before bids; {_REPLACED}.")] = UNKNOWN
    far_margin: Annotated[
        float, Option(_CHANCE, "Win probability by which an unusual bid must be better, if the game can end.")] = 0.03
# fmt: on


def options_of_fields(policy_class: type) -> Mapping[str, Option]:
    """Return the options of a named tuple's fields by their names in a policy text.

    Raises `TypeError` naming a field that declares neither an `Option` nor that it is `Internal`.
    """
    found: dict[str, Option] = {}
    for field, hint in get_type_hints(policy_class, include_extras=True).items():
        rows = [row for row in getattr(hint, "__metadata__", ()) if isinstance(row, Option | Internal)]
        if len(rows) != 1:
            raise TypeError(
                f"{policy_class.__name__}.{field}: declare it as Annotated[..., Option(values, meaning)], "
                f"or as Annotated[..., Internal(source)] if no policy text sets it"
            )
        if isinstance(rows[0], Option):
            name = rows[0].name or field
            fields = found[name].fields if name in found else ()
            found[name] = replace(rows[0], name=name, fields=(*fields, field))
    return MappingProxyType(found)


OPTIONS = options_of_fields(Policy)
