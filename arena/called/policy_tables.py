"""Policies with their own tables, as agents: ``bis(tables=FOLDER)``, or ``bis(offset=1, tables=FOLDER)``.

Such a policy reads the table set in FOLDER, and takes the options that the set gives to it, as in the service.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Self

from arena.agent_text import AgentText, parse_text, policy_text
from arena.called import CalledAgent, Resources
from arena.engine.rounds import Ints, bids_of
from arena.engine.simulate import kernel_tables, tables_for
from arena.errors import AgentError
from arena.questions import BID, Answering, Asked
from arena.refusals import check_policy
from spades.manifest import MANIFEST
from spades.policies import BY_NAME, parse_policy
from spades.rules import Rules
from spades.set_options import options_of, with_options
from spades.tables import Tables
from spades.tableset import TableSet, open_tables

TABLES = "tables"  # the option


@dataclass(frozen=True)
class PolicyWithTables(CalledAgent):
    """A policy that reads a table set of its own."""

    policy: str  # a text of `spades.policies`
    folder: Path

    @classmethod
    def read(cls, text: AgentText) -> Self:
        """Return the policy and the tables that a text names; see `CalledAgent`."""
        policy, folder = split_tables(str(text))
        assert folder is not None, f"{text} names no tables"
        with_tables(policy, folder)  # raises an error for a folder that the text of an agent can't hold
        return cls(policy, folder)

    def opened(self, rules: Rules, resources: Resources) -> Answering:
        """Return what answers; see `CalledAgent`."""
        given = with_options(self.policy, rules.variant, options_of(_table_set(self.folder)))
        return TablesBids(given, _profiles(self.folder), rules)

    def questions(self) -> frozenset[int]:
        """Return that it bids."""
        return frozenset([BID])

    def check(self, rules: Rules) -> None:
        """Raise `PolicyError` for a wrong option, `ArenaError` without a win table; raise as `folder_version` does."""
        check_policy(self.policy, rules)
        self.folder_version()

    def folder_version(self) -> str:
        """Return the version of the tables. Raises `AgentError` or `TablesError` for a folder without tables."""
        if not (self.folder / MANIFEST).is_file():
            raise AgentError(f"{self}: {TABLES} is {self.folder}; accepted: the folder of a table set")
        return _table_set(self.folder).version

    def __str__(self) -> str:
        return with_tables(self.policy, self.folder)


def split_tables(text: str) -> tuple[str, Path | None]:
    """Return the policy text of a policy's text without its tables, and their folder. Raises `AgentError`.

    Texts that name no policy, and those without tables, have None instead of a folder.

    >>> split_tables("bis(offset=1, tables=ours)")[0], split_tables("bis:tables=ours"), split_tables("bis")
    ('bis:offset=1', ('bis', PosixPath('ours')), ('bis', None))
    """
    parsed = parse_text(text)
    folder = parsed.options.get(TABLES)
    if parsed.name not in BY_NAME or folder is None:
        return policy_text(parsed.name, parsed.options), None
    if not folder:
        raise AgentError(f"{text}: tables is ''; accepted: the folder of a table set")
    return policy_text(parsed.name, parsed.without(TABLES).options), Path(folder)


def with_tables(policy: str, folder: Path) -> str:
    """Return a policy's text with the tables in ``folder``: the inverse of `split_tables`. Raises `AgentError`.

    >>> with_tables("bis", Path("ours")), with_tables("bis:offset=1", Path("ours"))
    ('bis(tables=ours)', 'bis(offset=1, tables=ours)')
    """
    if set(str(folder)) & set(",()"):
        raise AgentError(f"the folder of a table set is {str(folder)!r}; accepted: a path without commas and brackets")
    parsed = parse_text(policy)
    return str(AgentText(parsed.name, parsed.options | {TABLES: str(folder)}))


class TablesBids(Answering):
    """A policy that reads a table set of its own."""

    def __init__(self, text: str, profiles: tuple[Tables, ...], rules: Rules) -> None:
        self._policy = parse_policy(text, rules.variant)
        self._tables = tables_for(profiles, rules, [self._policy])
        self._rules = rules

    def answers(self, asked: Asked) -> Ints:
        """Return the policy's bids; see `Answering`."""
        return bids_of(asked.states, asked.seats, self._rules, self._policy, self._tables)


@lru_cache(maxsize=8)
def _table_set(folder: Path) -> TableSet:
    return open_tables(folder)


@lru_cache(maxsize=8)
def _profiles(folder: Path) -> tuple[Tables, ...]:
    return kernel_tables(_table_set(folder).arrays)
