"""The public bots (`arena.public`), as agents."""

from dataclasses import dataclass
from typing import ClassVar, Self

from arena.agent_text import AgentText, Option, one_of, read_options
from arena.called import CalledAgent, Resources
from arena.engine.rounds import Ints
from arena.public.bots import BOTS, public_bids
from arena.questions import BID, Answering, Asked
from arena.refusals import refuse_jokers
from spades.rules import CUTTHROAT, Rules


@dataclass(frozen=True)
class PublicBot(CalledAgent):
    """A public bot. In a variant that its program lacks, it makes the legal bid that is nearest to its own."""

    number: int
    about: ClassVar[str] = "a public bot"
    options: ClassVar[tuple[Option, ...]] = (one_of("bot", BOTS, about="the program whose published rules it follows"),)

    @classmethod
    def read(cls, text: AgentText) -> Self:
        """Return the bot that a text names; see `CalledAgent`."""
        return cls(BOTS.index(read_options(text, cls.options)["bot"]))

    def opened(self, rules: Rules, resources: Resources) -> Answering:
        """Return what answers; see `CalledAgent`."""
        return PublicBids(self.number)

    def questions(self) -> frozenset[int]:
        """Return that it bids."""
        return frozenset([BID])

    def check(self, rules: Rules) -> None:
        """Raise `ArenaError` for cutthroat and for a deck with jokers: our kernels of the bots have no such rules."""
        refuse_jokers(rules, str(self), CUTTHROAT)

    def __str__(self) -> str:
        return str(AgentText("public", {"bot": BOTS[self.number]}))


class PublicBids(Answering):
    """The bids of the public bot with number ``bot``."""

    def __init__(self, bot: int) -> None:
        self._bot = bot

    def answers(self, asked: Asked) -> Ints:
        """Return the bids; see `Answering`."""
        return public_bids(self._bot, asked.all_states, asked.rows, asked.seats, asked.rules)
