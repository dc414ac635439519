"""Arrays of play states. Plain Python uses a `PlayState`, compiled code an element of an array of dtype `STATE`.

Both have the same fields; in the array each number is an int64.
"""

from dataclasses import asdict

import numpy as np

from spades.play import PlayState

FIELDS: dict[str, tuple[int, ...]] = {name: np.shape(value) for name, value in asdict(PlayState()).items()}  # by name
STATE = np.dtype([(name, np.int64, shape) for name, shape in FIELDS.items()])


def new_states(count: int) -> list[PlayState]:
    """Return ``count`` empty states; in compiled code, an array of `STATE`.

    Keep the array as long as its elements are in use: compiled code does not count references to an element.
    """
    return [PlayState() for _ in range(count)]


def copy_state(source: PlayState, target: PlayState) -> None:
    """Copy all fields of ``source`` to ``target``, as a kernel."""
    for seat in range(4):
        target.hand[seat] = source.hand[seat]
        target.bid[seat] = source.bid[seat]
        target.taken[seat] = source.taken[seat]
        target.void[seat] = source.void[seat]
        target.trick[seat] = source.trick[seat]
        target.followed[seat] = source.followed[seat]
        target.signalled[seat] = source.signalled[seat]
        target.player[seat] = source.player[seat]
        target.pieces[seat] = source.pieces[seat]
        target.rng[seat] = source.rng[seat]
        target.passer[seat] = source.passer[seat]
        target.seat_score[seat] = source.seat_score[seat]
        target.seat_bags[seat] = source.seat_bags[seat]
    for side in range(2):
        target.score[side] = source.score[side]
        target.bags[side] = source.bags[side]
    for i in range(3):
        target.passes[i] = source.passes[i]
    for i in range(len(source.rules)):
        target.rules[i] = source.rules[i]
    target.played = source.played
    target.trick_size = source.trick_size
    target.leader = source.leader
    target.winner = source.winner
    target.best_card = source.best_card
    target.broken = source.broken
    target.choices = source.choices
    target.deck = source.deck


def plain_state(record: np.void) -> PlayState:
    """Return an element of an array of `STATE` as a `PlayState`."""
    return PlayState(**{name: record[name].tolist() for name in FIELDS})
