"""`policy`, `convention`, `level`, `style` and `players`: which bidder decides, how, and how the others bid."""

from functools import lru_cache
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, StrictFloat, StrictInt, StrictStr, WithJsonSchema, with_config
from typing_extensions import TypedDict

from spades.contract.faults import quote, refusal
from spades.contract.rules import REQUEST_CONFIG
from spades.errors import PolicyError
from spades.options import CONVENTIONS, FULL_LEVEL, PLAYER_KINDS, Policy
from spades.policies import BEST, SERVED, decider_of, parse_policy, with_skill

POLICIES: Final = (BEST, *SERVED)
DEFAULT_POLICY: Final = "bis"
POLICY_CHARS: Final = 200
POLICY_PATTERN: Final = f"^({'|'.join(POLICIES)})(:.*)?$"


def policy_fault(text: str) -> str | None:
    """Return why ``text`` is not a policy of the service; None if it is one."""
    if len(text) > POLICY_CHARS:
        return f"policy has {len(text)} characters; accepted: at most {POLICY_CHARS}"
    base = text.partition(":")[0]
    if base not in POLICIES:
        return f"policy is {quote(base)}; accepted: {', '.join(POLICIES)}, each with options or without"
    try:
        parse_policy(decider_of(text, True))
    except PolicyError as error:
        return str(error)
    return None


@lru_cache(maxsize=1024)  # keeps accepted texts only; for these, pydantic runs no Python function
def _accepted(text: str) -> str:
    fault = policy_fault(text)
    if fault is None:
        return text
    raise refusal(((), "unknown-policy", fault))


PolicyText = Annotated[
    StrictStr,
    AfterValidator(_accepted),
    WithJsonSchema({"type": "string", "pattern": POLICY_PATTERN, "maxLength": POLICY_CHARS, "examples": ["bis"]}),
]
Convention = Literal[CONVENTIONS]  # type: ignore[valid-type]
Level = Annotated[StrictInt, Field(ge=1, le=FULL_LEVEL)]
_Leaning = Annotated[StrictFloat, Field(ge=-1, le=1)]
_OWN = "Default: the policy's own."


@with_config(REQUEST_CONFIG)
class Style(TypedDict, total=False):
    """A preference added to a policy; 0: no preference."""

    aggression: Annotated[_Leaning | None, Field(description=f"Bid fewer tricks (-1) or more (1). {_OWN}")]
    nil_bias: Annotated[_Leaning | None, Field(description=f"Bid fewer nils (-1) or more (1). {_OWN}")]


_Kind = Literal[PLAYER_KINDS]  # type: ignore[valid-type]
_UNKNOWN = "Default: unknown, or what the policy's option says."


@with_config(REQUEST_CONFIG)
class Players(TypedDict, total=False):
    """How the others bid: like `bis`, by simple counts like `rb` and `ms`, like `winprob`, or weakly."""

    left: Annotated[_Kind | None, Field(description=f"The opponent who bids next. {_UNKNOWN}")]
    partner: Annotated[_Kind | None, Field(description=f"The partner. {_UNKNOWN}")]
    right: Annotated[_Kind | None, Field(description=f"The opponent who bids before. {_UNKNOWN}")]


def with_players(policy: Policy, players: Players) -> Policy:
    """Return ``policy`` with what the request says about the other players."""
    known = {place: PLAYER_KINDS.index(str(kind)) for place, kind in players.items() if kind is not None}
    return policy._replace(**known)


def with_level_and_style(policy: Policy, level: int | None, style: Style | None) -> Policy:
    """Return ``policy`` with the request's `level` and `style`; parts that are left out stay as the policy has them."""
    changes: dict[str, Any] = {}
    if level is not None:
        changes["level"] = level
    for name, value in (style or {}).items():
        if value is not None:
            changes[name] = float(value) + 0.0  # type: ignore[arg-type]  # not -0.0, which the answer would show
    return with_skill(policy._replace(**changes))
