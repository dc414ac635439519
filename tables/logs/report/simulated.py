"""How many games a policy wins with the shipped tables and with others, in matches on the same deals.

In `beside_people` the policy has one seat. Its partner and both opponents are people of a model, who also play their
cards as the model says. Each deal is played twice, with the sides swapped.
"""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from service.bidding.game.rules import Rules
from service.bidding.tableset import TableSet
from tables.arena.match import Match, play
from tables.arena.stats import CONFIDENCE, WinRate, win_rate, z_of
from tables.engine.simulate import kernel_tables
from tables.players.names import TABLES_PLAYER
from tables.run.family import Executor


class Change(NamedTuple):
    """How often a policy wins with two table sets, and the mean difference in percent of the games."""

    policy: str
    shipped: WinRate
    fitted: WinRate
    difference: float
    low: float  # ends of the 95% interval
    high: float


def beside_people(people: str, rules: Rules, pairs: int, seed: int) -> Match:
    """Return the match of a bot beside a person, against two people; the caller sets the bot's policy.

    ``people``: a bidder such as ``model:FOLDER,kind=human``.
    """
    players = TABLES_PLAYER, people, people, people
    return Match("bis", people, players, pairs=pairs, rules=rules, seed=seed, mixed=True)


def change(policy: str, match: Match, shipped: TableSet, tables: Path, executor: Executor) -> Change:
    """Return what ``policy`` wins as bidder a of ``match`` with the ``shipped`` tables and with those in a folder.

    The interval is that of the difference in each pair of games, without the variance that both games share.
    Raises `BidderError` and `TablesError`.
    """
    fitted = f"{policy}{',' if ':' in policy else ':'}tables={tables}"
    profiles = kernel_tables(shipped.arrays)
    one, other = (play(replace(match, a=text), profiles, executor, progress=True).scores for text in (policy, fitted))
    each = (other - one).sum(axis=1) * 25.0  # percent: a win instead of a loss in both games is 100
    mean, half = float(each.mean()), z_of(CONFIDENCE) * float(each.std(ddof=1)) / float(len(each)) ** 0.5
    return Change(policy, win_rate(one), win_rate(other), mean, mean - half, mean + half)
