"""Policies: read which bidder decides and with which options, from a text such as ``bis:endgame=off``.

A policy text is ``name``, ``name:option=value,...`` or ``name:tuned``. The service, the command line and the arena
read the same texts. `Policy` is a flat tuple of numbers, so that compiled kernels can take it.
"""

from functools import lru_cache
from typing import NamedTuple

from service.bidding.errors import PolicyError
from service.bidding.game.cards import RANKS
from service.bidding.game.rules import CUTTHROAT, JOKERS, PARTNERSHIP, SUICIDE, WHIZ
from service.bidding.numerals import decimal, integer

BIS, RB, MS, IO, FIXED, WINPROB = range(6)
FULL, SINGLE, RAW = 0, 1, 2  # `curves`: by the previous bids; one for all; the nil value itself
NO_CONVENTION, BIG5, BIG6, AUTO = range(4)
CONVENTIONS = ("none", "big5", "big6", "auto")


class Policy(NamedTuple):
    """A bidder and its options. Units are points, tricks and probabilities; flags are 0 or 1."""

    kind: int = BIS
    nil_threshold: float = 25.0
    offset: float = 0.0  # added to the estimate before rounding
    curves: int = FULL
    factor: int = 1  # the previous-bids factor
    endgame: int = 1
    spade_honours: int = 0  # 1: the king or queen of spades does not rule out a nil
    nil_floor: float = 0.3  # smallest nil probability for the end-of-game rule `desperate nil`
    nils: int = 1  # 0: never bid nil (used for fitting)
    dynamic: int = 0  # 1: BIS*, which computes the nil threshold from estimated partnership scores
    nil_x: int = 8  # nil rule of RB and MS: the highest accepted rank (0: deuce) of a suit's lowest card,
    nil_y: int = 9  # of its second lowest card,
    nil_z: int = 10  # and of its third lowest card
    bid: int = 4  # the bid of FIXED
    convention: int = NO_CONVENTION  # the convention of both partners; a request has a separate field for it
    blind: int = 0  # 1: may bid blind nil before seeing the hand
    blind_frequency: float = 0.1  # probability of a blind nil in fourth seat after a high sum of bids
    blind_floor: float = 0.0  # smallest probability of making a blind nil, whatever the reason for it
    answer_threshold: float = -10.0  # nil threshold after the partner's signal, if lower than the usual one
    signal_takes: int = 4  # fewest takes of a hand that signals; 4 as published
    nil_slope: float = 0.0  # whiz and suicide: points per trick by which the nil threshold rises
    ignores: int = 0  # 1: bid as if the variant were partnership
    ten_from: float = 8.75  # with `ten_for_200`: tricks of both partners from which to bid up to ten
    forced_trick: float = 25.0  # cost in points of each trick that `min_bid` forces above the takes
    ignores_rules: int = 0  # 1: bid as if all rules were classic's, except the goals, blind nil and variant
    level: int = 0  # 1..5 if a request has a level or a style (`with_skill`); 0: neither
    noise_sd: float = 0.0  # level below 5: standard deviation of its error, tricks; winprob: win probability
    aggression: float = 0.0  # style, -1..1: bid more tricks
    nil_bias: float = 0.0  # style, -1..1: bid more nils (`levels`)
    nil_shift: float = 0.0  # points by which a nil is undervalued for this hand (`levels.perturbed`)


NAMES = {"bis": BIS, "rb": RB, "ms": MS, "io": IO, "fixed": FIXED, "winprob": WINPROB}
SERVED = ("bis", "rb", "ms", "io", "winprob")  # the service's policies; `fixed` is for tests and the arena

