"""`policy`, `convention`, `level`, `style` and `players`: which bidder decides, how, and how the others bid."""

from functools import lru_cache
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import AfterValidator, Field, StrictFloat, StrictInt, StrictStr, WithJsonSchema, with_config
from typing_extensions import TypedDict

from service.contract.faults import refusal
from service.contract.rules import REQUEST_CONFIG
from service.problems import quote
from spades.errors import PolicyError
from spades.game.rules import PARTNERSHIP
from spades.policies import BEST, SERVED, decider_of, option_names, parse_policy, row_of, with_skill
from spades.policy import CONVENTIONS, FULL_LEVEL, NO_CONVENTION, PLAYER_KINDS, Policy
from spades.set_options import SetOptions, with_options

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


def plays_conventions(text: str) -> bool:
    """Return whether the policy of ``text`` has the option `convention`."""
    return "convention" in option_names(text.partition(":")[0])


class Bidder(NamedTuple):
    """The policy that decides a request."""

    policy: Policy  # with its convention
    text: str
    base: str  # the text without options
    convention: str
    plays_convention: bool  # False: the policy of the request can't play the convention
    needs_win_table: bool


@lru_cache(maxsize=1024)
def bidder_of(text: str, convention: str | None, variant: int, has_win_table: bool, options: SetOptions) -> Bidder:
    """Return the policy that decides a request with policy ``text``.

    ``convention``: the request's field; None if it was left out, so that the policy's own option counts.
    ``has_win_table``: whether the rules have one; only `best` needs it. ``options``: those of the table set.
    """
    decider = with_options(decider_of(text, has_win_table), variant, options)
    policy, row = parse_policy(decider, variant), row_of(decider)
    if convention is not None:
        policy = policy._replace(convention=CONVENTIONS.index(convention))
    plays_convention = policy.convention == NO_CONVENTION or (plays_conventions(text) and variant == PARTNERSHIP)
    return Bidder(policy, decider, row.name, CONVENTIONS[policy.convention], plays_convention, row.needs_win_table)


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
