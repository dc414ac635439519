"""Policies: which bidder decides, with which options, from a text such as ``bis:endgame=off``.

A policy text is ``name`` or ``name:option=value,...`` or ``name:variant``; the service, the command line and
the arena read the same texts. `Policy` is a flat tuple of numbers, so that kernels take it as it is.
"""

from functools import lru_cache
from typing import NamedTuple

from service.bidding.cards import RANKS
from service.bidding.errors import PolicyError

BIS, RB, MS, IO, FIXED = 0, 1, 2, 3, 4
FULL, SINGLE, RAW = 0, 1, 2  # curves: by the previous bids, one for all, the nil value itself
NO_CONVENTION, BIG5, BIG6, AUTO = range(4)
CONVENTIONS = ("none", "big5", "big6", "auto")


class Policy(NamedTuple):
    """A bidder and its options; points, tricks and probabilities; flags 0 or 1."""

    kind: int = BIS
    nil_threshold: float = 25.0
    offset: float = 0.0  # added to the estimate before rounding
    curves: int = FULL
    factor: int = 1  # the previous-bids factor
    endgame: int = 1
    spade_honours: int = 0  # 1: K or Q of spades does not rule a nil out
    nil_floor: float = 0.3  # least nilProb for the desperate nil of end-of-game rule 4
    nils: int = 1  # 0: never nil (fitting)
    dynamic: int = 0  # 1: BIS*, the threshold from estimated partnership scores instead of nil_threshold
    nil_x: int = 8  # RB's nil rule: highest rank of the lowest card of each suit (0 the deuce),
    nil_y: int = 9  # of the second lowest,
    nil_z: int = 10  # of the third
    bid: int = 4  # FIXED's bid
    convention: int = NO_CONVENTION  # what both partners play; a request says it in a field of its own
    blind: int = 0  # 1: may bid blind nil before it sees its hand
    ignores: int = 0  # 1: bids as if the variant were partnership


NAMES = {"bis": BIS, "rb": RB, "ms": MS, "io": IO, "fixed": FIXED}
SERVED = ("bis", "rb", "ms", "io")  # what the service offers; `fixed` is for tests and the arena

# RB's nil ranks are fitted to our engine (`python -m tables fit rb`); MS keeps the published 5-8-T (appendix F).
DEFAULTS = {name: Policy(kind=kind) for name, kind in NAMES.items()}
DEFAULTS["ms"] = Policy(kind=MS, nil_x=3, nil_y=6, nil_z=8)
# `python -m tables fit bis`, see docs/strength.md.
TUNED: dict[str, dict[str, float]] = {"bis": {"nil_threshold": 0.0, "offset": 0.1}}

_OFF_ON = {"off": 0, "on": 1}
_WORDS: dict[str, tuple[str, dict[str, int]]] = {
    "curves": ("curves", {"full": FULL, "single": SINGLE, "raw": RAW}),
    "factor": ("factor", _OFF_ON),
    "endgame": ("endgame", _OFF_ON),
    "spade_honours": ("spade_honours", {"deny": 0, "allow": 1}),
    "nils": ("nils", _OFF_ON),
    "dynamic": ("dynamic", _OFF_ON),
    "convention": ("convention", {name: i for i, name in enumerate(CONVENTIONS)}),
    "blind": ("blind", _OFF_ON),
    "variant": ("ignores", {"heed": 0, "ignore": 1}),
}
_NUMBERS: dict[str, tuple[str, float, float]] = {
    "nil_threshold": ("nil_threshold", -1000.0, 1000.0),
    "offset": ("offset", -5.0, 5.0),
    "nil_floor": ("nil_floor", 0.0, 1.0),
}
UNITS = {"nil_threshold": "POINTS", "offset": "TRICKS", "nil_floor": "PROBABILITY"}
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
        "blind",
        "variant",
    ),
    RB: ("nil", "nils", "variant"),
    MS: ("nil", "nils", "variant"),
    IO: ("nils", "variant"),
    FIXED: ("bid",),
}


def options_of(name: str) -> list[str]:
    """The options of a policy as a user writes them.

    >>> options_of("io")
    ['nils=off|on', 'variant=heed|ignore']
    """
    forms = {"tuned": "tuned", "nil": "nil=X-Y-Z", "bid": "bid=0..13"}
    forms |= {key: f"{key}={'|'.join(words)}" for key, (_, words) in _WORDS.items()}
    forms |= {key: f"{key}={UNITS[key]}" for key in _NUMBERS}
    return [forms[key] for key in _OPTIONS[NAMES[name]]]


@lru_cache(maxsize=1024)
def parse_policy(text: str) -> Policy:
    """Read a policy text; raise `PolicyError` naming what was found and expected.

    >>> parse_policy("bis:curves=single,endgame=off").endgame
    0
    >>> parse_policy("rb:nil=5-8-T").nil_z
    8
    """
    name, colon, options = text.partition(":")
    if name not in NAMES:
        raise PolicyError(f"unknown policy {name!r}; expected one of {', '.join(NAMES)}")
    policy = DEFAULTS[name]
    if not colon:
        return policy
    values: dict[str, float] = {}
    for option in options.split(","):
        key, _, value = option.partition("=")
        if key not in _OPTIONS[policy.kind]:
            expected = ", ".join(_OPTIONS[policy.kind])
            raise PolicyError(f"policy {name} has no option {key!r}; expected one of {expected}")
        values |= TUNED[name] if key == "tuned" and not value else _option(name, key, value)
    return policy._replace(**values)  # type: ignore[arg-type]


def _option(name: str, key: str, value: str) -> dict[str, float]:
    if key in _WORDS:
        field, words = _WORDS[key]
        if value in words:
            return {field: words[value]}
        raise PolicyError(f"{name}: {key} is {value!r}; expected one of {', '.join(words)}")
    if key == "nil":
        ranks = value.upper().split("-")
        if len(ranks) == 3 and all(len(rank) == 1 and rank in RANKS for rank in ranks):
            x, y, z = (RANKS.index(rank) for rank in ranks)
            return {"nil_x": x, "nil_y": y, "nil_z": z}
        raise PolicyError(f"{name}: nil is {value!r}; expected three ranks such as 5-8-T")
    if key == "bid":
        if value.isdecimal() and int(value) <= 13:
            return {"bid": int(value)}
        raise PolicyError(f"{name}: bid is {value!r}; expected 0..13")
    if key in _NUMBERS:
        field, low, high = _NUMBERS[key]
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if low <= number <= high:
            return {field: number}
        raise PolicyError(f"{name}: {key} is {value!r}; expected a number {low:g}..{high:g}")
    raise PolicyError(f"{name}: {key} takes no value, found {value!r}")
