"""The play state: everything about one round of play, with named fields.

Seats are 0..3 in bidding order: seat 0 bids first and leads first. A seat's side is ``seat & 1``. Card players read
only the parts of a state that their seat may see. Compiled code has the same fields in an array
(`arena.engine.states`).
"""

from dataclasses import dataclass, field

from spades.rules import Rules


def _two() -> list[int]:
    return [0] * 2


def _three() -> list[int]:
    return [0] * 3


def _four() -> list[int]:
    return [0] * 4


def _rules() -> list[int]:
    return [0] * len(Rules._fields)


@dataclass(slots=True)
class PlayState:
    """One round in progress. The scores (in points) and the bags are those from before the round."""

    hand: list[int] = field(default_factory=_four)  # by seat: the cards still held, as a bit mask
    bid: list[int] = field(default_factory=_four)  # by seat: 0..13 or BLIND_NIL; -1 before the bid
    taken: list[int] = field(default_factory=_four)  # by seat: tricks won
    # By seat: bit mask of the suits that the seat has shown to be out of; bit 0 is clubs.
    void: list[int] = field(default_factory=_four)
    score: list[int] = field(default_factory=_two)  # by side: points
    bags: list[int] = field(default_factory=_two)  # by side
    played: int = 0  # bit mask of all cards played, including those of the current trick
    trick_size: int = 0  # cards in the current trick
    trick: list[int] = field(default_factory=_four)  # cards of the current trick in order of play
    leader: int = 0  # the seat that leads the current trick
    winner: int = 0  # the seat that wins the current trick so far
    best_card: int = 0  # the card that wins the current trick so far
    # What may be led: 0 until a spade has been played, then 1. Rules can set other bits (`legal.broken_at_start`).
    broken: int = 0
    # By seat, five bits for each side suit, to detect a high-low signal (a low card after a higher one). 0: the seat
    # has not followed this suit yet. 31: its signal is complete or no longer possible. Otherwise: rank + 1 of the card
    # with which it first followed, to a trick that the suit's highest remaining card was winning.
    followed: list[int] = field(default_factory=_four)
    # By seat: bit mask of the suits in which it has completed a high-low signal.
    signalled: list[int] = field(default_factory=_four)
    player: list[int] = field(default_factory=_four)  # by seat: the card player's id (`arena.players.choose_card`)
    # By seat: bit mask of the card player's pieces in use (such as `srp.goals`). UCT's options (`arena.players.uct`)
    # are in the bits above.
    pieces: list[int] = field(default_factory=_four)
    rng: list[int] = field(default_factory=_four)  # four 32-bit words of the random generator
    choices: int = 0  # number of legal cards, summed over all plays, to measure the mean number of choices
    deck: int = 0  # bit mask of all cards in play
    # Number of cards that a nil bidder and partner exchange, the same for a blind nil, and 1 if the nil bidder gives
    # first.
    passes: list[int] = field(default_factory=_three)
    rules: list[int] = field(default_factory=_rules)  # values of `Rules`, for players that count points
    seat_score: list[int] = field(default_factory=_four)  # by seat: points in cutthroat; of its side after a round
    seat_bags: list[int] = field(default_factory=_four)  # by seat: bags, in variant cutthroat only


def rule_values(cells: list[int]) -> tuple[int, ...]:
    """Return the cells of a state's ``rules`` as a tuple; compiled code needs its length at compile time."""
    return tuple(cells)
