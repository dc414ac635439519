"""How simulated people bid, as kernels: a policy, nils that they never bid, and noise whose chances are known.

People bid as a policy does, with two differences. Some never bid nil beside a low bid; they bid their number
instead. With a stated probability a bid is not the intended one: a number moves by -2, -1, 1 or 2, equally likely, to
the nearest number that the rules allow, and a nil becomes the number.
"""

from typing import Any, NamedTuple

from arena.engine.choose_bid import auction_at, choose_bid, standing_at
from arena.engine.deal import below, uniform
from arena.engine.game import bid_seat
from spades.legal import BLIND_NIL, allowed_bids, contract_of, nearest_number
from spades.play import PlayState
from spades.rules import Rules

MOVES = 4  # by which noise moves a number


class Habit(NamedTuple):
    """How one kind of people bids."""

    policy: Any  # `Policy`
    number_policy: Any  # the same without nils
    nil_beside: int  # lowest earlier bid beside which they bid nil; 0: beside every bid
    noise: float  # probability that a bid is not the intended one


class Intended(NamedTuple):
    """The bid that a person intends, and what noise may make of it."""

    bid: int
    number: int  # instead of a nil
    allowed: int  # the set of bids that the rules allow


def intended_bid(state: PlayState, seat: int, rules: Rules, habit: Habit, bid: int, profiles: Any) -> Intended:
    """Return the bid that a person in ``seat`` intends, if their policy bids ``bid``.

    ``profiles``: `Tables` by profile. The policy of a person who bids numbers instead of nils is one of `choose_bid`.
    """
    hand, auction = state.hand[seat], auction_at(state, seat)
    allowed = allowed_bids(hand, auction.partner_bid, rules)
    number = bid
    if bid == 0 and (habit.nil_beside > 0 or habit.noise > 0.0):
        number = choose_bid(hand, auction, standing_at(state, seat), rules, habit.number_policy, profiles)
        number = nearest_number(max(1, number), allowed)
        for other in range(seat):
            if contract_of(state.bid[other]) < habit.nil_beside:
                bid = number
    return Intended(bid=bid, number=number, allowed=allowed)


def moved_bid(intended: Intended, move: int) -> int:
    """Return what noise makes of a bid; ``move``: 0..MOVES - 1."""
    bid, number, allowed = intended
    if bid == 0:
        return number
    step = move - 2 if move < 2 else move - 1
    return nearest_number(min(13, max(1, bid + step)), allowed)


def bid_of_person(state: PlayState, seat: int, rules: Rules, habit: Habit, profiles: Any) -> int:
    """Return the bid of a person in ``seat``. The state's generator draws the random numbers."""
    bid = bid_seat(state, seat, rules, habit.policy, profiles)
    intended = intended_bid(state, seat, rules, habit, bid, profiles)
    if habit.noise == 0.0 or intended.bid == BLIND_NIL or uniform(state) >= habit.noise:
        return intended.bid
    return moved_bid(intended, below(state, MOVES))


def bid_chances(state: PlayState, seat: int, rules: Rules, habit: Habit, profiles: Any, chances: Any) -> None:
    """Write the probability of each bid 0..13 of a person in ``seat`` to ``chances`` (14,).

    The person's policy is one of `choose_bid`, without blind nils and at full strength.
    """
    hand, auction = state.hand[seat], auction_at(state, seat)
    bid = choose_bid(hand, auction, standing_at(state, seat), rules, habit.policy, profiles)
    intended = intended_bid(state, seat, rules, habit, bid, profiles)
    chances[intended.bid] += 1.0 - habit.noise
    for move in range(MOVES):
        chances[moved_bid(intended, move)] += habit.noise / MOVES
