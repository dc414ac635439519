"""`q@1`: the learned bidder and card player of the spAIdes report (Gregory, Tolsma, Kardos and Shen, 2018).

A net values one action in one state: FEATURES numbers in, one number out. Bids and cards are actions of the same net.
The features do not say the score, or which suits a player has no cards of. Section 5 of the report lists them;
docs/more-results.md says what the report leaves open.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.agent_text import AgentText, one_of, read_options
from arena.engine.rounds import Ints, allowed_masks, legal_masks
from spades.legal import BLIND_NIL, BLIND_NUMBER, NO_BID
from spades.rules import CUTTHROAT, Rules

NETS = ("linear", "conv")
REPORT_REWARDS = ("tricks", "bid", "score")  # those of the report; `tables.learning.q1_training` explains all
REWARDS = (*REPORT_REWARDS, "return")
NAMES = ("q@1", "q")
Q1_OPTIONS = (
    one_of("net", NETS, NETS[1], "the kind of net"),
    one_of("reward", REWARDS, REWARDS[2], "what the player learned to gain"),
)

VARIANT = Rules._fields.index("variant")
CARDS = 52
# The first feature of each part, and the number of all. Cards of earlier tricks are "claimed", those on the table are
# the "pile".
HAND, CLAIMED, BIDS, PILE, TRICKS, BAGS, CHOSEN, FEATURES = 0, 52, 104, 108, 160, 164, 168, 220
NUMBERS = np.array([*range(BIDS, PILE), *range(TRICKS, CHOSEN)])  # features that are not cards
BID_ACTIONS = 14
FILTERS, WIDTH = 16, 64  # of the net with a convolution: its filters, and the size of its hidden layer
CARD_BITS = np.flatnonzero(np.arange(64) % 16 < 13)  # the bit number of each card, in order
Floats = NDArray[np.float32]


class QPlayer(NamedTuple):
    """A learned player."""

    net: str = NETS[1]
    reward: str = REWARDS[2]

    def __str__(self) -> str:
        return str(AgentText(NAMES[0], {"net": self.net, "reward": self.reward}))


def q_player(text: AgentText) -> QPlayer:
    """Return the learned player that a text with one of `NAMES` describes. Raises `AgentError`.

    >>> str(q_player(AgentText("q", {"reward": "tricks"})))
    'q@1(net=conv, reward=tricks)'
    """
    return QPlayer(**read_options(text, Q1_OPTIONS))


def state_features(states: NDArray[np.void], seats: Ints) -> Floats:
    """Return the features (n, CHOSEN) of ``states`` (n,) as ``seats`` (n,) see them.

    The own hand and the claimed cards are 0 or 1. A card in the pile is 1, 2 or 3, by its place in the trick. Bids (0
    for a nil, or before the bid), tricks and bags are numbers, from the own seat on clockwise.
    """
    n = np.arange(len(states))
    x = np.zeros((len(states), CHOSEN), np.float32)
    x[:, HAND:CLAIMED] = states["hand"][n, seats][:, None] >> CARD_BITS & 1
    x[:, CLAIMED:BIDS] = states["played"][:, None] >> CARD_BITS & 1
    clockwise = seats[:, None] + np.arange(4) & 3
    bids = states["bid"][n[:, None], clockwise]
    x[:, BIDS:PILE] = np.where(
        (bids == NO_BID) | (bids == BLIND_NIL), 0, np.where(bids > BLIND_NUMBER, bids - BLIND_NUMBER, bids)
    )
    x[:, TRICKS:BAGS] = states["taken"][n[:, None], clockwise]
    alone = (states["rules"][:, VARIANT] == CUTTHROAT)[:, None]
    x[:, BAGS:CHOSEN] = np.where(
        alone, states["seat_bags"][n[:, None], clockwise], states["bags"][n[:, None], clockwise & 1]
    )
    for place in range(3):
        (on_table,) = np.nonzero(states["trick_size"] > place)
        cards = _number(states["trick"][on_table, place])
        x[on_table, PILE + cards] = place + 1
        x[on_table, CLAIMED + cards] = 0  # cards of earlier tricks only
    return x


def _number(cards: Ints) -> Ints:
    return 13 * (cards >> 4) + (cards & 15)


class Options:
    """The actions that n seats may choose from, one row each: legal cards, or all bids, allowed or not.

    ``owners`` (rows,): index of the seat among the n, rising; ``actions`` (rows,): bids or cards; ``x`` (rows,
    FEATURES): inputs of the net; ``starts`` (n,): first row of each seat.
    """

    def __init__(self, states: NDArray[np.void], seats: Ints, bidding: bool) -> None:
        base = state_features(states, seats)
        if bidding:
            self.owners = np.repeat(np.arange(len(seats)), BID_ACTIONS)
            self.actions = np.tile(np.arange(BID_ACTIONS), len(seats))
        else:
            self.owners, found = np.nonzero(legal_masks(states, seats)[:, None] >> CARD_BITS & 1)
            self.actions = CARD_BITS[found]
        self.x = np.zeros((len(self.owners), FEATURES), np.float32)
        self.x[:, :CHOSEN] = base[self.owners]
        if bidding:
            self.x[:, BIDS] = self.actions
        else:
            self.x[np.arange(len(self.owners)), CHOSEN + _number(self.actions)] = 1
        self.starts = np.searchsorted(self.owners, np.arange(len(seats)))

    def best(self, values: Floats) -> Ints:
        """Return the first row (n,) of each seat that has the seat's highest of ``values`` (rows,)."""
        most = np.maximum.reduceat(values, self.starts)
        rows = np.flatnonzero(values == most[self.owners])
        found: Ints = rows[np.searchsorted(self.owners[rows], np.arange(len(self.starts)))]
        return found