# RB's nil ranks are fitted on our engine (`python -m tables fit rb`); MS has the published 5-8-T (ECAI 2020, app. F).
DEFAULTS = {name: Policy(kind=kind) for name, kind in NAMES.items()}
DEFAULTS["ms"] = Policy(kind=MS, nil_x=3, nil_y=6, nil_z=8)
# Fitted with `python -m tables fit bis`; see docs/strength.md.
TUNED: dict[str, dict[str, float]] = {
    "bis": {"nil_threshold": 0.0, "offset": 0.15, "forced_trick": 10.0, "blind_frequency": 1.0, "blind_floor": 0.3}
}
# Default options of a policy in a variant; option `tuned` gives the same there. The published values are for
# partnerships. Fitted with `python -m tables fit cutthroat` and `python -m tables fit variants`.
IN_VARIANT: dict[int, dict[str, dict[str, float]]] = {
    CUTTHROAT: {"bis": {"nil_threshold": -10.0, "offset": 0.2, "spade_honours": 1}},
    WHIZ: {"bis": {"nil_threshold": 15.0, "nil_slope": 15.0}},
    SUICIDE: {"bis": {"nil_threshold": -100.0, "nil_slope": 10.0, "spade_honours": 1}},
    JOKERS: {"bis": {"nil_threshold": 0.0, "offset": 0.15}},
}

FULL_LEVEL = 5
# Standard deviation of the error by level (index 0: no level). Fitted with `python -m tables fit levels`.
NOISE_SD_BY_LEVEL: dict[int, tuple[float, ...]] = {
    BIS: (0.0, 1.25, 1.05, 0.8, 0.55, 0.0),
    RB: (0.0, 1.0, 0.82, 0.64, 0.43, 0.0),
    MS: (0.0, 0.62, 0.51, 0.41, 0.31, 0.0),
    IO: (0.0, 0.82, 0.66, 0.48, 0.26, 0.0),
    WINPROB: (0.0, 0.3, 0.14, 0.08, 0.04, 0.0),
}

_OFF_ON = {"off": 0, "on": 1}
_WORDS: dict[str, tuple[str, dict[str, int]]] = {
    "curves": ("curves", {"full": FULL, "single": SINGLE, "raw": RAW}),
    "factor": ("factor", _OFF_ON),
    "endgame": ("endgame", _OFF_ON),
    "spade_honours": ("spade_honours", {"deny": 0, "allow": 1}),
    "nils": ("nils", _OFF_ON),
    "dynamic": ("dynamic", _OFF_ON),
    "convention": ("convention", {name: i for i, name in enumerate(CONVENTIONS)}),
    "signal_takes": ("signal_takes", {"4": 4, "5": 5, "6": 6}),
    "blind": ("blind", _OFF_ON),
    "variant": ("ignores", {"heed": 0, "ignore": 1}),
    "rules": ("ignores_rules", {"heed": 0, "ignore": 1}),
    "level": ("level", {str(level): level for level in range(1, FULL_LEVEL + 1)}),
}
_NUMBERS: dict[str, tuple[str, float, float]] = {
    "nil_threshold": ("nil_threshold", -1000.0, 1000.0),
    "answer_threshold": ("answer_threshold", -1000.0, 1000.0),
    "nil_slope": ("nil_slope", -1000.0, 1000.0),
    "offset": ("offset", -5.0, 5.0),
    "ten_from": ("ten_from", 0.0, 30.0),
    "forced_trick": ("forced_trick", -1000.0, 1000.0),
    "nil_floor": ("nil_floor", 0.0, 1.0),
    "blind_frequency": ("blind_frequency", 0.0, 1.0),
    "blind_floor": ("blind_floor", 0.0, 1.0),
    "aggression": ("aggression", -1.0, 1.0),
    "nil_bias": ("nil_bias", -1.0, 1.0),
}
UNITS = {
    "nil_threshold": "POINTS",
    "answer_threshold": "POINTS",
    "nil_slope": "POINTS",
    "offset": "TRICKS",
    "ten_from": "TRICKS",
    "forced_trick": "POINTS",
    "nil_floor": "PROBABILITY",
    "blind_frequency": "PROBABILITY",
    "blind_floor": "PROBABILITY",
    "aggression": "-1..1",
    "nil_bias": "-1..1",
}
_GRADES = ("level", "aggression", "nil_bias")
_OPTIONS = {
    BIS: (
        "tuned",
        "nil_threshold",
        "offset",
        "curves",
        "factor",
        "endgame",
        "spade_honours",
        "nil_floor",
        "nils",
        "dynamic",
        "convention",
        "signal_takes",
        "answer_threshold",
        "nil_slope",
        "blind",
        "blind_frequency",
        "blind_floor",
        "ten_from",
        "forced_trick",
        "variant",
        "rules",
        *_GRADES,
    ),
    RB: ("nil", "nils", "variant", *_GRADES),
    MS: ("nil", "nils", "variant", *_GRADES),
    IO: ("nils", "variant", *_GRADES),
    FIXED: ("bid",),
    WINPROB: _GRADES,
}


