"""The card player `distilled@1`: the card of `srp@4`, or another one that the card net prefers (`spades.card_net`)."""

from typing import NamedTuple

import numpy as np

from spades.card_net import ARRAYS, LEAST_GAINS, CardNet, Floats, gains
from spades.errors import TablesError
from spades.legal import TRICKS
from spades.options import FULL_LEVEL
from spades.play.net_inputs import CARD_INPUTS, POSITION_INPUTS, card_inputs, position_inputs
from spades.play.srp.player import srp4
from spades.play.state import PlayState
from spades.play.tricks import cards_between, legal_cards, open_cards


class NetChoice(NamedTuple):
    """The card of `distilled@1`."""

    card: int
    usual: int  # the card of `srp@4`
    gain: float  # how much more likely the card makes a win than the usual one; 0 if it is that one


def check_net(net: CardNet) -> None:
    """Raise `TablesError` if the shapes of ``net`` are not those that this code reads."""
    width, depth = net.hidden.shape[0] - 1, net.hidden.shape[1]
    expected = ((POSITION_INPUTS + 1, width), (CARD_INPUTS, width), (width + 1, depth), (depth, 1))
    for name, array, shape in zip(ARRAYS, net, expected, strict=True):
        if array.shape != shape:
            raise TablesError(f"{name}.npy: found shape {array.shape}; expected {shape}")


def first_layer(net: CardNet, state: PlayState, me: int, cards: list[int]) -> Floats:
    """Return the sums (cards, H) of the first layer for ``cards`` of seat ``me``; the first one is the usual card."""
    inputs = [0] * (POSITION_INPUTS + CARD_INPUTS)
    n = position_inputs(state, me, inputs)
    common = net.position[inputs[:n]].sum(axis=0) + net.position[-1]
    sums = np.empty((len(cards), len(common)))
    for row, card in enumerate(cards):
        n = card_inputs(state, me, card, cards[0], len(cards), inputs)
        sums[row] = common + net.card[inputs[:n]].sum(axis=0)
    return sums


def net_choice(state: PlayState, me: int, net: CardNet, level: int = FULL_LEVEL) -> NetChoice:
    """Return the card that `distilled@1` plays from seat ``me``; ``level``: one of LEAST_GAINS."""
    usual = srp4(state, me)
    cards = [0] * TRICKS
    legal = legal_cards(state.hand[me], state.trick_size, state.trick[0], state.broken)
    count = open_cards(cards, legal, usual, cards_between(state, me))
    if count == 1:
        return NetChoice(usual, usual, 0.0)
    gain_of_card = gains(net, first_layer(net, state, me, cards[:count]))
    best = int(gain_of_card.argmax())
    gain = float(gain_of_card[best] - gain_of_card[0])
    return NetChoice(cards[best], usual, gain) if gain > LEAST_GAINS[level] else NetChoice(usual, usual, 0.0)
