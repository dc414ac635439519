"""The cards that a seat cannot see, as kernels: random deals that fit what the seat knows.

A seat knows its own hand, the cards played, how many cards each other seat holds and the suits in which each seat has
failed to follow. Every deal that fits this is equally likely. Bids and the choice of the cards played are ignored:
using them would be card inference. One known fact is also ignored: a player who leads a spade before spades are broken
holds only spades.

Equally likely deals are drawn by counting. For each suit in turn, the code first draws how many of its cards go to each
seat, in proportion to the number of deals with these lengths. Then it draws which cards. `count_deals` counts the deals
of suits i..3 if the next two seats have a and b places left. That number is a sum over the lengths that suit i may have
at the seats: their multinomial, times the number of deals of suits i + 1..3 with the places that remain.

Deals by weights are what `spades.inference.deals` draws, for compiled code. A deal's probability is proportional to the
product of its cards' weights. Cards are dealt from the lowest to the highest. For each i, `sum_deals` stores the sum of
the products over all deals of the cards above the i lowest. This sum depends only on how many cards the next two seats
still need (their places). `draw_deal` uses these sums to draw the seat of each card.
"""

from typing import Any

from arena.engine.deal import below, seed_rng, uniform
from arena.engine.jit import register
from spades.cards import lowest
from spades.play import MASK32, PlayState, suit_mask, unseen_cards

PLACE_COUNTS = 14  # a seat needs 0 to 13 cards
CHOOSE = 5 * PLACE_COUNTS * PLACE_COUNTS  # binomials start here: n over k is at CHOOSE + 16 n + k, n 0..16, k 0..15
WAYS = CHOOSE + 272  # cells of the table that `count_deals` fills
MOST_UNSEEN = 39  # cards that a seat does not see before the first trick


def seed_view(state: PlayState, me: int, number: int, sim: PlayState) -> None:
    """Seed the generator of ``sim`` from what seat ``me`` sees in ``state``, and from the number of the deal to draw.

    The same view gives the same random numbers. So a decision can be repeated on any thread, and it cannot depend on
    hidden cards.
    """
    played = state.played
    seed_rng(sim, (played ^ played >> 29) & MASK32, state.hand[me], number << 4 | state.leader << 2 | me)


def places(state: PlayState, me: int, seat: int) -> int:
    """Return how many cards ``seat`` holds when ``me`` is about to play: one less if it has played to the trick."""
    gone = (me - seat) & 3
    held: int = state.hand[me].bit_count()
    return held - 1 if 0 < gone <= state.trick_size else held


def count_deals(state: PlayState, me: int, ways: Any) -> int:
    """Fill ``ways``, WAYS int64 cells, and return the number of deals that fit what seat ``me`` knows.

    ``ways[(PLACE_COUNTS * i + a) * PLACE_COUNTS + b]`` becomes the number of deals of suits i..3 if the next
    two seats have a and b places left.
    """
    for n in range(17):
        ways[CHOOSE + 16 * n] = 1
        for k in range(1, 16):
            above = 16 * (n - 1) + k
            ways[CHOOSE + 16 * n + k] = ways[CHOOSE + above - 1] + ways[CHOOSE + above] if n > 0 else 0
    for cell in range(CHOOSE):
        ways[cell] = 0
    ways[4 * PLACE_COUNTS * PLACE_COUNTS] = 1
    unseen = unseen_cards(state, me)
    first = places(state, me, (me + 1) & 3)
    second = places(state, me, (me + 2) & 3)
    third = places(state, me, (me + 3) & 3)
    rest = 0  # cards of suits i..3
    for i in range(3, -1, -1):
        number = (unseen & suit_mask(i)).bit_count()
        rest += number
        for a in range(min(first, rest) + 1):
            for b in range(max(0, rest - a - third), min(second, rest - a) + 1):
                total = 0
                for to_first in range(_most(state, me + 1, i, number, a) + 1):
                    for to_second in range(_most(state, me + 2, i, number - to_first, b) + 1):
                        if _allowed(state, me + 3, i, number - to_first - to_second):
                            later = ways[((i + 1) * PLACE_COUNTS + a - to_first) * PLACE_COUNTS + b - to_second]
                            total += _lengths(ways, number, to_first, to_second) * later
                ways[(i * PLACE_COUNTS + a) * PLACE_COUNTS + b] = total
    return int(ways[first * PLACE_COUNTS + second])


def deal_unseen(state: PlayState, me: int, ways: Any, sim: PlayState) -> None:
    """Write a random deal to the hands of ``sim``: the hand of ``me`` from ``state``, the others drawn.

    The generator of ``sim`` draws them. ``ways``: filled by `count_deals` for the same state and seat.
    """
    unseen = unseen_cards(state, me)
    a = places(state, me, (me + 1) & 3)
    b = places(state, me, (me + 2) & 3)
    one = 0
    two = 0
    three = 0
    for i in range(4):
        cards = unseen & suit_mask(i)
        number = cards.bit_count()
        if number == 0:
            continue
        target = int(uniform(sim) * ways[(i * PLACE_COUNTS + a) * PLACE_COUNTS + b])
        to_first = 0
        to_second = 0
        found = False
        for k in range(_most(state, me + 1, i, number, a) + 1):
            for m in range(_most(state, me + 2, i, number - k, b) + 1):
                if _allowed(state, me + 3, i, number - k - m):
                    later = ways[((i + 1) * PLACE_COUNTS + a - k) * PLACE_COUNTS + b - m]
                    target -= _lengths(ways, number, k, m) * later
                    if target < 0:
                        to_first = k
                        to_second = m
                        found = True
                        break
            if found:
                break
        a -= to_first
        b -= to_second
        while cards:
            card = cards & -cards
            cards ^= card
            pick = below(sim, number)
            if pick < to_first:
                one |= card
                to_first -= 1
            elif pick < to_first + to_second:
                two |= card
                to_second -= 1
            else:
                three |= card
            number -= 1
    sim.hand[me] = state.hand[me]
    sim.hand[((me + 1) & 3)] = one
    sim.hand[((me + 2) & 3)] = two
    sim.hand[((me + 3) & 3)] = three


def _allowed(state: PlayState, seat: int, suit: int, number: int) -> bool:
    return number == 0 or not state.void[seat & 3] >> suit & 1


def _most(state: PlayState, seat: int, suit: int, number: int, left: int) -> int:
    if state.void[seat & 3] >> suit & 1:
        return 0
    return int(min(number, left))


def _lengths(ways: Any, number: int, to_first: int, to_second: int) -> int:
    # The ways to choose which cards go where: number! / (to_first! to_second! to_third!).
    rest = number - to_first
    return int(ways[CHOOSE + 16 * number + to_first] * ways[CHOOSE + 16 * rest + to_second])


# ---- deals by weights ------------------------------------------------------------------------------------------------


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


# ---- touching cards --------------------------------------------------------------------------------------------------


register(__name__)
