"""Exact play of the last tricks of a round on known hands, as kernels.

All players see all hands (double dummy), and partners cooperate. The value of a finished round is its win probability.
The search is alpha-beta without memory between positions.

The tricks that each seat takes from now on are one number, an *end*: `step_of` the seat for each trick.
"""

from typing import Any

from arena.engine.jit import register
from arena.engine.results import win_probability_after_round
from spades.cards import FIRST_SPADE, highest, lowest
from spades.play import PlayState, beats, cards_above, cards_below, legal_cards, suit_mask

MOST_EXACT = 5  # tricks
BASE = MOST_EXACT + 1
ENDS = BASE**4
# Columns of a ply: the card that was tried last, the cards left to try, the seat, the number of cards in the trick and
# the suit led, the best card and its seat, whether spades are broken, the end so far, and the cards of the trick.
CARD, LEFT, SEAT, SIZE, LED, BEST, WINNER, BROKEN, END, TABLE = range(10)
PLY_CELLS = 10
PLIES = 4 * MOST_EXACT + 1
ALPHA, BETA, FOUND = range(3)
WINDOW_CELLS = 3


def step_of(seat: int) -> int:
    """Return what a trick of ``seat`` adds to the number of an end."""
    if seat < 2:
        return BASE if seat else 1
    return BASE * BASE * BASE if seat == 3 else BASE * BASE


def bound_ends(sim: PlayState, me: int, value: Any, bounds: Any) -> None:
    """Fill ``bounds`` (ENDS, 2): for each end, the least and the greatest win probability of ``me``'s side after it.

    After all tricks both are the win probability after the round.
    """
    total = sim.hand[me].bit_count()
    for end in range(ENDS - 1, -1, -1):
        left = total
        rest = end
        for _ in range(4):
            left -= rest % BASE
            rest //= BASE
        if left == 0:
            rest = end
            for seat in range(4):
                sim.taken[seat] += rest % BASE
                rest //= BASE
            worth = win_probability_after_round(sim, me, value.rules, value.win_slice, value.win)
            bounds[end, 0] = bounds[end, 1] = worth
            rest = end
            for seat in range(4):
                sim.taken[seat] -= rest % BASE
                rest //= BASE
        elif left > 0:
            least, most = 1.0, 0.0
            for seat in range(4):
                after = end + step_of(seat)
                least, most = min(least, bounds[after, 0]), max(most, bounds[after, 1])
            bounds[end, 0], bounds[end, 1] = least, most


def next_try(left: int, size: int, best: int, wants: bool, partner_wins: bool) -> int:
    """Return the card of ``left`` that is tried next: of a good guess, so that few others need to be tried."""
    if size == 0:
        return highest(left) if wants else lowest(left)
    winners = left & cards_above(best)
    if best < FIRST_SPADE:
        winners |= left >> 48 << 48
    if wants:
        if winners and not partner_wins:
            return lowest(winners) if size == 3 else highest(winners)
        return lowest(left & ~winners) if left & ~winners else lowest(left)
    losers = left & ~winners
    if losers:
        led = losers & suit_mask(best >> 4)
        return highest(led) if led else highest(losers)
    return lowest(left)


def exact_worth(sim: PlayState, me: int, card: int, bounds: Any, plies: Any, windows: Any) -> float:
    """Return the win probability of ``me``'s side after the round if ``me`` plays ``card``, and then all play best.

    ``sim`` has all four hands; it does not change. ``bounds``: from `bound_ends`. ``plies`` (PLIES * PLY_CELLS,) and
    ``windows`` (PLIES, WINDOW_CELLS) are working memory.
    """
    hands = sim.hand
    last = 4 * hands[me].bit_count() - sim.trick_size
    table = 0
    for i in range(sim.trick_size):
        table |= 1 << sim.trick[i]
    plies[LEFT] = 1 << card
    plies[SEAT] = me
    plies[SIZE] = sim.trick_size
    plies[LED] = sim.trick[0]
    plies[BEST] = sim.best_card
    plies[WINNER] = sim.winner
    plies[BROKEN] = sim.broken
    plies[END] = 0
    plies[TABLE] = table
    windows[0, ALPHA], windows[0, BETA], windows[0, FOUND] = 0.0, 1.0, -1.0
    p = 0
    at = 0  # where the cells of ply p begin
    while True:
        if plies[at + LEFT] and windows[p, ALPHA] < windows[p, BETA]:
            seat, size, end = plies[at + SEAT], plies[at + SIZE], plies[at + END]
            best, winner, led = plies[at + BEST], plies[at + WINNER], plies[at + LED]
            takes, loses = end + step_of(seat), end + step_of((seat + 1) & 3)
            wants = bounds[takes, 0] + bounds[takes, 1] >= bounds[loses, 0] + bounds[loses, 1]
            if (seat ^ me) & 1:
                wants = not wants
            tried = next_try(plies[at + LEFT], size, best, wants, winner == seat ^ 2)
            # Leave out the cards that touch it.
            others = (hands[0] | hands[1] | hands[2] | hands[3] | plies[at + TABLE]) & ~hands[seat]
            above, below = others & cards_above(tried), others & cards_below(tried)
            touching = suit_mask(tried >> 4)
            if above:
                touching &= (above & -above) - 1
            if below:
                touching &= ~((1 << below.bit_length()) - 1)
            plies[at + LEFT] &= ~touching
            plies[at + CARD] = tried
            hands[seat] ^= 1 << tried
            if size == 0:
                best, winner, led = tried, seat, tried
            elif beats(tried, best):
                best, winner = tried, seat
            p += 1
            at += PLY_CELLS
            alpha, beta = windows[p - 1, ALPHA], windows[p - 1, BETA]
            plies[at + BROKEN] = 1 if tried >= FIRST_SPADE else plies[at - PLY_CELLS + BROKEN]
            if size == 3:
                end += step_of(winner)
                size, seat = 0, winner
                plies[at + TABLE] = 0
                alpha, beta = max(alpha, bounds[end, 0]), min(beta, bounds[end, 1])
            else:
                size, seat = size + 1, (seat + 1) & 3
                plies[at + TABLE] = plies[at - PLY_CELLS + TABLE] | 1 << tried
            plies[at + SEAT], plies[at + SIZE], plies[at + END] = seat, size, end
            if alpha < beta and p < last:
                plies[at + LEFT] = legal_cards(hands[seat], size, led, plies[at + BROKEN])
                plies[at + BEST], plies[at + WINNER], plies[at + LED] = best, winner, led
                windows[p, ALPHA], windows[p, BETA] = alpha, beta
                windows[p, FOUND] = 2.0 if (seat ^ me) & 1 else -1.0
                continue
            # The value is known, or outside the window of the ply before.
            found = bounds[end, 0] if bounds[end, 0] >= windows[p - 1, BETA] else bounds[end, 1]
        else:
            found = windows[p, FOUND]
            if p == 0:
                return float(found)
        p -= 1
        at -= PLY_CELLS
        seat = plies[at + SEAT]
        hands[seat] ^= 1 << plies[at + CARD]
        if (seat ^ me) & 1:
            windows[p, FOUND], windows[p, BETA] = min(windows[p, FOUND], found), min(windows[p, BETA], found)
        else:
            windows[p, FOUND], windows[p, ALPHA] = max(windows[p, FOUND], found), max(windows[p, ALPHA], found)


register(__name__)
