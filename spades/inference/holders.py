"""Who may hold each unseen card, from the bids made so far and from what a viewer knows.

If the viewer is a player, a small net reads the own cards, the bids and the score (`holder_shares`). For a spectator,
who knows no hand, a table gives the priors. Both give each card a weight for each seat. `deals` turns the weights into
probabilities that fit what is known: every seat holds its number of cards, and no card that it cannot hold.

The net has two hidden ReLU layers and, for each card, a softmax over the three other seats. It treats the side suits
alike: they come in the order of the hand's lengths. `tables.learning.holders` trains it. All its weights are integers,
and so are the values between the layers. float64 adds and multiplies such numbers exactly, so every machine computes
the same logits, whatever the order of its sums.

The tables of priors have a row for each sequence of one to four bids: first all sequences of one bid, then of two, of
three and of four. A bid above HIGHEST_CLASS counts as HIGHEST_CLASS, and a blind nil as a nil. The columns are the 13
ranks of a side suit, then those of spades. The three side suits share their columns, because bidders treat them alike.
"""

from collections.abc import Mapping
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.cards import FIRST_SPADE
from spades.errors import TablesError
from spades.inference.deals import Deals, Floats, deals_of, draw, sampler_of
from spades.inference.knowledge import SPECTATOR, Unseen, View, unseen_of
from spades.legal import NO_BID, TRICKS, contract_of, is_nil
from spades.rules import PARTNERSHIP, Rules
from spades.scoring import Standing

# ---- the tables of priors --------------------------------------------------------------------------------------------

HIGHEST_CLASS = 7  # largest bid that has rows of its own
BID_CLASSES = HIGHEST_CLASS + 1  # nil, then the numbers
SUIT_RANKS = 13
PRIOR_COLUMNS = 2 * SUIT_RANKS
# By number of bids: the first row of these sequences. The last entry is the number of all rows.
FIRST_PRIOR_ROWS: tuple[int, ...] = (0, 0, *accumulate(BID_CLASSES**bids for bids in range(1, 5)))


def bid_class(bid: int) -> int:
    """Return the number 0..HIGHEST_CLASS that stands for a bid in a sequence.

    >>> bid_class(0), bid_class(5), bid_class(9), bid_class(14), bid_class(22)
    (0, 5, 7, 0, 6)
    """
    return min(contract_of(bid), HIGHEST_CLASS)


def prior_row_of(bids: tuple[int, ...]) -> int:
    """Return the row of one to four bids.

    >>> prior_row_of((3,)), prior_row_of((0, 0)), prior_row_of((7, 7, 7, 7)) == FIRST_PRIOR_ROWS[5] - 1
    (3, 8, True)
    """
    row = 0
    for bid in bids:
        row = BID_CLASSES * row + bid_class(bid)
    return FIRST_PRIOR_ROWS[len(bids)] + row


def prior_column_of(card: int) -> int:
    """Return the column of a card of the standard deck.

    >>> prior_column_of(0), prior_column_of(16), prior_column_of(48)
    (0, 0, 13)
    """
    return card % 16 + (SUIT_RANKS if card >= FIRST_SPADE else 0)


# ---- the net ---------------------------------------------------------------------------------------------------------

DECK_SIZE = 52
OTHER_SEATS = 3  # the other seats, in bidding order after the player
MOST_BID = 8  # a higher bid counts as this one
INPUTS_PER_BID = MOST_BID + 2  # inputs of a bid: not known (not made yet, or blind nil), nil, 1, 2 ... MOST_BID
SCORE_INPUTS = 4  # points of both sides, in tens, and their bags
HOLDER_INPUTS = DECK_SIZE + 4 * INPUTS_PER_BID + 4 + SCORE_INPUTS
WEIGHT_UNIT = 2.0**-12  # of all weights
VALUE_UNIT = 2.0**-8  # of the values between the layers
ONE = int(1 / VALUE_UNIT)  # 1 in VALUE_UNIT: by this a layer multiplies its biases
LEAST = 2.0**-20  # smallest share of a seat, and the unit of the shares
_MOST_POINTS = 100  # points beyond 1,000, or below -1,000, count as these; in tens

Ints = NDArray[np.int64]


class HolderNet(NamedTuple):
    """The net's weights, in WEIGHT_UNIT; the last row of each is the biases."""

    first: Floats  # (HOLDER_INPUTS + 1, H)
    second: Floats  # (H + 1, G)
    out: Floats  # (G + 1, DECK_SIZE * OTHER_SEATS)


