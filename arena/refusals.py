"""Rules under which an agent can't play: the errors say the rule, what it is and what is accepted."""

from collections.abc import Collection

from arena.errors import ArenaError
from spades.cards import DECKS, STANDARD
from spades.options import WINPROB
from spades.policies import parse_policy
from spades.rules import VARIANTS, Rules
from spades.winprob import WON_VARIANTS


def check_policy(policy: str, rules: Rules) -> None:
    """Raise `PolicyError` for a wrong policy text, or `ArenaError` for `winprob` under rules without a win table."""
    if parse_policy(policy, rules.variant).kind == WINPROB:
        require_win_table(rules, policy)


def require_win_table(rules: Rules, who: str) -> None:
    """Raise `ArenaError` if no win table can value ``rules``; ``who``: the agent, for the error."""
    refuse(rules, who, [number for number in range(len(VARIANTS)) if number not in WON_VARIANTS])


def refuse_with_jokers(rules: Rules, who: str, variants: Collection[int]) -> None:
    """Raise `ArenaError` for ``variants`` and for decks with jokers; ``who``: the agent, for the error."""
    refuse(rules, who, variants)
    if rules.deck != STANDARD:
        raise ArenaError(f"deck is {DECKS[rules.deck].name} with {who}; accepted: null")


def refuse(rules: Rules, who: str, variants: Collection[int]) -> None:
    """Raise `ArenaError` for ``variants``, by number; ``who``: the agent, for the error."""
    if rules.variant in variants:
        accepted = ", ".join(name for number, name in enumerate(VARIANTS) if number not in variants)
        raise ArenaError(f"variant is {VARIANTS[rules.variant]} with {who}; accepted: {accepted}")