def linear(weights: Any, x: Any, _: Any = np) -> Any:
    """Return the values (rows,) of a net without a hidden layer; the last of ``weights`` is the bias."""
    return x @ weights[:FEATURES] + weights[FEATURES]


def convolution(weights: Any, x: Any, xp: Any = np) -> Any:
    """Return the values (rows,) of a net with a convolution over three ranks of each suit, and a hidden ReLU layer.

    Its channels are hand, claimed cards, pile and chosen card. ``weights``: flat, see `split`; ``xp``: numpy or
    jax.numpy.
    """
    parts = [x[:, first : first + CARDS].reshape(-1, 4, 13, 1) for first in (HAND, CLAIMED, PILE, CHOSEN)]
    padded = xp.pad(xp.concatenate(parts, axis=3), ((0, 0), (0, 0), (1, 1), (0, 0)))
    windows = xp.concatenate([padded[:, :, shift : shift + 13] for shift in range(3)], axis=3)
    filters, first, second = split(weights)
    found = xp.maximum(windows @ filters[:-1] + filters[-1], 0.0).reshape(-1, CARDS * FILTERS)
    inner = xp.concatenate([found, x[:, NUMBERS]], axis=1)
    return xp.maximum(inner @ first[:-1] + first[-1], 0.0) @ second[:-1, 0] + second[-1, 0]


# Layers of the net with a convolution: filters (three ranks of four channels), hidden layer, output; each with biases.
SHAPES = ((12 + 1, FILTERS), (CARDS * FILTERS + len(NUMBERS) + 1, WIDTH), (WIDTH + 1, 1))


def split(weights: Any) -> list[Any]:
    """Return the layers of the net with a convolution, with shapes SHAPES; the last row of each is the biases."""
    ends = np.cumsum([rows * columns for rows, columns in SHAPES])
    starts = ends - [rows * columns for rows, columns in SHAPES]
    return [weights[start:end].reshape(shape) for start, end, shape in zip(starts, ends, SHAPES, strict=True)]


VALUES: dict[str, Callable[..., Any]] = {"linear": linear, "conv": convolution}


def first_weights(net: str, rng: np.random.Generator) -> Floats:
    """Return random weights of a net, flat; the biases and the linear net's weights are 0."""
    if net == "linear":
        return np.zeros(FEATURES + 1, np.float32)
    parts = []
    for rows, columns in SHAPES:
        drawn = rng.normal(0.0, np.sqrt(2.0 / rows), (rows, columns))
        drawn[-1] = 0.0
        parts.append(drawn.ravel())
    return np.concatenate(parts).astype(np.float32)


def array_of(player: QPlayer) -> str:
    """Return the name of the array with the weights of a player's net; its rows are in the order of REWARDS."""
    return f"q1_{player.net}"


def choose(player: QPlayer, arrays: Mapping[str, Floats], states: NDArray[np.void], seats: Ints, bidding: bool) -> Ints:
    """Return the bid or the card (n,) that `q@1` chooses for ``seats`` (n,), of those that the rules allow.

    ``arrays``: the weights by array name.
    """
    options = Options(states, seats, bidding)
    weights = arrays[array_of(player)][REWARDS.index(player.reward)]
    values = VALUES[player.net](weights, options.x)
    if bidding:
        values = np.where(allowed_masks(states, seats)[options.owners] >> options.actions & 1, values, -np.inf)
    return options.actions[options.best(values)]
