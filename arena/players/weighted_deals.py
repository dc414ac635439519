"""Random deals of unseen cards by weights, as kernels: what `spades.inference.deals` does, for compiled code.

A deal's probability is proportional to the product of its cards' weights. Cards are dealt from the lowest to the
highest. For each i, `sum_deals` stores the sum of the products over all deals of the cards above the i lowest. This sum
depends only on how many cards the next two seats still need (their places). `draw_deal` uses these sums to draw the
seat of each card.
"""

from typing import Any

from arena.engine.deal import uniform
from arena.engine.jit import register
from arena.players.unseen import places
from spades.cards import lowest
from spades.play import PlayState, unseen_cards

MOST_UNSEEN = 39  # cards that a seat does not see before the first trick


def sum_deals(state: PlayState, me: int, weights: Any, sums: Any) -> float:
    """Fill ``sums`` and return the sum of the products over all deals, 0 if no deal fits.

    ``me``: the seat whose view is used. ``weights`` (64, 3): for each card, a weight for each of the next three seats.
    A weight counts as 0 if the seat has shown that it is void in the suit. ``sums``: (MOST_UNSEEN + 1, PLACE_COUNTS,
    PLACE_COUNTS). ``sums[i, a, b]`` becomes the sum over the deals of all unseen cards except the i lowest, if the next
    two seats have a and b places left.
    """
    first, second = places(state, me, (me + 1) & 3), places(state, me, (me + 2) & 3)
    third = places(state, me, (me + 3) & 3)
    left = unseen_cards(state, me)
    m = left.bit_count()
    sums[m, 0, 0] = 1.0
    for i in range(m - 1, -1, -1):
        card = left.bit_length() - 1
        left ^= 1 << card
        one, two = _weight(state, me, 1, card, weights), _weight(state, me, 2, card, weights)
        three = _weight(state, me, 3, card, weights)
        rest = m - i
        for a in range(min(first, rest) + 1):
            for b in range(max(0, rest - a - third), min(second, rest - a) + 1):
                total = 0.0
                if a > 0:
                    total += one * sums[i + 1, a - 1, b]
                if b > 0:
                    total += two * sums[i + 1, a, b - 1]
                if rest - a - b > 0:
                    total += three * sums[i + 1, a, b]
                sums[i, a, b] = total
    return float(sums[0, first, second])


def draw_deal(state: PlayState, me: int, weights: Any, sums: Any, sim: PlayState) -> None:
    """Write a random deal to the hands of ``sim``: the hand of ``me`` from ``state``, the others drawn.

    The generator of ``sim`` draws them. ``sums``: filled by `sum_deals` for the same state, seat and weights.
    """
    a, b = places(state, me, (me + 1) & 3), places(state, me, (me + 2) & 3)
    left = unseen_cards(state, me)
    one = 0
    two = 0
    three = 0
    i = 0
    while left:
        card = lowest(left)
        bit = 1 << card
        left ^= bit
        target = uniform(sim) * sums[i, a, b]
        i += 1
        to_one = _weight(state, me, 1, card, weights) * sums[i, a - 1, b] if a > 0 else 0.0
        to_two = _weight(state, me, 2, card, weights) * sums[i, a, b - 1] if b > 0 else 0.0
        if target < to_one:
            one |= bit
            a -= 1
        elif target < to_one + to_two:
            two |= bit
            b -= 1
        else:
            three |= bit
    sim.hand[me] = state.hand[me]
    sim.hand[((me + 1) & 3)] = one
    sim.hand[((me + 2) & 3)] = two
    sim.hand[((me + 3) & 3)] = three


def _weight(state: PlayState, me: int, step: int, card: int, weights: Any) -> float:
    if state.void[(me + step) & 3] >> (card >> 4) & 1:
        return 0.0
    return float(weights[card, step - 1])


register(__name__)
