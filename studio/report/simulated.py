"""How many games a policy wins with the shipped tables and with others, in matches on the same deals."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from arena.batched import with_tables
from arena.chunks import Executor
from arena.engine.simulate import kernel_tables
from arena.match import Match, play
from arena.result import decided_by
from arena.stats import Gain, WinRate, win_rate
from arena.store import stored
from spades.tableset import TableSet
from studio.beside_people import Scores, difference


class Change(NamedTuple):
    """How often a policy wins with two table sets, and what it gains by the second."""

    policy: str
    shipped: WinRate
    fitted: WinRate
    gain: Gain


def change(policy: str, match: Match, shipped: TableSet, tables: Path, work: Path, executor: Executor) -> Change:
    """Return what ``policy`` wins as bidder a of ``match`` with the ``shipped`` tables and with those in a folder.

    Finished games are kept in ``work``. Raises `BidderError` and `TablesError`.
    """
    profiles, own = kernel_tables(shipped.arrays), with_tables(policy, tables)

    def played(text: str) -> Scores:
        one = replace(match, a=text)
        with stored(decided_by(one, shipped), work, remove=False) as kept:
            return play(one, profiles, executor, progress=True, kept=kept).scores

    before, after = played(policy), played(own)
    return Change(policy, win_rate(before), win_rate(after), difference(after, before))
