"""`q@2`: a learned bidder and card player that knows the score, the bags and which players have no cards of a suit.

One net values all actions of a position in one pass: 52 cards and 14 bids. A value says by how many hundredths of a win
the action is better than the mean of the actions that the player may choose. `tables.learning.q2_training` trains the
net, for games to LEARNED_GOAL without a pass and without blind nils. It plays other games as if they were such games.

The net's places for the side suits are in the order of the hand's lengths (`holders.places_of`). So it does not
matter which suit is which. Of touching cards, the player considers only the lowest.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.engine.rounds import Ints, allowed_masks, legal_masks
from arena.players.q1 import CARD_BITS
from spades.inference import places_of
from spades.legal import BLIND_NIL, NIL, NO_BID
from spades.rules import Rules

CARDS, BIDS = 52, 14
ACTIONS = CARDS + BIDS
LEARNED_GOAL = 200  # the winning goal of the training; in another game, only the points that are left to the goal count
LOWEST = -100  # points: the losing goal of the training; lower scores count as this one
FIRST_POINTS, MOST_POINTS, STEP = -120, LEARNED_GOAL, 20  # of the classes of points, and their width
NEEDS = (-3, 13)  # range of the tricks that a side still needs for its contract; numbers outside are clipped
# The parts of the input, and the number of inputs in each; all are 0 or 1.
INPUT_PARTS = {
    # Own cards; unseen cards; the card on the table of each other seat; own cards above all unseen ones of their suit;
    # own legal cards that would win the trick so far.
    "cards": 7 * CARDS,
    # Parts by seat or by side begin with the own one and go on clockwise. Voids are those of the three other seats.
    "voids": 3 * 4,
    "bids": 4 * (BLIND_NIL + 1),
    "taken": 4 * 14,
    "needs": 2 * (NEEDS[1] - NEEDS[0] + 1),
    "nils": 4,
    "left": 14,
    "table": 4,
    "winner": 4,
    "broken": 1,
    "turn": 5,  # bids made
    "points": 2 * ((MOST_POINTS - FIRST_POINTS) // STEP + 1),
    "bags": 2 * 10,
}
INPUTS = sum(INPUT_PARTS.values())
ARRAYS = ("q2_first", "q2_second", "q2_out")
Bits = NDArray[np.uint8]


class Net(NamedTuple):
    """The net's weights; the last row of each is the biases."""

    first: Any  # float32 (INPUTS + 1, H)
    second: Any  # float32 (H + 1, G)
    out: Any  # float32 (G + 1, ACTIONS)


