"""`CalledAgent`: an agent that Python calls, as its text describes it. `arena.agents.CALLED_AGENTS` lists them.

The modules of this package have such agents, each with what answers for it. docs/how-to/extend.md adds one.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

from numpy.typing import NDArray

from arena.agent_text import AgentText, Option
from arena.questions import Answering
from spades.inference import HolderNet
from spades.rules import Rules
from spades.tables import Tables


class Resources(NamedTuple):
    """What agents that Python calls read, besides their own files."""

    arrays: Mapping[str, NDArray[Any]]  # of the tables: those that `CalledAgent.arrays` names
    nets: Mapping[str, HolderNet]  # by the policy whose bids they read; only if an agent of the match searches
    profiles: tuple[Tables, ...]  # `Tables` by table profile; only if an agent of the match searches


class CalledAgent(ABC):
    """An agent that Python calls, with the options of its text.

    Subclasses are frozen dataclasses: they are compared, and sent to other processes. `str` gives the text with all
    options, and with the version of a card player.
    """

    about: ClassVar[str]  # one line of the list of agents
    options: ClassVar[tuple[Option, ...]] = ()
    is_bidder: ClassVar[bool] = True
    plays_cards: ClassVar[bool] = False
    searches: ClassVar[bool] = False  # whether it reads nets, profiles and the win table of the rules
    # Whether a file or a server decides: it may change, and it plays its own cards if it can.
    outside: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def read(cls, text: AgentText) -> Self:
        """Return the agent that a text describes. Raises `AgentError`."""

    @abstractmethod
    def opened(self, rules: Rules, resources: Resources) -> Answering:
        """Return what answers for the agent. Raises `BidderError` or `TablesError`."""

    @abstractmethod
    def questions(self) -> frozenset[int]:
        """Return the questions (`arena.questions`) that it answers. A program reads its file; raises `BidderError`."""

    def check(self, rules: Rules) -> None:
        """Raise an error if it can't answer under ``rules``. By default it can answer under all rules.

        It is an `AgentError`, `ArenaError`, `BuildError`, `PolicyError` or `TablesError`.
        """
        return

    def arrays(self) -> tuple[str, ...]:
        """Return the names of the arrays of the tables that it reads."""
        return ()

    def folder_version(self) -> str:
        """Return the version of the model or of the tables in its folder; empty if it has none. Raises as `check`."""
        return ""

    @property
    def asked_from(self) -> int:
        """Return the first place (0..51) of a round whose card it is asked for."""
        return 0