def places_of(hands: Ints) -> Ints:
    """Return the place (n, 64) of each card among the net's cards: side suits, the longest first, then spades.

    ``hands`` (n,). A column is a card's number in `spades.cards`; only those of the 52 cards have a meaning.
    """
    n = len(hands)
    holdings = hands[:, None] >> np.array([0, 16, 32]) & 0x1FFF
    order = np.argsort(-(np.bitwise_count(holdings).astype(np.int64) << 13 | holdings), axis=1, kind="stable")
    place = np.empty((n, 4), np.int64)
    np.put_along_axis(place, order, np.arange(3)[None], axis=1)
    place[:, 3] = 3
    return (13 * place[:, :, None] + np.arange(16)).reshape(n, 64)


def holder_inputs(hands: Ints, seats: Ints, bids: Ints, scores: Ints, places: Ints) -> NDArray[np.int16]:
    """Return the inputs (n, HOLDER_INPUTS) of n players.

    ``hands`` (n,) and ``seats`` (n,): those of the players. ``bids`` (n, 4): in bidding order, NO_BID if not known.
    ``scores`` (n, SCORE_INPUTS): points of the player's side and of the other, then bags. ``places``: see `places_of`.
    """
    n = len(hands)
    x = np.zeros((n, HOLDER_INPUTS), np.int16)
    rows = np.arange(n)[:, None]
    cards = np.flatnonzero(np.arange(64) % 16 < 13)
    x[rows, places[:, cards]] = hands[:, None] >> cards & 1
    by_place = bids[rows, seats[:, None] + np.arange(4) & 3]
    classes = np.where(by_place == NO_BID, 0, np.minimum(by_place, MOST_BID) + 1)
    x[rows, DECK_SIZE + INPUTS_PER_BID * np.arange(4) + classes] = 1
    x[rows[:, 0], DECK_SIZE + 4 * INPUTS_PER_BID + seats] = 1
    x[:, -SCORE_INPUTS:-2] = np.clip(scores[:, :2] // 10, -_MOST_POINTS, _MOST_POINTS)
    x[:, -2:] = scores[:, 2:]
    return x


def holder_shares(net: HolderNet, inputs: NDArray[np.int16]) -> Floats:
    """Return each other seat's share in each card, (n, DECK_SIZE, OTHER_SEATS): about the probability that it holds it.

    The second axis is the card's place (`places_of`). For cards that the player holds, the shares mean nothing.
    """
    values = _values(inputs.astype(np.float64), net.first, 1, 1 / WEIGHT_UNIT)
    values = _values(values, net.second, ONE, 1 / WEIGHT_UNIT / VALUE_UNIT)
    logits = values @ net.out[:-1] + ONE * net.out[-1]
    logits = (logits * (WEIGHT_UNIT * VALUE_UNIT)).reshape(len(inputs), DECK_SIZE, OTHER_SEATS)
    odds = np.exp(logits - logits.max(axis=2, keepdims=True))
    # Rounded, because machines may differ in the last bits of ``odds``.
    rounded: Floats = np.maximum(np.round(odds / odds.sum(axis=2, keepdims=True) / LEAST), 1.0) * LEAST
    return rounded


def _values(values: Floats, weights: Floats, one: int, scale: float) -> Floats:
    # A layer's values, in VALUE_UNIT; its sums are in units of 1 / scale.
    layer: Floats = np.floor(np.maximum(values @ weights[:-1] + one * weights[-1], 0.0) / (scale * VALUE_UNIT))
    return layer


# ---- inference -------------------------------------------------------------------------------------------------------

BIDDERS = ("bis", "best")  # the policies whose bids can be read
EQUAL = 64  # a quarter, in 255ths, as in the tables of priors
# The game in which the nets and priors were made: its goal, its bag limit, and the lowest points that are common in it.
LEARNED_GOAL, LEARNED_BAGS, LEAST_POINTS = 500, 10, -100


class Bids(NamedTuple):
    """The bids of a round so far, and who makes them."""

    bids: tuple[int, ...]  # one to four bids, first bidder first
    bidder: str  # one of BIDDERS: the policy that all players are taken to bid by
    standing: Standing  # before the round, from the viewer's side; a spectator's has no effect


class Readers(NamedTuple):
    """The tables that say what bids mean, by the name of the bidder (one of BIDDERS); `readers_of` makes it."""

    priors: Mapping[str, NDArray[np.uint8]]  # (rows, 4, COLUMNS) of the priors
    nets: Mapping[str, HolderNet]


class Inferred(NamedTuple):
    """Who may hold the unseen cards."""

    unseen: Unseen
    deals: Deals  # rows: ``unseen.cards``; columns: ``unseen.seats``


def readers_of(arrays: Mapping[str, NDArray[Any]]) -> Readers:
    """Return the priors and the nets among the ``arrays`` of the tables. Raises `TablesError` if one is missing."""
    parts = [f"holders_{name}_{part}" for name in BIDDERS for part in HolderNet._fields]
    for array in (*parts, *(f"prior_{name}" for name in BIDDERS)):
        if array not in arrays:
            raise TablesError(f"found no file {array}.npy; expected one for each array of inference")
    nets = {
        name: HolderNet(*(arrays[f"holders_{name}_{part}"].astype(np.float64) for part in HolderNet._fields))
        for name in BIDDERS
    }
    return Readers({name: arrays[f"prior_{name}"] for name in BIDDERS}, nets)


def scores_for_net(scores: NDArray[np.int64], rules: Rules) -> NDArray[np.int64]:
    """Return ``scores`` (n, 4), points and bags of both sides, moved to the game that the nets learned.

    The points left to the goal stay the same, and so does the share of the bag limit. Scores that the nets have not
    seen become the nearest one that they have.
    """
    scaled = scores.copy()
    scaled[:, :2] = np.clip(scores[:, :2] + LEARNED_GOAL - rules.win, LEAST_POINTS, LEARNED_GOAL - 1)
    scaled[:, 2:] = scores[:, 2:] * LEARNED_BAGS // rules.bag_limit if rules.bags else 0
    return scaled


def nils_unread(view: View, bids: tuple[int, ...], rules: Rules) -> bool:
    """Return whether the nils among ``bids`` say little, because their bidders may still give dangerous cards away.

    So it is under rules with a pass, before cards are given or played.
    """
    passes = rules.nil_pass or rules.blind_nil_pass
    return bool(passes) and any(map(is_nil, bids)) and not (view.given or view.received or any(view.played))


def reads_bids(rules: Rules) -> bool:
    """Return whether bids are read under ``rules``: in other variants, they do not mean what the tables say."""
    return rules.variant == PARTNERSHIP


def infer_from_view(view: View, bids: Bids, rules: Rules, readers: Readers) -> Inferred | None:
    """Return the probabilities of who holds each unseen card; None if no deal fits what is known.

    ``view`` has no contradictions (`contradictions_in`).
    """
    unseen = unseen_of(view)
    weights = unseen.allowed
    if reads_bids(rules):
        known = tuple(NO_BID if bid > TRICKS else bid for bid in bids.bids)  # any hand may have bid blind
        if nils_unread(view, bids.bids, rules):
            known = tuple(NO_BID if is_nil(bid) else bid for bid in known)
        if view.seat == SPECTATOR:
            weights = weights * _priors(unseen, known, bids, readers)
        else:
            weights = weights * _shares(view, unseen, known, bids, rules, readers)
    deals = deals_of(weights, unseen.counts)
    return None if deals is None else Inferred(unseen, deals)


def random_deals(inferred: Inferred, number: int, seed: int) -> list[dict[int, list[int]]]:
    """Return ``number`` random deals of the unseen cards: for each deal, by seat, the cards that it holds now."""
    unseen, deals = inferred
    seats = sorted((seat, column) for column, seat in enumerate(unseen.seats))
    drawn = draw(sampler_of(deals), number, np.random.default_rng(seed)).tolist()
    return [
        {seat: [card for card, place in zip(unseen.cards, deal) if place == column] for seat, column in seats}
        for deal in drawn
    ]


def _priors(unseen: Unseen, known: tuple[int, ...], bids: Bids, readers: Readers) -> Floats:
    """Return the prior probabilities (m, 4) that each seat was dealt each unseen card.

    ``known``: the bids, with NO_BID for those that say nothing; their seats get equal probabilities.
    """
    prior = readers.priors[bids.bidder][prior_row_of(bids.bids)].copy()
    prior[[seat for seat, bid in enumerate(known) if bid == NO_BID]] = EQUAL
    columns = [prior_column_of(card) for card in unseen.cards]
    shares: Floats = prior[:, columns].T / 255.0
    return shares


def _shares(view: View, unseen: Unseen, known: tuple[int, ...], bids: Bids, rules: Rules, readers: Readers) -> Floats:
    """Return the net's shares (m, 3) of the other seats in each unseen card; ``known``: see `_priors`."""
    hands = np.array([view.hand])
    places = places_of(hands)
    four = np.array([[*known, *[NO_BID] * (4 - len(known))]])
    scores = scores_for_net(np.array([bids.standing]), rules)
    inputs = holder_inputs(hands, np.array([view.seat]), four, scores, places)
    shares: Floats = holder_shares(readers.nets[bids.bidder], inputs)[0, places[0, list(unseen.cards)]]
    return shares
