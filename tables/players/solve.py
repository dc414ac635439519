"""The last tricks of a round, played perfectly by four seats that see all hands, as a kernel.

Each side wants a high win probability after the round, and what one side gains the other loses. So alpha-beta search
finds the result. It is a loop with a row for each card to come, because compiled kernels cannot call themselves.
"""

from typing import Any

import numpy as np

from spades.cards import FIRST_SPADE, lowest
from spades.play import PlayState, beats, legal_cards
from tables.engine.game import win_probability_after_round
from tables.players.touching import group_of

# Columns of the row of a card to come: the seat that plays it; the set of cards left to try; the card tried now; the
# trick before it: first card, best card, seat that wins it so far, and 1 if spades are broken; and the seat that wins
# the trick, if the card is the fourth.
SEAT, LEFT, CARD, FIRST, BEST, WINNER, BROKEN, TAKER = range(8)
LOW, HIGH = range(2)  # win probability of our side: what it can get at least, and what the other side allows at most


def solve(sim: PlayState, me: int, value: Any) -> float:
    """Return the win probability of ``me``'s side if all seats of ``sim`` play the rest of the round perfectly.

    ``value``: a `Value` of `tables.players.search`. ``sim`` is played on, and is as before at the end.
    """
    size = sim.trick_size
    cards = sim.hand[0].bit_count() + sim.hand[1].bit_count() + sim.hand[2].bit_count() + sim.hand[3].bit_count()
    if cards == 0:
        return win_probability_after_round(sim, me, value.rules, value.win_slice, value.win)
    rows = np.zeros((cards + 1, 8), np.int64)
    bounds = np.zeros((cards + 1, 2))
    bounds[0, HIGH] = 1.0
    rows[0, SEAT] = (sim.leader + size) & 3
    rows[0, FIRST], rows[0, BEST], rows[0, WINNER] = sim.trick[0], sim.best_card, sim.winner
    rows[0, BROKEN] = sim.broken
    _open_row(sim, rows, 0, size & 3)
    at = 0
    while True:
        seat, left = int(rows[at, SEAT]), int(rows[at, LEFT])
        if left == 0 or bounds[at, LOW] >= bounds[at, HIGH]:
            found = bounds[at, LOW] if seat & 1 == me & 1 else bounds[at, HIGH]
            if at == 0:
                return float(found)
            at -= 1
            _take_back(sim, rows, at, (size + at) & 3)
            _note(bounds, at, rows[at, SEAT] & 1 == me & 1, found)
            continue
        card = lowest(left)
        place = (size + at) & 3
        rows[at, LEFT] = left & ~group_of(card, left, _others(sim, rows, at, place))
        _lay(sim, rows, at, place, card)
        if at == cards - 1:
            found = win_probability_after_round(sim, me, value.rules, value.win_slice, value.win)
            _take_back(sim, rows, at, place)
            _note(bounds, at, seat & 1 == me & 1, found)
            continue
        bounds[at + 1, LOW] = bounds[at, LOW]
        bounds[at + 1, HIGH] = bounds[at, HIGH]
        at += 1
        _open_row(sim, rows, at, (size + at) & 3)


def _open_row(sim: PlayState, rows: Any, at: int, place: int) -> None:
    rows[at, LEFT] = legal_cards(sim.hand[rows[at, SEAT]], place, int(rows[at, FIRST]), int(rows[at, BROKEN]))


def _others(sim: PlayState, rows: Any, at: int, place: int) -> int:
    # Return the cards that may lie between two cards of the seat: those of the others, and the best one on the table.
    seat = int(rows[at, SEAT])
    found = sim.hand[((seat + 1) & 3)] | sim.hand[((seat + 2) & 3)] | sim.hand[((seat + 3) & 3)]
    return int(found | 1 << int(rows[at, BEST]) if place else found)


def _lay(sim: PlayState, rows: Any, at: int, place: int, card: int) -> None:
    # Play a card, and write the trick after it to the next row.
    seat = int(rows[at, SEAT])
    sim.hand[seat] &= ~(1 << card)
    rows[at, CARD] = card
    following = at + 1
    rows[following, FIRST] = rows[at, FIRST] if place else card
    wins = place == 0 or beats(card, int(rows[at, BEST]))
    rows[following, BEST] = card if wins else rows[at, BEST]
    rows[following, WINNER] = seat if wins else rows[at, WINNER]
    rows[following, BROKEN] = 1 if card >= FIRST_SPADE else rows[at, BROKEN]
    if place == 3:
        taker = int(rows[following, WINNER])
        sim.taken[taker] += 1
        rows[at, TAKER] = taker
        rows[following, SEAT] = taker
    else:
        rows[following, SEAT] = (seat + 1) & 3


def _take_back(sim: PlayState, rows: Any, at: int, place: int) -> None:
    sim.hand[rows[at, SEAT]] |= 1 << int(rows[at, CARD])
    if place == 3:
        sim.taken[rows[at, TAKER]] -= 1


def _note(bounds: Any, at: int, ours: bool, found: float) -> None:
    if ours:
        bounds[at, LOW] = max(bounds[at, LOW], found)
    else:
        bounds[at, HIGH] = min(bounds[at, HIGH], found)
