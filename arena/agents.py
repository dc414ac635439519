"""Agents: who sits in a chair, how it bids and how it plays cards. `AGENTS` lists all of them by name.

The text of an agent is `name(key=value, ...)` (`arena.agent_text`). Any agent that bids also takes ``cards=PLAYER``:
the card player of its seats, as in ``bis(endgame=off, cards=uct(tricks=5))``.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from arena.agent_text import AgentText, Option, parse_text, read_options, share
from arena.called import CalledAgent
from arena.called.card_net_player import DistilledPlayer
from arena.called.learned import RANDOM, Learned, RandomPlayer
from arena.called.outside import HttpProgram, PythonProgram
from arena.called.people import MODEL, People
from arena.called.policy_tables import PolicyWithTables, split_tables
from arena.called.public_bots import PublicBot
from arena.called.searching import NAMES as SEARCHES
from arena.called.searching import SearchPlayer
from arena.errors import AgentError
from arena.players.choose_card import IDS, UCT_IDS
from arena.players.names import UCT_OPTIONS, Player, format_player, parse_player
from arena.players.q1 import NAMES as LEARNED
from arena.questions import CARD
from arena.refusals import check_policy
from spades.card_net import DISTILLED
from spades.policies import BY_NAME, option_names
from spades.rules import Rules

BLEND = "blend"
BLEND_OPTIONS = (share("wrp", about="how often it plays a round as WRP, and otherwise as SRP"),)
CARDS = "cards"  # the option of all agents that bid


@dataclass(frozen=True)
class Agent:
    """Who sits in a chair.

    Compiled code bids as `policy`, and plays as `player` and `blend` say. Python calls the other agents: `called`.
    """

    text: str  # in the form name(key=value)
    policy: str | None = None  # a policy text of `spades.policies`
    player: Player | None = None
    blend: float | None = None  # how often it plays a round as WRP
    called: CalledAgent | None = None
    cards: "Agent | None" = None  # who plays the cards of its seats; None: the agent itself, or else the match decides

    @property
    def bids(self) -> bool:
        """Return whether the agent bids."""
        return self.policy is not None or (self.called is not None and self.called.is_bidder)

    def plays_its_cards(self) -> bool:
        """Return whether the agent, and not a card player, plays the cards of its seats; raises as its `questions`."""
        called = self.called
        return called is not None and called.outside and self.cards is None and CARD in called.questions()

    def check(self, rules: Rules, bidding: bool) -> None:
        """Raise an error if the agent can't bid (or if not ``bidding``, play cards) under ``rules``.

        It is an `AgentError`, `ArenaError`, `BuildError`, `PolicyError` or `TablesError`.
        """
        if bidding and not self.bids:
            raise AgentError(f"agent is {self.text!r}, which does not bid; accepted: {_names(lambda kind: kind.bids)}")
        if self.policy is not None:
            check_policy(self.policy, rules)
        if self.called is not None:
            self.called.check(rules)

    def version(self) -> str:
        """Return the text of a card player with its version and all its options, such as srp@3 for srp."""
        if self.blend is not None:
            return str(AgentText(BLEND, {"wrp": f"{self.blend:g}"}))
        if self.called is not None:
            return str(self.called)
        return format_player(self.player) if self.player is not None else self.text


# ---- the registry ----------------------------------------------------------------------------------------------------


class Kind(NamedTuple):
    """What a name stands for."""

    make: Callable[[AgentText], Agent]  # raises AgentError
    about: str
    options: tuple[Option, ...] = ()  # a policy has those of docs/reference/policies.md besides
    bids: bool = False
    plays: bool = False  # whether it plays cards


def _policy(text: AgentText) -> Agent:
    policy, folder = split_tables(str(text))
    if folder is None:
        return Agent(str(text), policy=policy)
    return Agent(str(text), called=PolicyWithTables.read(text))


def _player(text: AgentText) -> Agent:
    return Agent(str(text), player=parse_player(str(text)))


def _blend(text: AgentText) -> Agent:
    return Agent(str(text), blend=read_options(text, BLEND_OPTIONS)["wrp"])


def kind_of_called(called: type[CalledAgent]) -> Kind:
    """Return what the name of an agent that Python calls stands for."""

    def make(text: AgentText) -> Agent:
        return Agent(str(text), called=called.read(text))

    return Kind(make, called.about, called.options, called.is_bidder, called.plays_cards)


# By name. Policies with their own tables have the names of policies.
CALLED_AGENTS: dict[str, type[CalledAgent]] = {
    "public": PublicBot,
    MODEL: People,
    "python": PythonProgram,
    "http": HttpProgram,
    **dict.fromkeys(LEARNED, Learned),
    RANDOM: RandomPlayer,
    **dict.fromkeys(SEARCHES, SearchPlayer),
    DISTILLED: DistilledPlayer,
}
AGENTS: dict[str, Kind] = {
    **{name: Kind(_policy, "a policy of this project", bids=True) for name in BY_NAME},
    **{name: kind_of_called(called) for name, called in CALLED_AGENTS.items() if called.is_bidder},
    **{name: Kind(_player, "a card player", plays=True) for name in IDS},
    **{name: Kind(_player, "a card player", UCT_OPTIONS, plays=True) for name in UCT_IDS},
    **{name: kind_of_called(called) for name, called in CALLED_AGENTS.items() if not called.is_bidder},
    BLEND: Kind(_blend, "a card player, by round", BLEND_OPTIONS, plays=True),
}


@lru_cache(maxsize=256)
def parse_agent(text: str) -> Agent:
    """Return the agent that a text names. Raises `AgentError`.

    >>> parse_agent("bis:endgame=off").text, parse_agent("bis(cards=uct:5)").cards.text
    ('bis(endgame=off)', 'uct(tricks=5)')
    """
    parsed = parse_text(text)
    if parsed.name not in AGENTS:
        raise AgentError(f"agent is {text!r}; accepted: {_names(lambda kind: True)}")
    kind = AGENTS[parsed.name]
    player = parsed.options.get(CARDS)
    has_own_option = any(option.key == CARDS for option in kind.options)
    if player is None or not kind.bids or (has_own_option and player in ("on", "off")):
        return kind.make(parsed)
    if parse_text(player).name not in AGENTS:
        accepted = f"{'on, off, ' if has_own_option else ''}{_names(lambda kind: kind.plays)}"
        raise AgentError(f"{text}: {CARDS} is {player!r}; accepted: {accepted}")
    cards = parse_player_agent(player)
    whole = AgentText(parsed.name, parsed.options | {CARDS: cards.text})
    return replace(kind.make(parsed.without(CARDS)), text=str(whole), cards=cards)


def parse_player_agent(text: str) -> Agent:
    """Return the agent that a card player's text names. Raises `AgentError` if it plays no cards.

    People of a model play with the blend that fits them best; raises the errors of `People.blend`.
    """
    agent = parse_agent(text)
    if agent.cards is not None:
        raise AgentError(f"player is {text!r}; accepted: a card player without cards={agent.cards.text}")
    if isinstance(agent.called, People):
        return replace(agent, called=None, blend=agent.called.blend())
    if not AGENTS[parse_text(text).name].plays:
        raise AgentError(f"player is {text!r}, which plays no cards; accepted: {_names(lambda kind: kind.plays)}")
    return agent


def _names(accepts: Callable[[Kind], bool]) -> str:
    return ", ".join(name for name, kind in AGENTS.items() if accepts(kind))


# ---- the command -----------------------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    text = "print this agent's text in the form NAME(KEY=VALUE, ...) instead, from that form or an earlier one"
    parser.add_argument("text", nargs="?", metavar="AGENT", help=text)


def main(arguments: argparse.Namespace) -> int:
    """List the agents that can play in a match, with their options. Raises `AgentError`."""
    if arguments.text is not None:
        print(parse_agent(arguments.text).text)
        return 0
    for name, kind in AGENTS.items():
        print(f"{name}: {kind.about}")
        for option in kind.options:
            default = "" if option.required or option.default == "" else f" (default {option.default})"
            print(f"    {option.key}={option.accepted}: {option.about}{default}")
        if name in BY_NAME:
            print(f"    {', '.join(option_names(name))}: see docs/reference/policies.md")
            print("    tables=FOLDER: the table set that it reads instead of the shipped one")
        if kind.bids:
            print(f"    {CARDS}=PLAYER: the card player of its seats")
    return 0
