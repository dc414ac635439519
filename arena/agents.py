"""Agents: who sits in a chair, how it bids and how it plays cards. `AGENTS` lists all of them by name.

The text of an agent is `name(key=value, ...)` (`arena.agent_text`). Any agent that bids also takes ``cards=PLAYER``:
the card player of its seats, as in ``bis(endgame=off, cards=uct(tricks=5))``. To add an agent, add a row to `AGENTS`.
"""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from arena.agent_text import AgentText, Option, one_of, parse_text, read_options
from arena.batched import (
    BLEND,
    BLEND_OPTIONS,
    FOLDER_OPTION,
    MODEL,
    blend_of,
    check_batched,
    open_batched,
    split_tables,
)
from arena.chunks import Arrays
from arena.errors import AgentError, ArenaError
from arena.learned import LearnedPlayer, arrays_of
from arena.outside import OPTIONS as OUTSIDE
from arena.outside import open_outside, questions_of
from arena.players.choose_card import IDS, UCT_IDS
from arena.players.names import UCT_OPTIONS, Player, format_player, parse_player
from arena.players.q1 import NAMES as LEARNED
from arena.players.q1 import Q1_OPTIONS, QPlayer, parse_q
from arena.public.bots import BOTS, PublicBot
from arena.questions import BID, CARD, Answering
from arena.searching import NAMES as SEARCHES
from arena.searching import SEARCH_OPTIONS, SearchAnswers, SearchPlayer, parse_search
from spades.inference import HolderNet, reads_bids
from spades.policies import BY_NAME, option_names, parse_policy
from spades.rules import PARTNERSHIP, VARIANTS, Rules, describe
from spades.tables import Tables

CARDS = "cards"  # the option of all agents that bid
BOT_OPTIONS = (one_of("bot", BOTS, about="the program whose published rules it follows"),)


class Resources(NamedTuple):
    """What agents that Python calls read, besides their own files."""

    arrays: Arrays  # of the tables, for learned players
    nets: Mapping[str, HolderNet]  # by the policy whose bids they read, for players that search
    profiles: tuple[Tables, ...]  # `Tables` by table profile, for players that search


@dataclass(frozen=True)
class Agent:
    """Who sits in a chair.

    Compiled code bids as `policy`, and plays as `player` and `blend` say. Other agents are called from Python
    (`opened`): public bots, models of people and policies with their own tables, learned players, players that search,
    and programs outside.
    """

    text: str  # in the form name(key=value)
    policy: str | None = None  # a policy text of `spades.policies`
    bot: int | None = None  # number of a public bot
    player: Player | None = None
    blend: float | None = None  # how often it plays a round as WRP
    search: SearchPlayer | None = None
    learned: QPlayer | None = None
    batched: bool = False  # a model of people, or a policy with its own tables
    outside: bool = False
    cards: "Agent | None" = None  # who plays the cards of its seats; None: the agent itself, or else the match decides

    @property
    def bids(self) -> bool:
        """Return whether the agent bids."""
        return self.policy is not None or BID in self._kinds()

    @property
    def is_called(self) -> bool:
        """Return whether Python calls the agent."""
        return bool(self._kinds())

    def _kinds(self) -> frozenset[int]:
        # The questions of this kind of agent; a program outside always bids.
        if self.learned:
            return frozenset([BID, CARD])
        if self.search:
            return frozenset([CARD])
        return frozenset([BID] if self.batched or self.outside or self.bot is not None else [])

    @property
    def text_alone(self) -> str:
        """Return the text without the option `cards`."""
        return str(parse_text(self.text).without(CARDS)) if self.cards else self.text

    def questions(self) -> frozenset[int]:
        """Return the questions that the agent answers in Python. Reads its file; raises `BidderError`."""
        if self.outside:
            return questions_of(self.text_alone)
        return self._kinds()

    def plays_its_cards(self) -> bool:
        """Return whether the agent, and not a card player, plays the cards of its seats; raises as `questions`."""
        return self.outside and self.cards is None and CARD in self.questions()

    @property
    def asked_from(self) -> int:
        """Return the first place (0..51) of a round whose card the agent is asked for."""
        return 4 * (13 - self.search.tricks) if self.search else 0

    def opened(self, rules: Rules, read: Resources) -> Answering:
        """Return what answers for the agent. Raises `BidderError` or `TablesError`."""
        if self.learned is not None:
            return LearnedPlayer(self.learned, read.arrays)
        if self.search is not None:
            net = read.nets.get(self.search.bids) if reads_bids(rules) else None
            return SearchAnswers(self.search, net, rules, read.profiles)
        if self.bot is not None:
            return PublicBot(self.bot)
        if self.outside:
            return open_outside(self.text_alone)
        return open_batched(self.text_alone, rules)

    def check(self, rules: Rules, bidding: bool) -> None:
        """Raise an error if the agent can't bid (or if not ``bidding``, play cards) under ``rules``.

        It is an `AgentError`, `ArenaError`, `BidderError`, `BuildError`, `PolicyError` or `TablesError`.
        """
        if self.learned and (rules.variant != PARTNERSHIP or rules.deck):
            found = f"variant is {VARIANTS[rules.variant]} and deck {describe(rules)['deck']} with {self.text}"
            raise ArenaError(f"{found}; accepted: partnership with the standard deck")
        if not bidding:
            return
        if not self.bids:
            raise AgentError(f"agent is {self.text!r}, which does not bid; accepted: {_names(lambda kind: kind.bids)}")
        if self.bot is not None and rules.variant != PARTNERSHIP:
            raise ArenaError(f"variant is {VARIANTS[rules.variant]} with {self.text}; accepted: partnership")
        if self.policy is not None:
            parse_policy(self.policy)
        if self.batched:
            check_batched(self.text_alone, rules)

    def version(self) -> str:
        """Return the text of a card player with its version and all its options, such as srp@3 for srp."""
        if self.blend is not None:
            return str(AgentText(BLEND, {"wrp": f"{self.blend:g}"}))
        if self.search or self.learned:
            return str(self.search or self.learned)
        return format_player(self.player) if self.player is not None else self.text


