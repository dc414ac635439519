"""A card player that searches (`arena.players.search`), as an agent: `search@3(deals=500, tricks=5, bids=none)`."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from arena.agent_text import AgentText, Option, one_of, read_options, whole
from arena.called import CalledAgent, Resources
from arena.engine.jit import entry
from arena.engine.rounds import Ints
from arena.engine.simulate import tables_for
from arena.engine.states import STATE
from arena.engine.winprob import slice_of
from arena.players.search import CELLS, MOST_CARDS, Plan, Value, plan_of, try_cards
from arena.questions import CARD, Answering, Asked
from arena.refusals import require_win_table
from spades.inference import (
    BIDDERS,
    HolderNet,
    holder_inputs,
    holder_shares,
    places_of,
    reads_bids,
    scores_for_net,
)
from spades.legal import NO_BID, TRICKS
from spades.policies import parse_policy
from spades.rules import Rules
from spades.tables import Tables
from spades.winprob import win_array

# By name, the version; `search` is the newest.
VERSIONS = {"search": 3, "search@1": 1, "search@3": 3}
NAMES = tuple(VERSIONS)
NO_BIDS = "none"
SEARCH_OPTIONS = (
    whole("deals", 1, 1_000_000, 1_000, "most deals for a decision of search@1; search@3 takes about as long"),
    whole("tricks", 1, 13, 13, "the last tricks of a round in which it searches; SRP 3 plays those before"),
    one_of("bids", (*BIDDERS, NO_BIDS), BIDDERS[0], "the policy by which it assumes that the others bid"),
)
EQUAL = np.full((64, 3), 1.0 / 3.0)  # weights of cards about which nothing is known
PARTNERS = (0.0, 1.0, 0.0)  # weights of a card that was given to partner


@dataclass(frozen=True)
class SearchPlayer(CalledAgent):
    """A card player that searches (`arena.players.search`); `SEARCH_OPTIONS` describes its options."""

    deals: int = 1_000
    tricks: int = 13
    bids: str = BIDDERS[0]  # NO_BIDS: it does not read the bids
    version: int = VERSIONS["search"]
    about: ClassVar[str] = "a card player"
    options: ClassVar[tuple[Option, ...]] = SEARCH_OPTIONS
    is_bidder: ClassVar[bool] = False
    plays_cards: ClassVar[bool] = True
    searches: ClassVar[bool] = True

    @classmethod
    def read(cls, text: AgentText) -> Self:
        """Return the player that a text describes; see `CalledAgent`.

        >>> str(SearchPlayer.read(AgentText("search", {"deals": "50"})))
        'search@3(deals=50, tricks=13, bids=bis)'
        """
        return cls(**read_options(text, SEARCH_OPTIONS), version=VERSIONS[text.name])

    def opened(self, rules: Rules, resources: Resources) -> Answering:
        """Return what answers; see `CalledAgent`."""
        net = resources.nets.get(self.bids) if reads_bids(rules) else None
        return SearchAnswers(self, net, rules, resources.profiles)

    def questions(self) -> frozenset[int]:
        """Return that it plays cards."""
        return frozenset([CARD])

    def check(self, rules: Rules) -> None:
        """Raise `ArenaError` if no win table can value ``rules``."""
        require_win_table(rules, str(self))

    @property
    def asked_from(self) -> int:
        """Return the first place (0..51) of the tricks in which it searches."""
        return 4 * (13 - self.tricks)

    def __str__(self) -> str:
        options = {option.key: str(getattr(self, option.key)) for option in SEARCH_OPTIONS}
        return str(AgentText(f"search@{self.version}", options))


def _search(
    states: Any, sim: Any, rows: Any, seats: Any, weights: Any, plan: Plan, value: Value, tried: Any, cards: Any
) -> None:
    # sim (1,): working memory. rows (n,): of states. weights (n, 64, 3): of each card for the next three seats. tried
    # (n, MOST_CARDS, CELLS): get the rows of `try_cards`. cards (n,): get the choices.
    for i in range(len(rows)):
        cards[i] = try_cards(states[rows[i]], sim[0], seats[i], weights[i], plan, value, tried[i])


search_all = entry(_search)


def weights_by_bids(
    net: HolderNet, hands: Ints, seats: Ints, bids: Ints, scores: Ints, rules: Rules
) -> NDArray[np.float64]:
    """Return the weights (n, 64, 3) of each card for the next three seats after each of n players.

    ``hands`` (n,): the players' hands as dealt. ``seats`` (n,). ``bids`` (n, 4): by seat. ``scores`` (n, 4): points of
    the player's side and of the other, then their bags.
    """
    places = places_of(hands)
    known = np.where(bids > TRICKS, NO_BID, bids)  # any hand may have bid blind
    found = holder_shares(net, holder_inputs(hands, seats, known, scores_for_net(scores, rules), places))
    cards = np.flatnonzero(np.arange(64) % 16 < 13)
    weights = np.tile(EQUAL, (len(hands), 1, 1))
    weights[:, cards] = found[np.arange(len(hands))[:, None], places[:, cards]]
    return weights


class SearchAnswers(Answering):
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
        tried = np.zeros((len(asked.rows), MOST_CARDS, CELLS))
        search_all(asked.all_states, sim, asked.rows, asked.seats, weights, self._plan, self._value, tried, cards)
        return cards

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