def options_of(name: str) -> list[str]:
    """Return the options of a policy as a user writes them.

    >>> options_of("io")
    ['nils=off|on', 'variant=heed|ignore', 'level=1|2|3|4|5', 'aggression=-1..1', 'nil_bias=-1..1']
    """
    forms = {"tuned": "tuned", "nil": "nil=X-Y-Z", "bid": "bid=0..13"}
    forms |= {key: f"{key}={'|'.join(words)}" for key, (_, words) in _WORDS.items()}
    forms |= {key: f"{key}={UNITS[key]}" for key in _NUMBERS}
    return [forms[key] for key in _OPTIONS[NAMES[name]]]


@lru_cache(maxsize=1024)
def parse_policy(text: str, variant: int = PARTNERSHIP) -> Policy:
    """Read a policy text for a game of ``variant``; raise `PolicyError` with what was found and what is accepted.

    >>> parse_policy("bis:curves=single,endgame=off").endgame
    0
    >>> parse_policy("rb:nil=5-8-T").nil_z
    8
    """
    name, colon, options = text.partition(":")
    if name not in NAMES:
        raise PolicyError(f"unknown policy {name!r}; accepted: {', '.join(NAMES)}")
    policy = DEFAULTS[name]
    ignoring = "variant=ignore" in options.split(",")
    fitted = {} if ignoring else IN_VARIANT.get(variant, {}).get(name, {})
    values: dict[str, float] = {}
    for option in options.split(",") if colon else ():
        key, _, value = option.partition("=")
        if key not in _OPTIONS[policy.kind]:
            expected = ", ".join(_OPTIONS[policy.kind])
            raise PolicyError(f"policy {name} has no option {key!r}; accepted: {expected}")
        values |= (fitted or TUNED[name]) if key == "tuned" and not value else _option(name, key, value)
    values = {**fitted, **values}
    return with_skill(policy._replace(**values))  # type: ignore[arg-type]


def with_skill(policy: Policy) -> Policy:
    """Return ``policy`` with the noise_sd of its level; with level 0 if it has full strength and no style."""
    level = policy.level or FULL_LEVEL
    if level == FULL_LEVEL and policy.aggression == 0.0 and policy.nil_bias == 0.0:
        level = 0
    noise_sd = NOISE_SD_BY_LEVEL[policy.kind][level] if level else 0.0
    return policy._replace(level=level, noise_sd=noise_sd)


def _option(name: str, key: str, value: str) -> dict[str, float]:
    if key in _WORDS:
        field, words = _WORDS[key]
        if value in words:
            return {field: words[value]}
        raise PolicyError(f"{name}: {key} is {value!r}; accepted: {', '.join(words)}")
    if key == "nil":
        ranks = value.upper().split("-")
        if len(ranks) == 3 and all(len(rank) == 1 and rank in RANKS for rank in ranks):
            x, y, z = (RANKS.index(rank) for rank in ranks)
            return {"nil_x": x, "nil_y": y, "nil_z": z}
        raise PolicyError(f"{name}: nil is {value!r}; accepted: three ranks such as 5-8-T")
    if key == "bid":
        try:
            bid = integer(value)
        except ValueError:
            bid = -1
        if 0 <= bid <= 13:
            return {"bid": bid}
        raise PolicyError(f"{name}: bid is {value!r}; accepted: 0..13")
    if key in _NUMBERS:
        field, low, high = _NUMBERS[key]
        try:
            number = decimal(value)
        except ValueError:
            number = float("nan")
        if low <= number <= high:
            return {field: number}
        raise PolicyError(f"{name}: {key} is {value!r}; accepted: a plain decimal number {low:g}..{high:g}")
    raise PolicyError(f"{name}: {key} is {value!r}; accepted: {key} without a value")
