"""`policy`, `convention`, `level` and `style`: which bidder decides, and how."""

from functools import lru_cache
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import AfterValidator, Field, StrictFloat, StrictInt, StrictStr, WithJsonSchema, with_config
from typing_extensions import TypedDict

from service.bidding.errors import PolicyError
from service.bidding.game.rules import PARTNERSHIP
from service.bidding.policies import SERVED, parse_policy, row_of, with_skill
from service.bidding.policy import CONVENTIONS, FULL_LEVEL, NO_CONVENTION, Policy
from service.contract.faults import refusal
from service.contract.rules import REQUEST
from service.problems import quote

POLICIES: Final = SERVED
DEFAULT_POLICY: Final = "bis"
POLICY_CHARS: Final = 200
POLICY_PATTERN: Final = f"^({'|'.join(POLICIES)})(:.*)?$"


@lru_cache(maxsize=1024)
def policy_fault(text: str) -> str | None:
    """Return why ``text`` is not a policy of the service; None if it is one."""
    base = text.partition(":")[0]
    if len(text) > POLICY_CHARS:
        return f"policy has {len(text)} characters; accepted: at most {POLICY_CHARS}"
    if base not in POLICIES:
        return f"policy is {quote(base)}; accepted: {', '.join(POLICIES)}, each with options or without"
    try:
        parse_policy(text)
    except PolicyError as error:
        return str(error)
    return None


def _checked(text: str) -> str:
    detail = policy_fault(text)
    if detail is not None:
        raise refusal(((), "unknown-policy", detail))
    return text


def plays_conventions(text: str) -> bool:
    """Whether the policy of ``text`` has the option `convention`."""
    return "convention" in row_of(text).options


class Bidder(NamedTuple):
    """Who decides: a policy with its convention."""

    policy: Policy
    base: str  # the policy's name without options
    convention: str
    needs_win_table: bool


@lru_cache(maxsize=1024)
def bidder_of(text: str, convention: str | None, variant: int) -> Bidder | None:
    """Return who decides; None if the policy can't play the convention.

    ``convention``: the request's field; None if it was left out, so that the policy's own option counts.
    """
    policy = parse_policy(text, variant)
    if convention is not None:
        policy = policy._replace(convention=CONVENTIONS.index(convention))
    if policy.convention != NO_CONVENTION and (not plays_conventions(text) or variant != PARTNERSHIP):
        return None
    row = row_of(text)
    return Bidder(policy, row.name, CONVENTIONS[policy.convention], row.needs_win_table)


PolicyText = Annotated[
    StrictStr,
    AfterValidator(_checked),
    WithJsonSchema({"type": "string", "pattern": POLICY_PATTERN, "maxLength": POLICY_CHARS, "examples": ["bis"]}),
]
Convention = Literal[CONVENTIONS]  # type: ignore[valid-type]
Level = Annotated[StrictInt, Field(ge=1, le=FULL_LEVEL)]
_Leaning = Annotated[StrictFloat, Field(ge=-1, le=1)]
_OWN = "Default: the policy's own."


@with_config(REQUEST)
class Style(TypedDict, total=False):
    """A preference added to a policy; 0: no preference."""

    aggression: Annotated[_Leaning | None, Field(description=f"Bid fewer tricks (-1) or more (1). {_OWN}")]
    nil_bias: Annotated[_Leaning | None, Field(description=f"Bid fewer nils (-1) or more (1). {_OWN}")]


def with_level_and_style(policy: Policy, level: int | None, style: Style | None) -> Policy:
    """Return ``policy`` with the request's `level` and `style`; parts that are left out stay as the policy has them."""
    changes: dict[str, Any] = {}
    if level is not None:
        changes["level"] = level
    for name, value in (style or {}).items():
        if value is not None:
            changes[name] = float(value)  # type: ignore[arg-type]
    return with_skill(policy._replace(**changes))