def inputs_of(states: NDArray[np.void], seats: Ints) -> Bits:
    """Return the inputs (n, INPUTS) of ``states`` (n,) as ``seats`` (n,) see them, in the order of INPUT_PARTS.

    The deck must be the standard one.
    """
    n = np.arange(len(states))
    clockwise = seats[:, None] + np.arange(4) & 3
    hands, played, size = states["hand"][n, seats], states["played"], states["trick_size"]
    unseen = states["deck"] & ~played & ~hands
    places = places_of(hands)
    table = [np.where(size >= 4 - k, 1 << states["trick"][n, np.maximum(size + k - 4, 0)], 0) for k in (1, 2, 3)]
    own = [hands & ~_smeared(unseen), winning(states, seats, hands)]
    bids, taken = states["bid"][n[:, None], clockwise], states["taken"][n[:, None], clockwise]
    bids = np.where(bids == BLIND_NIL, NIL, bids)  # the training has no blind nils
    alive = (bids == NIL) & (taken == 0)
    numbers = np.where(bids > NIL, bids - taken, 0)
    needs = np.clip(numbers[:, :2] + numbers[:, 2:], *NEEDS) - NEEDS[0]
    made = (bids != NO_BID).sum(axis=1)
    winner = np.where(size > 0, (states["winner"] - seats) & 3, -1)
    sides = clockwise[:, :2] & 1
    points, bags = states["score"][n[:, None], sides], states["bags"][n[:, None], sides]
    goal, limit = _rule(states, "win"), _rule(states, "bag_limit")
    points = np.clip(points + LEARNED_GOAL - goal, LOWEST, MOST_POINTS) - FIRST_POINTS
    bags = np.clip(bags * 10 // np.maximum(limit, 1), 0, 9)
    parts = (
        *(_by_place(cards, places) for cards in (hands, unseen, *table, *own)),
        _voids(states["void"][n[:, None], clockwise[:, 1:]], places),
        _classes(bids, BLIND_NIL + 1),
        _classes(taken, 14),
        _classes(needs, NEEDS[1] - NEEDS[0] + 1),
        alive,
        _classes(13 - states["taken"].sum(axis=1)[:, None], 14),
        _classes(size[:, None], 4),
        _classes(winner[:, None], 4),
        states["broken"][:, None] > 0,
        _classes(made[:, None], 5),
        _classes(points // STEP, (MOST_POINTS - FIRST_POINTS) // STEP + 1),
        _classes(bags, 10),
    )
    return np.concatenate(parts, axis=1).astype(np.uint8)


def _rule(states: NDArray[np.void], name: str) -> Ints:
    found: Ints = states["rules"][:, Rules._fields.index(name)][:, None]
    return found


def _smeared(cards: Ints) -> Ints:
    # Return the cards and all lower ones of their suits. A suit has 16 bits, of which the upper three are empty.
    for shift, mask in ((1, 0x7FFF), (2, 0x3FFF), (4, 0x0FFF), (8, 0x00FF)):
        cards = cards | cards >> shift & mask * 0x0001000100010001
    return cards


def winning(states: NDArray[np.void], seats: Ints, hands: Ints) -> Ints:
    """Return the legal cards (n,) that would win the trick so far, as bit masks; 0 for the first card of a trick."""
    best = states["best_card"]
    higher = hands & (0x1FFF << (best >> 4 << 4)) & ~((np.int64(2) << best) - 1)
    trumps = np.where(best >> 4 == 3, 0, hands & 0x1FFF << 48)
    return np.where(states["trick_size"] > 0, (higher | trumps) & legal_masks(states, seats), 0)


def _by_place(cards: Ints, places: Ints) -> Bits:
    found = np.zeros((len(cards), CARDS), np.uint8)
    found[np.arange(len(cards))[:, None], places[:, CARD_BITS]] = cards[:, None] >> CARD_BITS & 1
    return found


def _voids(voids: Ints, places: Ints) -> Bits:
    found = np.zeros((len(voids), 3, 4), np.uint8)
    for suit in range(4):
        found[np.arange(len(voids)), :, places[:, 16 * suit] // 13] = voids >> suit & 1
    return found.reshape(len(voids), 12)


def _classes(values: Ints, number: int) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = values[:, :, None] == np.arange(number)
    return found.reshape(len(values), -1)


def values_of(net: Net, inputs: Any, xp: Any = np) -> Any:
    """Return the values (n, ACTIONS), float32, of all actions, also of those that are not allowed.

    ``inputs`` (n, INPUTS); ``xp``: numpy or jax.numpy.
    """
    x = xp.maximum(inputs.astype(np.float32) @ net.first[:-1] + net.first[-1], 0)
    x = xp.maximum(x @ net.second[:-1] + net.second[-1], 0)
    return x @ net.out[:-1] + net.out[-1]


def choose(net: Net, states: NDArray[np.void], seats: Ints, bidding: bool) -> Ints:
    """Return the bid or the card (n,) that `q@2` chooses for ``seats`` (n,), of those that the rules allow."""
    values = values_of(net, inputs_of(states, seats))
    if bidding:
        allowed = allowed_masks(states, seats)[:, None] >> np.arange(BIDS) & 1
        found: Ints = np.argmax(np.where(allowed, values[:, CARDS:], -np.inf), axis=1)
        return found
    places = places_of(states["hand"][np.arange(len(seats)), seats])[:, CARD_BITS]
    legal = legal_masks(states, seats, distinct=True)[:, None] >> CARD_BITS & 1
    by_card = np.where(legal, np.take_along_axis(values, places, axis=1), -np.inf)
    cards: Ints = CARD_BITS[np.argmax(by_card, axis=1)]
    return cards
