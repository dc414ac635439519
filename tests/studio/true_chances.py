"""The probabilities behind the log of a simulated studio, which says who plays there and how."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.engine.habits import MOVES, Habit, bids_of_policy, intended_bid, moved_bid
from arena.engine.jit import entry
from arena.engine.rounds import Ints, states_at
from arena.engine.simulate import KernelTables, tables_for
from arena.errors import BuildError
from spades.rules import Rules
from spades.tables import Tables
from studio.play import Studio
from studio.rounds import NO_BAGS, NO_POINTS, Names, Rounds

BIDS = 14  # nil and 1 to 13
NOBODY = -1


def true_chances(
    studio: Studio, noise: float, rounds: Rounds, names: Names, profiles: tuple[Tables, ...]
) -> NDArray[np.float64]:
    """Return P(bid) (n, 4, BIDS) of the players of ``studio`` in rounds of its log, given what a bidder sees.

    ``profiles``: from `kernel_tables`. The chances are 0 for a seat with an unknown hand, or with a label that
    nobody in the studio has.
    Raises `BuildError` for rounds without scores.
    """
    if (rounds.scores == NO_POINTS).any() or (rounds.bags == NO_BAGS).any():
        raise BuildError("found rounds without scores or bags; accepted: a log that `studio play` wrote")
    labels = [",".join(f"{name}={value}" for name, value in people.label.items()) for people in studio.people]
    numbers = np.array([labels.index(label) if label in labels else NOBODY for label in [*names.labels, ""]])
    kinds = numbers[rounds.labels]  # NO_LABEL is the last one
    chances = np.zeros((len(rounds.bids), 4, BIDS))
    for number in np.unique(rounds.rules).tolist():
        rules = names.rules[number]
        habits = studio.habits(noise, rules.variant)
        tables = tables_for(profiles, rules, [habit.policy for habit in habits])
        for kind, habit in enumerate(habits):
            own = (rounds.rules == number)[:, None] & (kinds == kind) & (rounds.hands != 0)
            rows, seats = np.nonzero(own)
            states = states_at(rules, rounds.hands[rows], rounds.bids[rows], rounds.scores[rows], rounds.bags[rows])
            chances[rows, seats] = chances_of_people(states, seats, rules, habit, tables)
    return chances


def chances_of_people(
    states: NDArray[np.void], seats: Ints, rules: Rules, habit: Habit, profiles: KernelTables
) -> NDArray[np.float64]:
    """Return the probability (n, BIDS) of each bid of people in ``seats`` (n,); see `bids_of_people`.

    The people's policy bids no blind nils, and at full strength.
    """
    bids, numbers = bids_of_policy(states, seats, rules, habit, profiles)
    chances = np.zeros((len(states), BIDS))
    _chances_all(states, seats, rules, bids, numbers, habit.nil_beside, habit.noise, chances)
    return chances


def _chances(
    states: Any, seats: Any, rules: Rules, bids: Any, numbers: Any, beside: int, noise: float, chances: Any
) -> None:
    # chances (n, BIDS), added.
    for i in range(len(states)):
        intended = intended_bid(states[i], seats[i], rules, bids[i], numbers[i], beside)
        chances[i, intended.bid] += 1.0 - noise
        for move in range(MOVES):
            chances[i, moved_bid(intended, move)] += noise / MOVES


_chances_all = entry(_chances)
