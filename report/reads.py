"""Which arrays of the tables a match reads, and a bidder: a figure is unchanged if the bytes of these are.

The sets are never too small. They may be too large: an array that only some options of a policy read counts always.
"""

from collections.abc import Collection, Iterable

from arena.match import Match
from spades.inference import BIDDERS
from spades.options import BIS, RB, WINPROB, Policy
from spades.rules import Rules
from spades.scoring import START
from spades.tables import DECK_ARRAYS, MIXED_PROFILES, PROFILES, profile_of

BIS_FIELDS = (
    "p_length", "cnil", "side_high", "spade_high", "spade_takes", "ruffs", "factor", "curves", "single_curve",
    "contract_made", "mean_bids", "p_ace", "blind_nil",
)  # fmt: skip
WIN_TABLES = ("win", "extra_win", "games")
NET = ("net_position", "net_bid", "net_hidden", "net_out")
FIELDS = {BIS: BIS_FIELDS, RB: ("rb_suit",), WINPROB: (*BIS_FIELDS, *NET, *WIN_TABLES)}  # by kind; others read none
INFERENCE = tuple(
    name
    for bidder in BIDDERS
    for name in (f"prior_{bidder}", *(f"holders_{bidder}_{part}" for part in ("first", "second", "out")))
)


def arrays_of_match(match: Match, known: Collection[str]) -> set[str]:
    """Return the names of the arrays that the agents of ``match`` read; ``known``: all arrays of the tables."""
    names = set(match.arrays)
    for agent, policy in zip(match.agents, match.policies, strict=True):
        if agent.policy is not None:
            names |= arrays_of_policy(policy, match.rules, known)
    if match.searches:
        names |= {*WIN_TABLES, *INFERENCE}
    return names


def arrays_of_policy(policy: Policy, rules: Rules, known: Collection[str]) -> set[str]:
    """Return the names of the arrays that ``policy`` reads under ``rules``, at any score."""
    profiles = {profile_of(rules, policy, at) for at in (START, START._replace(them=10**6))}
    fields = FIELDS.get(policy.kind, ())
    return {own_array(field, profile_of_array(number, field), known) for number in profiles for field in fields}


def profile_of_array(profile: int, field: str) -> str:
    """Return the name of the profile whose array is ``field`` in ``profile``, an index in PROFILES or MIXED_PROFILES.

    >>> profile_of_array(len(PROFILES), "cnil"), profile_of_array(len(PROFILES), "curves")
    ('jokers', 'cutthroat')
    """
    if profile >= len(PROFILES):
        variant, deck = MIXED_PROFILES[profile - len(PROFILES)]
        profile = deck if field in DECK_ARRAYS else variant
    return PROFILES[profile]


def own_array(field: str, profile: str, known: Iterable[str]) -> str:
    """Return the name of the array that is ``field`` in ``profile``: its own, or the partnership's.

    >>> own_array("curves", "whiz", ["curves", "whiz_curves"]), own_array("cnil", "whiz", ["cnil"])
    ('whiz_curves', 'cnil')
    """
    return f"{profile}_{field}" if f"{profile}_{field}" in known else field