# ---- the registry ----------------------------------------------------------------------------------------------------


class Kind(NamedTuple):
    """What a name stands for."""

    make: Callable[[AgentText], Agent]  # raises AgentError
    about: str
    options: tuple[Option, ...] = ()  # a policy has those of docs/reference/policies.md besides
    bids: bool = False


def _policy(text: AgentText) -> Agent:
    policy, folder = split_tables(str(text))
    return Agent(str(text), policy=policy) if folder is None else Agent(str(text), batched=True)


def _bot(text: AgentText) -> Agent:
    return Agent(str(text), bot=BOTS.index(read_options(text, BOT_OPTIONS)["bot"]))


def _outside(text: AgentText) -> Agent:
    read_options(text, OUTSIDE[text.name])
    return Agent(str(text), outside=True)


def _people(text: AgentText) -> Agent:
    read_options(text.without(*(key for key in text.options if key != FOLDER_OPTION.key)), (FOLDER_OPTION,))
    return Agent(str(text), batched=True)


AGENTS: Mapping[str, Kind] = {
    **{name: Kind(_policy, "a policy of this project", bids=True) for name in BY_NAME},
    "public": Kind(_bot, "a public bot", BOT_OPTIONS, bids=True),
    MODEL: Kind(_people, "people of a model; other options are their label", (FOLDER_OPTION,), bids=True),
    "python": Kind(_outside, "a function or an object in a Python file", OUTSIDE["python"], bids=True),
    "http": Kind(_outside, "a server", OUTSIDE["http"], bids=True),
    **{
        name: Kind(
            lambda text: Agent(str(text), learned=parse_q(str(text))),
            "random bids and cards" if name == "random" else "a learned player",
            Q1_OPTIONS if name == "q@1" else (),
            bids=True,
        )
        for name in LEARNED
    },
    **{name: Kind(lambda text: Agent(str(text), player=parse_player(str(text))), "a card player") for name in IDS},
    **{
        name: Kind(lambda text: Agent(str(text), player=parse_player(str(text))), "a card player", UCT_OPTIONS)
        for name in UCT_IDS
    },
    **{
        name: Kind(lambda text: Agent(str(text), search=parse_search(str(text))), "a card player", SEARCH_OPTIONS)
        for name in SEARCHES
    },
    BLEND: Kind(lambda text: Agent(str(text), blend=blend_of(str(text))), "a card player, by round", BLEND_OPTIONS),
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
    own = any(option.key == CARDS for option in kind.options) and player in ("on", "off")
    if player is None or own or not kind.bids:
        return kind.make(parsed)
    cards = parse_player_agent(player)
    whole = AgentText(parsed.name, parsed.options | {CARDS: cards.text})
    return replace(kind.make(parsed.without(CARDS)), text=str(whole), cards=cards)


def parse_player_agent(text: str) -> Agent:
    """Return the agent that a card player's text names. Raises `AgentError` if it plays no cards.

    People of a model play with the blend that fits them best; raises the errors of `blend_of`.
    """
    agent = parse_agent(text)
    if agent.cards is not None:
        raise AgentError(f"player is {text!r}; accepted: a card player without cards={agent.cards.text}")
    if parse_text(agent.text).name == MODEL:
        return replace(agent, batched=False, blend=blend_of(agent.text))
    if agent.policy is not None or agent.bot is not None or agent.batched:
        raise AgentError(f"player is {text!r}, which plays no cards; accepted: {_names(lambda kind: not kind.bids)}")
    return agent


def nets_of(agents: tuple[Agent, ...]) -> list[str]:
    """Return the names of the arrays that learned players among ``agents`` read."""
    return [name for agent in agents for name in arrays_of(agent.learned)]


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
