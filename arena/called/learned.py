"""The learned player `q@1`, and the player of random bids and cards, as agents."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from arena.agent_text import AgentText, Option, read_options
from arena.called import CalledAgent, Resources
from arena.engine.mixing import mixed
from arena.engine.rounds import Ints, allowed_masks, legal_masks
from arena.players import q1
from arena.players.q1 import Q1_OPTIONS, QPlayer, q_player
from arena.questions import BID, CARD, Answering, Asked
from arena.refusals import refuse_jokers
from spades.rules import Rules

RANDOM = "random"


@dataclass(frozen=True)
class Learned(CalledAgent):
    """A learned player. Its nets have an input for each card of the standard deck."""

    player: QPlayer
    about: ClassVar[str] = "a learned player"
    options: ClassVar[tuple[Option, ...]] = Q1_OPTIONS
    plays_cards: ClassVar[bool] = True

    @classmethod
    def read(cls, text: AgentText) -> Self:
        """Return the player that a text describes; see `CalledAgent`."""
        return cls(q_player(text))

    def opened(self, rules: Rules, resources: Resources) -> Answering:
        """Return what answers; see `CalledAgent`."""
        return LearnedAnswers(self.player, resources.arrays)

    def questions(self) -> frozenset[int]:
        """Return that it bids and plays cards."""
        return frozenset([BID, CARD])

    def check(self, rules: Rules) -> None:
        """Raise `ArenaError` for a deck with jokers."""
        refuse_jokers(rules, str(self))

    def arrays(self) -> tuple[str, ...]:
        """Return the name of the array with the net's weights."""
        return (q1.array_of(self.player),)

    def __str__(self) -> str:
        return str(self.player)


class LearnedAnswers(Answering):
    """The bids and cards of a learned player."""

    def __init__(self, player: QPlayer, arrays: Mapping[str, NDArray[Any]]) -> None:
        """``arrays``: the weights of its net, by name."""
        self._player, self._arrays = player, arrays

    def answers(self, asked: Asked) -> Ints:
        """Return the bids or cards of the net; see `Answering`."""
        return q1.choose(self._player, self._arrays, asked.states, asked.seats, asked.question == BID)


@dataclass(frozen=True)
class RandomPlayer(CalledAgent):
    """The player of random bids and cards."""

    about: ClassVar[str] = "random bids and cards"
    plays_cards: ClassVar[bool] = True

    @classmethod
    def read(cls, text: AgentText) -> Self:
        """Return the player; see `CalledAgent`."""
        read_options(text, cls.options)
        return cls()

    def opened(self, rules: Rules, resources: Resources) -> Answering:
        """Return what answers; see `CalledAgent`."""
        return RandomAnswers()

    def questions(self) -> frozenset[int]:
        """Return that it bids and plays cards."""
        return frozenset([BID, CARD])

    def __str__(self) -> str:
        return RANDOM


class RandomAnswers(Answering):
    """Random bids and cards."""

    def answers(self, asked: Asked) -> Ints:
        """Return random bids or cards; see `Answering`."""
        return random_actions(asked.states, asked.seats, asked.question == BID)


def random_actions(states: NDArray[np.void], seats: Ints, bidding: bool) -> Ints:
    """Return random bids or cards of those that the rules allow; they depend only on the hand and the seat."""
    keys = (states["hand"][np.arange(len(seats)), seats] * 4 + seats).astype(np.uint64)
    drawn = mixed(keys) / 2.0**64  # 0..1
    if bidding:
        allowed = allowed_masks(states, seats)[:, None] >> np.arange(q1.BID_ACTIONS) & 1
    else:
        allowed = legal_masks(states, seats)[:, None] >> np.arange(64) & 1
    places = (drawn * allowed.sum(axis=1)).astype(np.int64)  # among the allowed ones
    found: Ints = np.argmax(allowed.cumsum(axis=1) > places[:, None], axis=1)
    return found
