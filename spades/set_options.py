"""Default policy options of a table set, and the policy that decides with them.

The options were tuned on the set's tables and apply unless the policy text sets them.

The entry FAMILY of the set's manifest lists them by policy and variant, and how they were found (`studio.tune`).
If a policy text sets an option itself, that value counts. A text with `tuned` or `variant=ignore` takes no option of a
set, because it names values that belong together.
"""

from functools import lru_cache
from typing import NamedTuple, TypeAlias

from spades.errors import PolicyError, TablesError
from spades.manifest import MANIFEST
from spades.options import CONVENTIONS, NO_CONVENTION, Policy
from spades.policies import SERVED, decider_of, kind_of, option_names, parse_policy
from spades.rules import PARTNERSHIP, VARIANTS
from spades.tableset import TableSet

FAMILY = "options"  # the manifest's entry, and the parameter of it that holds the list
MOST_CHARS = 100  # of the options of one policy, so that an answer's policy text stays short


class PolicyOptions(NamedTuple):
    """What a table set gives to one policy in one variant."""

    policy: str
    variant: str
    options: str  # as in a policy text: nil_threshold=-15,offset=0.2


SetOptions: TypeAlias = tuple[PolicyOptions, ...]


def options_of(tables: TableSet) -> SetOptions:
    """Return the options of a table set; () for most sets. Raises `TablesError` if no policy takes them."""
    family = tables.families.get(FAMILY)
    if family is None:
        return ()
    by_policy: dict[tuple[str, str], PolicyOptions] = {}
    try:
        for row in family.parameters[FAMILY]:
            entry = PolicyOptions(**row)
            _check(entry)
            if by_policy.setdefault(entry[:2], entry) is not entry:
                raise ValueError(f"found {entry.policy} with variant {entry.variant} twice; expected once")
    except (KeyError, TypeError, ValueError) as error:  # PolicyError is a ValueError
        raise TablesError(f"{tables.directory / MANIFEST}: {FAMILY}: {error}") from error
    return tuple(by_policy.values())


def _check(entry: PolicyOptions) -> None:
    policy, variant, options = entry
    if policy not in SERVED:
        raise PolicyError(f"found policy {policy!r}; expected {', '.join(SERVED)}")
    if variant not in VARIANTS:
        raise PolicyError(f"found variant {variant!r}; expected {', '.join(VARIANTS)}")
    if not 0 < len(options) <= MOST_CHARS:
        raise PolicyError(f"found {len(options)} characters for {policy}; expected 1 to {MOST_CHARS}")
    names = [option.partition("=")[0] for option in options.split(",")]
    if repeated := {name for name in names if names.count(name) > 1}:
        raise PolicyError(f"found {min(repeated)} more than once for {policy}; expected each option once")
    parsed = parse_policy(f"{policy}:{options}", VARIANTS.index(variant))
    if parsed.convention != NO_CONVENTION and variant != VARIANTS[PARTNERSHIP]:
        convention = CONVENTIONS[parsed.convention]
        raise PolicyError(f"found convention {convention} with variant {variant}; expected none in this variant")


@lru_cache(maxsize=1024)
def with_options(text: str, variant: int, options: SetOptions) -> str:
    """Return the policy text that decides a game of ``variant`` with a set that has ``options``.

    >>> with_options("bis:offset=1", 0, (PolicyOptions("bis", "partnership", "nil_threshold=-15,offset=0.2"),))
    'bis:nil_threshold=-15,offset=1'
    """
    name, _, options_text = text.partition(":")
    own_options = options_text.split(",") if options_text else []
    names = {option.partition("=")[0] for option in own_options}
    if "tuned" in names or "variant=ignore" in own_options:
        return text
    for entry in options:
        if entry[:2] == (name, VARIANTS[variant]):
            more = [option for option in entry.options.split(",") if option.partition("=")[0] not in names]
            return f"{name}:{','.join([*more, *own_options])}" if more else text
    return text


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
    policy, kind = parse_policy(decider, variant), kind_of(decider)
    if convention is not None:
        policy = policy._replace(convention=CONVENTIONS.index(convention))
    plays_convention = policy.convention == NO_CONVENTION or (plays_conventions(text) and variant == PARTNERSHIP)
    return Bidder(policy, decider, kind.name, CONVENTIONS[policy.convention], plays_convention, kind.needs_win_table)
