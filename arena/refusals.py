"""Checks of agents that can't play all rules. Their errors name the rule, its value, the agent and what is accepted."""

from collections.abc import Collection

from arena.errors import ArenaError
from spades.cards import DECKS, STANDARD
from spades.options import WINPROB
from spades.policies import parse_policy
from spades.rules import JOKERS, VARIANTS, Rules
from spades.winprob import WON_VARIANTS


def check_policy(policy: str, rules: Rules) -> None:
    """Raise `PolicyError` for a wrong policy text, or `ArenaError` for `winprob` under rules without a win table."""
    if parse_policy(policy, rules.variant).kind == WINPROB:
        require_win_table(rules, policy)


def require_win_table(rules: Rules, who: str) -> None:
    """Raise `ArenaError` if no win table can value ``rules``; ``who``: the agent."""
    _refuse(rules, who, [number for number in range(len(VARIANTS)) if number not in WON_VARIANTS])


def refuse_jokers(rules: Rules, who: str, *variants: int) -> None:
    """Raise `ArenaError` for decks with jokers, and for the other ``variants``; ``who``: the agent."""
    _refuse(rules, who, (JOKERS, *variants))
    if rules.deck != STANDARD:
        raise ArenaError(f"deck is {DECKS[rules.deck].name} with {who}; accepted: null")


def _refuse(rules: Rules, who: str, variants: Collection[int]) -> None:
    if rules.variant in variants:
        accepted = ", ".join(name for number, name in enumerate(VARIANTS) if number not in variants)
        raise ArenaError(f"variant is {VARIANTS[rules.variant]} with {who}; accepted: {accepted}")
