"""The card player `distilled@1`: the card of `srp@4`, or another one that the card net prefers (`spades.card_net`)."""

from typing import NamedTuple

import numpy as np

from spades.card_net import LEAST_GAINS, CardNet, Floats, gains
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


def first_layer(net: CardNet, state: PlayState, me: int, cards: list[int]) -> Floats:
    """Return the sums (cards, H) of the first layer for ``cards`` of seat ``me``; the first one is the usual card."""
    found = [0] * POSITION_INPUTS
    n = position_inputs(state, me, found)
    common = net.position[found[:n]].sum(axis=0) + net.position[-1]
    sums = np.empty((len(cards), len(common)))
    numbers = [0] * CARD_INPUTS
    for row, card in enumerate(cards):
        n = card_inputs(state, me, card, cards[0], len(cards), numbers)
        sums[row] = common + net.card[numbers[:n]].sum(axis=0)
    return sums


def net_choice(state: PlayState, me: int, net: CardNet, level: int = FULL_LEVEL) -> NetChoice:
    """Return the card that `distilled@1` plays from seat ``me``; ``level``: one of LEAST_GAINS."""
    usual = srp4(state, me)
    cards = [0] * TRICKS
    legal = legal_cards(state.hand[me], state.trick_size, state.trick[0], state.broken)
    count = open_cards(cards, legal, usual, cards_between(state, me))
    if count == 1:
        return NetChoice(usual, usual, 0.0)
    found = gains(net, first_layer(net, state, me, cards[:count]))
    best = int(found.argmax())
    gain = float(found[best] - found[0])
    return NetChoice(cards[best], usual, gain) if gain > LEAST_GAINS[level] else NetChoice(usual, usual, 0.0)
