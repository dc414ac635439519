"""The play state: all that a round of play knows, with named fields, in plain Python and compiled.

Plain Python uses `PlayState`, compiled code one element of an array of `STATE`, which has the same fields as int64.
Seats are 0..3 in bidding order: seat 0 bids first and leads first. A side is ``seat & 1``. Card players
(`tables.players`) read of a state only what their seat may see.
"""

from dataclasses import asdict, dataclass, field

import numpy as np

from service.bidding.game.rules import Rules


def _two() -> list[int]:
    return [0] * 2


def _four() -> list[int]:
    return [0] * 4


def _rules() -> list[int]:
    return [0] * len(Rules._fields)


@dataclass(slots=True)
class PlayState:
    """One table during a round. Scores and bags are those before the round, in points and tricks."""

    hand: list[int] = field(default_factory=_four)  # by seat: the cards still held, as a mask
    bid: list[int] = field(default_factory=_four)  # by seat: 0..13 or BLIND_NIL; -1 before the bid
    taken: list[int] = field(default_factory=_four)  # by seat: tricks won
    void: list[int] = field(default_factory=_four)  # by seat: mask of the suits that it has failed to follow
    score: list[int] = field(default_factory=_two)  # by side
    bags: list[int] = field(default_factory=_two)  # by side
    played: int = 0  # mask of all cards played, with those of the current trick
    trick_size: int = 0  # cards in the current trick
    trick: list[int] = field(default_factory=_four)  # cards of the current trick in order of play
    leader: int = 0  # the seat that leads the current trick
    winner: int = 0  # the seat that wins the current trick so far
    best_card: int = 0  # the card with which it wins
    broken: int = 0  # 1 after the first spade has been played
    # By seat: five bits a suit, rank + 1 of the first card with which the seat followed under a boss.
    followed: list[int] = field(default_factory=_four)
    signalled: list[int] = field(
        default_factory=_four
    )  # by seat: mask of the suits in which it has completed a high-low signal
    player: list[int] = field(default_factory=_four)  # by seat: the card player's id (players.choose_card)
    pieces: list[int] = field(
        default_factory=_four
    )  # by seat: mask of SRP's pieces in use, above them UCT's options (players.uct)
    rng: list[int] = field(default_factory=_four)  # words of the random generator
    choices: int = 0  # legal cards summed over all plays, for the branching factor
    deck: int = 0  # mask of all cards in play
    rules: list[int] = field(default_factory=_rules)  # for players that count points (players.uct)
    seat_score: list[int] = field(
        default_factory=_four
    )  # by seat, where each seat plays for itself (variant cutthroat)
    seat_bags: list[int] = field(default_factory=_four)  # the same


FIELDS: dict[str, tuple[int, ...]] = {name: np.shape(value) for name, value in asdict(PlayState()).items()}  # shapes
STATE = np.dtype([(name, np.int64, shape) for name, shape in FIELDS.items()])


def new_states(count: int) -> list[PlayState]:
    """Return ``count`` empty states; compiled code gets an array of `STATE`.

    Keep the array as long as its elements are in use: compiled code does not count references to an element.
    """
    return [PlayState() for _ in range(count)]


def copy_state(source: PlayState, target: PlayState) -> None:
    """Make ``target`` equal to ``source``."""
    for name, shape in FIELDS.items():
        value = getattr(source, name)
        setattr(target, name, value[:] if shape else value)


def plain_state(record: np.void) -> PlayState:
    """Return an element of an array of `STATE` as plain Python reads it."""
    return PlayState(**{name: record[name].tolist() for name in FIELDS})
