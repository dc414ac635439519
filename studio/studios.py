"""Simulated studios: who plays there and how, so that the true chances behind a log are known.

`playing.studio_records` plays their games. `true_chances` states the probability of every bid in a log of these games.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.engine.deal import Deals
from arena.engine.habits import Habit, chances_of_people
from arena.engine.mixing import mixed
from arena.engine.rounds import states_at
from arena.engine.simulate import tables_for
from arena.errors import BuildError
from arena.players.names import parse_player
from spades.options import Policy
from spades.policies import parse_policy
from spades.rules import Rules
from spades.tables import Tables
from studio.round_log import Label, label_name
from studio.rounds import NO_BAGS, NO_POINTS, Names, Rounds

BIDS = 14  # nil and 1 to 13
NOBODY = -1


class People(NamedTuple):
    """One kind of players of a studio."""

    label: Label
    policy: str
    player: str  # how they play their cards
    nil_beside: int = 0  # lowest earlier bid beside which they bid nil; 0: beside every bid
    noisy: bool = True  # whether the noise changes their bids


class Studio(NamedTuple):
    """The players of a studio."""

    name: str
    meaning: str
    people: tuple[People, ...]
    chairs: tuple[int, ...] = ()  # indices in `people` for chairs a0, b0, a1, b1; if empty, each game draws them


def _human(policy: str, player: str, nil_beside: int = 0, skill: str | None = None) -> People:
    label: Label = {"kind": "human", "skill": skill} if skill else {"kind": "human"}
    return People(label, policy, player, nil_beside)


_DECLARED = (
    Studio(
        "weak",
        "weak card players who bid as BIS does, as partners, against two strong bots",
        (_human("bis", "wrp"), People({"kind": "bot", "policy": "bis"}, "bis", "srp", noisy=False)),
        (0, 1, 0, 1),
    ),
    Studio(
        "overbidders",
        "players who bid a trick more than BIS, and more nils",
        (_human("bis:offset=1,nil_threshold=-20", "srp"),),
    ),
    Studio("careful", "players who never bid nil beside an earlier bid of 0 to 2", (_human("bis", "srp", 3),)),
    Studio(
        "segments",
        "careful beginners who play weakly and experts who overbid, by label",
        (
            _human("bis:offset=-0.5", "wrp", 3, "beginner"),
            _human("bis:offset=0.7,nil_threshold=0", "srp", 0, "expert"),
        ),
    ),
)
STUDIOS = {studio.name: studio for studio in _DECLARED}


class Seating(NamedTuple):
    """Who bids and plays in n games; kinds are numbered as in `Studio.people`."""

    kinds: NDArray[np.int64]  # (n, 4): by chair
    habits: Sequence[Habit]  # by kind
    players: NDArray[np.int64]  # (kinds, 2): card player's id and pieces, by kind


def studio_of(name: str) -> Studio:
    """Return the studio with this name. Raises `BuildError`."""
    if name not in STUDIOS:
        raise BuildError(f"studio is {name!r}; accepted: {', '.join(STUDIOS)}")
    return STUDIOS[name]


def two_policies(a: str, b: str, players: tuple[str, str]) -> Studio:
    """Return the studio in which the sides bid by ``a`` and ``b``, without noise; ``players``: who plays the cards."""
    people = (
        People({"kind": "bot", "policy": label_name(policy)}, policy, player, noisy=False)
        for policy, player in zip((a, b), players, strict=True)
    )
    return Studio(f"{a} {b}", "two policies", tuple(people), (0, 1, 0, 1))


def policies_of(studio: Studio, variant: int) -> list[Policy]:
    """Return the policy of each kind of people."""
    return [parse_policy(people.policy, variant) for people in studio.people]


def labels_of(studio: Studio, seating: Seating) -> list[list[Label]]:
    """Return the label of each player, by game and chair."""
    return [[studio.people[kind].label for kind in kinds] for kinds in seating.kinds.tolist()]


def seating_of(studio: Studio, noise: float, games: Deals, rules: Rules) -> Seating:
    """Return who plays in the ``games``; each draws the kind of each chair by a hash of seed, game and chair."""
    habits = _habits(studio, noise, rules)
    rows = [parse_player(people.player) for people in studio.people]
    n = games.last - games.first
    numbers = (np.arange(games.first, games.last)[:, None] * 4 + np.arange(4)).astype(np.uint64)
    bits = mixed(numbers + mixed(np.full((n, 4), games.seed + 1, np.uint64)))
    drawn = (bits % np.uint64(len(studio.people))).astype(np.int64)
    kinds = np.tile(studio.chairs, (n, 1)).astype(np.int64) if studio.chairs else drawn
    return Seating(kinds, habits, np.array(rows, np.int64))


def _habits(studio: Studio, noise: float, rules: Rules) -> list[Habit]:
    return [
        Habit(policy, people.nil_beside, noise * people.noisy)
        for people, policy in zip(studio.people, policies_of(studio, rules.variant), strict=True)
    ]


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
        tables = tables_for(profiles, rules, policies_of(studio, rules.variant))
        for kind, habit in enumerate(_habits(studio, noise, rules)):
            own = (rounds.rules == number)[:, None] & (kinds == kind) & (rounds.hands != 0)
            rows, seats = np.nonzero(own)
            states = states_at(rules, rounds.hands[rows], rounds.bids[rows], rounds.scores[rows], rounds.bags[rows])
            chances[rows, seats] = chances_of_people(states, seats, rules, habit, tables)
    return chances
