"""A card player that searches (`arena.players.search`), as an agent of `arena.games`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import entry
from arena.engine.rounds import Ints
from arena.engine.simulate import tables_for
from arena.engine.states import STATE
from arena.engine.winprob import slice_of
from arena.players.search import Plan, Value, plan_of, search_card
from arena.players.search_names import SearchPlayer
from arena.players.search_weights import EQUAL, PARTNERS, weights_by_bids
from arena.questions import Asked
from spades.inference import HolderNet
from spades.policies import parse_policy
from spades.rules import Rules
from spades.tables import Tables
from spades.winprob import win_array


def _search(states: Any, sim: Any, rows: Any, seats: Any, weights: Any, plan: Plan, value: Value, cards: Any) -> None:
    # sim (1,): working memory. rows (n,): of states. weights (n, 64, 3): of each card for the next three seats. cards
    # (n,): get the choices.
    for i in range(len(rows)):
        cards[i] = search_card(states[rows[i]], sim[0], seats[i], weights[i], plan, value)


_search_all = entry(_search)


class SearchAnswers:
    """The cards of a player that searches.

    A holder net gives, for each unseen card, the probability of each holder from the bids. The search draws its deals
    with these weights. They depend only on the round and the seat, so they are made at the first card of a round.
    """

    def __init__(self, player: SearchPlayer, net: HolderNet | None, rules: Rules, profiles: tuple[Tables, ...]) -> None:
        """``net``: reads the bids; None: the bids are not used. ``profiles``: with the win table of ``rules``."""
        tables = tables_for(profiles, rules, [parse_policy("winprob", rules.variant)])
        place = slice_of(rules, tables)
        self._net, self._plan = net, plan_of(player.version, player.deals)
        self._value = Value(rules, place, win_array(place, tables))
        self._weights: dict[tuple[int, int, int], tuple[int, NDArray[np.float64]]] = {}  # by pair, swap and seat

    def answers(self, asked: Asked) -> Ints:
        """Return the cards (n,) that the search chooses."""
        cards, sim, weights = np.zeros(len(asked.rows), np.int64), np.zeros(1, STATE), self._weights_of(asked)
        _search_all(asked.all_states, sim, asked.rows, asked.seats, weights, self._plan, self._value, cards)
        return cards

    def close(self) -> None:
        """Do nothing: there is no connection."""

    def _weights_of(self, asked: Asked) -> NDArray[np.float64]:
        rounds, seats = asked.rounds, asked.seats
        keys = list(zip(rounds["deal"].tolist(), rounds["swap"].tolist(), seats.tolist(), strict=True))
        numbers = rounds["number"].tolist()
        known = [self._weights.get(key, (-1, None))[0] == number for key, number in zip(keys, numbers, strict=True)]
        new = np.flatnonzero(~np.array(known))
        if len(new):
            made = self._made(rounds[new], seats[new])
            self._weights |= {keys[i]: (numbers[i], weights) for i, weights in zip(new.tolist(), made, strict=True)}
        return np.stack([self._weights[key][1] for key in keys])

    def _made(self, rounds: NDArray[np.void], seats: Ints) -> NDArray[np.float64]:
        rows, others = np.arange(len(rounds)), seats ^ 1  # a seat of the other side
        dealt = rounds["hands"][rows, seats]
        weights = np.tile(EQUAL, (len(rounds), 1, 1))
        if self._net is not None:
            scores = [rounds[field][rows, who] for field in ("scores", "bags") for who in (seats, others)]
            bids = rounds["bids"].astype(np.int64)
            weights = weights_by_bids(self._net, dealt, seats, bids, np.stack(scores, axis=1), self._value.rules)
        given = rounds["passed"][rows, seats]  # the player knows that partner got these cards
        for card in range(64):
            weights[(given >> card & 1).astype(bool), card] = PARTNERS
        return weights
