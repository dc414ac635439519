"""Matches of a policy beside people of a model, and how many more games it wins in one than in another.

The policy has one seat beside a person, or both seats of a side. The others are people of a model, who also play their
cards as the model says. Each deal is played twice, with the sides swapped.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.called.policy_tables import with_tables
from arena.chunks import Executor
from arena.match import Match, play
from arena.result import decided_by
from arena.stats import CONFIDENCE, Gain, WinRate, win_rate, z_of
from arena.store import stored
from spades.rules import Rules
from studio.sets import shipped_profiles, shipped_set

Scores: TypeAlias = NDArray[np.int64]  # (pairs, 2), as in `Played`


def add_seats_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where the policy sits."""
    player = "who plays the cards of the policy's seats, such as model(folder=FOLDER) if people follow its advice"
    parser.add_argument("--player", default="srp", metavar="PLAYER", help=f"{player} (default %(default)s)")
    both = "the policy bids for both partners, instead of beside one of the people"
    parser.add_argument("--both-partners", action="store_true", help=both)


def beside_people(people: str, rules: Rules, pairs: int, seed: int, player: str = "srp", both: bool = False) -> Match:
    """Return a match against two people, in which the caller sets the policy as bidder a.

    ``people``: a bidder such as ``model(folder=FOLDER, kind=human)``. ``player``: who plays the cards of the policy's
    seats; if the policy advises people, the same text as ``people``. ``both``: whether the policy bids for both
    partners, instead of beside a person.
    """
    players = (player, people) if both else (player, people, people, people)
    return Match("bis", people, players, pairs=pairs, rules=rules, seed=seed, mixed=not both)


def difference(one: Scores, other: Scores) -> Gain:
    """Return how many more games ``one`` wins than ``other`` in the same pairs, in percent.

    The interval is computed from the differences by pair, without the variance that both policies share.

    >>> difference(np.array([[1, 1], [1, -1]]), np.array([[1, -1], [1, -1]])).mean
    25.0
    """
    each = (one - other).sum(axis=1) * 25.0  # percent: a win instead of a loss in both games is 100
    mean, half = float(each.mean()), z_of(CONFIDENCE) * float(each.std(ddof=1)) / float(len(each)) ** 0.5
    return Gain(mean, mean - half, mean + half)


class Change(NamedTuple):
    """How often a policy wins with two table sets, and what it gains by the second."""

    policy: str
    shipped: WinRate
    fitted: WinRate
    gain: Gain


def kept_scores(match: Match, work: Path, executor: Executor, progress: bool = True) -> Scores:
    """Return the scores of a match on the shipped tables; finished games are kept in ``work``.

    Raises `BidderError` and `TablesError`.
    """
    with stored(decided_by(match, shipped_set()), work, remove=False) as kept:
        return play(match, shipped_profiles(), executor, progress=progress, kept=kept).scores


def change(policy: str, match: Match, tables: Path, work: Path, executor: Executor) -> Change:
    """Return what ``policy`` wins as bidder a of ``match`` with the shipped tables and with those in a folder.

    See `kept_scores`.
    """
    texts = policy, with_tables(policy, tables)
    before, after = (kept_scores(replace(match, a=text), work, executor) for text in texts)
    return Change(policy, win_rate(before), win_rate(after), difference(after, before))
