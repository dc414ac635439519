"""The card player `distilled@1` (`spades.play.distilled`), as an agent: many decisions at once."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from arena.agent_text import AgentText, Option, read_options, whole
from arena.called import CalledAgent, Resources
from arena.engine.jit import entry
from arena.engine.rounds import Ints
from arena.engine.states import scratch
from arena.errors import ArenaError
from arena.players.search import MOST_CARDS
from arena.questions import CARD, Answering, Asked
from spades.card_net import ARRAYS, DISTILLED, LEAST_GAINS, CardNet, card_net_of, gains, net_knows
from spades.options import FULL_LEVEL
from spades.play import (
    CARD_INPUTS,
    POSITION_INPUTS,
    card_inputs,
    cards_between,
    check_net,
    legal_cards,
    open_cards,
    position_inputs,
    srp4,
)
from spades.rules import Rules

AT_ONCE = 2048  # decisions whose sums are in memory together


@dataclass(frozen=True)
class DistilledPlayer(CalledAgent):
    """The card player that learned from a search."""

    level: int = FULL_LEVEL
    about: ClassVar[str] = "a card player"
    is_bidder: ClassVar[bool] = False
    plays_cards: ClassVar[bool] = True
    options: ClassVar[tuple[Option, ...]] = (
        whole("level", min(LEAST_GAINS), FULL_LEVEL, FULL_LEVEL, "strength: 4 sees only large gains"),
    )

    @classmethod
    def read(cls, text: AgentText) -> Self:
        """Return the player; see `CalledAgent`."""
        return cls(**read_options(text, cls.options))

    def opened(self, rules: Rules, resources: Resources) -> Answering:
        """Return what answers; see `CalledAgent`."""
        net = card_net_of(resources.arrays)
        check_net(net)
        return DistilledAnswers(net, self.level)

    def questions(self) -> frozenset[int]:
        """Return that it plays cards."""
        return frozenset([CARD])

    def check(self, rules: Rules) -> None:
        """Raise `ArenaError` for rules that the net does not know."""
        if not net_knows(rules):
            accepted = "classic, but with any goals, limits of bids, and points of blind bids and double nils"
            raise ArenaError(f"rules are other than classic; accepted with {self}: {accepted}")

    def arrays(self) -> tuple[str, ...]:
        """Return the names of the arrays with the net's weights."""
        return ARRAYS

    def __str__(self) -> str:
        return DISTILLED if self.level == FULL_LEVEL else str(AgentText(DISTILLED, {"level": str(self.level)}))


def _list_cards(states: Any, rows: Any, seats: Any, cards: Any, counts: Any) -> None:
    # rows (n,): of states. seats (n,). cards (n, MOST_CARDS): get the cards to choose from, that of `srp@4` first;
    # counts (n,): get their numbers.
    for i in range(len(rows)):
        state, me = states[rows[i]], seats[i]
        legal = legal_cards(state.hand[me], state.trick_size, state.trick[0], state.broken)
        counts[i] = open_cards(cards[i], legal, srp4(state, me), cards_between(state, me))


def _add_first_layer(
    states: Any, rows: Any, seats: Any, cards: Any, counts: Any, position: Any, card: Any, sums: Any
) -> None:
    # The first layer's weights are those of the net; sums (all cards, H): get its sums, decision by decision.
    found = scratch(POSITION_INPUTS + CARD_INPUTS)
    row = 0
    width = sums.shape[1]
    for i in range(len(rows)):
        state, me = states[rows[i]], seats[i]
        n = position_inputs(state, me, found)
        first = row
        for j in range(width):
            sums[first, j] = position[POSITION_INPUTS, j]
        for k in range(n):
            for j in range(width):
                sums[first, j] += position[found[k], j]
        for which in range(1, counts[i]):
            for j in range(width):
                sums[first + which, j] = sums[first, j]
        for which in range(counts[i]):
            n = card_inputs(state, me, cards[i, which], cards[i, 0], counts[i], found)
            for k in range(n):
                for j in range(width):
                    sums[row, j] += card[found[k], j]
            row += 1


list_cards, add_first_layer = entry(_list_cards), entry(_add_first_layer)


class DistilledAnswers(Answering):
    """The cards of the player."""

    def __init__(self, net: CardNet, level: int = FULL_LEVEL) -> None:
        self._net, self._least = net, LEAST_GAINS[level]

    def answers(self, asked: Asked) -> Ints:
        """Return the cards (n,) that the player chooses."""
        n = len(asked.rows)
        cards, counts = np.zeros((n, MOST_CARDS), np.int64), np.zeros(n, np.int64)
        list_cards(asked.all_states, asked.rows, asked.seats, cards, counts)
        chosen = cards[:, 0].copy()
        (open_,) = np.nonzero(counts > 1)
        for first in range(0, len(open_), AT_ONCE):
            some = open_[first : first + AT_ONCE]
            sums = np.empty((int(counts[some].sum()), self._net.position.shape[1]))
            add_first_layer(
                asked.all_states,
                *(asked.rows[some], asked.seats[some], cards[some], counts[some]),
                *(self._net.position, self._net.card, sums),
            )
            chosen[some] = cards[some, _best(gains(self._net, sums), counts[some], self._least)]
        return chosen


def _best(found: NDArray[np.float64], counts: Ints, least: float) -> Ints:
    """Return which card (n,) of each decision is played; ``found``: the gains of all cards, decision by decision."""
    places = np.arange(MOST_CARDS) < counts[:, None]
    by_card = np.full(places.shape, -np.inf)
    by_card[places] = found
    best = by_card.argmax(axis=1)
    return np.where(by_card.max(axis=1) - by_card[:, 0] > least, best, 0)
