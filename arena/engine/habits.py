"""How simulated people bid: a policy, nils that they never bid, and noise whose chances are known.

People bid as a policy does, with two differences. Some never bid nil beside a low bid; they bid their number
instead. With a stated probability a bid is not the intended one: a number moves by -2, -1, 1 or 2, equally likely, to
the nearest number that the rules allow, and a nil becomes the number.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.engine.choose_bid import auction_at
from arena.engine.deal import below, uniform
from arena.engine.jit import entry, register
from arena.engine.rounds import Ints, bids_of
from arena.engine.simulate import KernelTables
from spades.legal import TRICKS, contract_of, nearest_number
from spades.options import Policy
from spades.play import PlayState
from spades.position import allowed_at_turn
from spades.rules import Rules

MOVES = 4  # by which noise moves a number


class Habit(NamedTuple):
    """How one kind of people bids."""

    policy: Policy
    nil_beside: int  # lowest earlier bid beside which they bid nil; 0: beside every bid
    noise: float  # probability that a bid is not the intended one


class Intended(NamedTuple):
    """The bid that a person intends, and what noise may make of it."""

    bid: int
    number: int  # instead of a nil
    allowed: int  # the set of bids that the rules allow


def intended_bid(state: PlayState, seat: int, rules: Rules, bid: int, number: int, nil_beside: int) -> Intended:
    """Return the bid that a person in ``seat`` intends, whose policy bids ``bid``, and without nils ``number``."""
    allowed = allowed_at_turn(state.hand[seat], auction_at(state, seat), rules)
    if bid == 0:
        number = nearest_number(max(1, number), allowed)
        for other in range(seat):
            if contract_of(state.bid[other]) < nil_beside:
                bid = number
    else:
        number = bid
    return Intended(bid=bid, number=number, allowed=allowed)


def moved_bid(intended: Intended, move: int) -> int:
    """Return what noise makes of a bid; ``move``: 0..MOVES - 1."""
    bid, number, allowed = intended
    if bid == 0:
        return number
    step = move - 2 if move < 2 else move - 1
    return nearest_number(min(13, max(1, bid + step)), allowed)


register(__name__)


def _people(states: Any, seats: Any, rules: Rules, bids: Any, numbers: Any, beside: int, noise: float) -> None:
    # bids (n,): those of the policy, which become those of the people. numbers (n,): the policy's bids without nils.
    for i in range(len(states)):
        state = states[i]
        intended = intended_bid(state, seats[i], rules, bids[i], numbers[i], beside)
        if noise == 0.0 or intended.bid > TRICKS or uniform(state) >= noise:
            bids[i] = intended.bid
        else:
            bids[i] = moved_bid(intended, below(state, MOVES))


_people_all = entry(_people)


def bids_of_policy(
    states: NDArray[np.void], seats: Ints, rules: Rules, habit: Habit, profiles: KernelTables
) -> tuple[Ints, Ints]:
    """Return the bids (n,) of the habit's policy, and those without nils where the policy bids nil."""
    bids = bids_of(states, seats, rules, habit.policy, profiles)
    numbers, nils = bids.copy(), bids == 0
    if nils.any() and (habit.nil_beside or habit.noise):
        without = habit.policy._replace(nils=0, blind=0, level=0)
        numbers[nils] = bids_of(states[nils], seats[nils], rules, without, profiles)
    return bids, numbers


def bids_of_people(states: NDArray[np.void], seats: Ints, rules: Rules, habit: Habit, profiles: KernelTables) -> Ints:
    """Return the bids (n,) of people in ``seats`` (n,). The generators of ``states`` draw the random numbers.

    ``profiles``: from `tables_for` with the habit's policy. The policy of people who bid numbers instead of nils must
    be none of `winprob`, which bids no number without nils.
    """
    bids, numbers = bids_of_policy(states, seats, rules, habit, profiles)
    _people_all(states, seats, rules, bids, numbers, habit.nil_beside, habit.noise)
    return bids
