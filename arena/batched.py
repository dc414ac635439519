"""Bidders that answer many waiting games at once, from play states: models of people, and policies with own tables.

- ``model(folder=FOLDER)`` bids as the people that `studio model` learned from. ``model(folder=FOLDER, kind=human)``
  bids as those with this label. Each bid is drawn from the model's chances by a random number that depends only on the
  deal and the seat.
- ``bis(tables=FOLDER)``, or ``bis(offset=1, tables=FOLDER)``, is a policy that reads a table set of its own. It takes
  the options that the set gives to it, as in the service.

As a card player, ``model(folder=FOLDER)`` plays with the blend that `studio model` found to fit best. A blend such as
``blend(wrp=0.4)`` plays a round as WRP with probability 0.4, and otherwise as SRP.
"""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.agent_text import AgentText, parse_text, policy_text, read_options, share, some_text
from arena.engine.mixing import mixed
from arena.engine.rounds import Ints, bids_of
from arena.engine.simulate import kernel_tables, tables_for
from arena.errors import AgentError, BidderError
from arena.people.bid_net import positions
from arena.people.model import PeopleModel, read_model
from arena.questions import Answering, Asked
from spades.cards import DECKS, STANDARD
from spades.legal import deck_number
from spades.policies import BY_NAME, parse_policy
from spades.rules import CUTTHROAT, JOKERS, VARIANTS, Rules
from spades.set_options import options_of, with_options
from spades.tables import Tables
from spades.tableset import TableSet, open_tables

MODEL, BLEND, TABLES = "model", "blend", "tables"
FOLDER_OPTION = some_text("folder", "the folder of a model", about="made by `python -m studio model`")
BLEND_OPTIONS = (share("wrp", about="how often it plays a round as WRP, and otherwise as SRP"),)


class People(NamedTuple):
    """The people that a text names."""

    folder: Path
    label: str  # empty: everyone in the model


def parse_people(text: str) -> People | None:
    """Return the people that a bidder's or player's text names, None for other texts. Raises `AgentError`.

    >>> parse_people("model(folder=ours, kind=human, skill=beginner)").label
    'kind=human,skill=beginner'
    """
    parsed = parse_text(text)
    if parsed.name != MODEL:
        return None
    label = parsed.without("folder")
    folder = read_options(parsed.without(*label.options), (FOLDER_OPTION,))["folder"]
    return People(Path(folder), ",".join(f"{key}={value}" for key, value in label.options.items()))


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
    """Return a policy's text with the tables in ``folder``: the inverse of `split_tables`. Raises `BidderError`.

    >>> with_tables("bis", Path("ours")), with_tables("bis:offset=1", Path("ours"))
    ('bis(tables=ours)', 'bis(offset=1, tables=ours)')
    """
    if set(str(folder)) & set(",()"):
        raise BidderError(f"the folder of a table set is {str(folder)!r}; accepted: a path without commas and brackets")
    parsed = parse_text(policy)
    return str(AgentText(parsed.name, parsed.options | {TABLES: str(folder)}))


def check_batched(text: str, rules: Rules) -> None:
    """Raise an error if no such bidder can play under ``rules``.

    It is an `AgentError`, `BidderError`, `BuildError`, `PolicyError` or `TablesError`.
    """
    people = parse_people(text)
    policy, _ = split_tables(text)
    if people is not None and rules.variant in (JOKERS, CUTTHROAT):
        accepted = ", ".join(name for number, name in enumerate(VARIANTS) if number not in (JOKERS, CUTTHROAT))
        raise BidderError(f"variant is {VARIANTS[rules.variant]} with {text}; accepted: {accepted}")
    if people is not None and deck_number(rules) != STANDARD:
        raise BidderError(f"deck is {DECKS[rules.deck].name} with {text}; accepted: null")
    if people is None:
        parse_policy(policy, rules.variant)
    version_of(text)


def version_of(text: str) -> str:
    """Return the version of the model or of the tables that a text names.

    Raises `BidderError` or `TablesError`, and `BuildError` for a label that nobody in the model has.
    """
    people = parse_people(text)
    if people is None:
        folder = split_tables(text)[1]
        assert folder is not None, f"{text} names no tables"
        return _table_set(folder).version
    model = _model(people.folder)
    model.shares_of(people.label)  # raises an error if nobody has the label
    return model.version


def blend_of(text: str) -> float | None:
    """Return how often the card player that a text names plays as WRP, None for other players.

    Raises `AgentError`, and `BuildError` for a label that nobody in the model has.
    """
    people = parse_people(text)
    if people is not None:
        return _model(people.folder).blend(people.label)
    parsed = parse_text(text)
    if parsed.name != BLEND:
        return None
    return float(read_options(parsed, BLEND_OPTIONS)["wrp"])


def open_batched(text: str, rules: Rules) -> Answering:
    """Return the bidder that a text names. Raises `AgentError` or `TablesError`."""
    people = parse_people(text)
    if people is not None:
        return ModelBidder(_model(people.folder), people.label, rules)
    policy, folder = split_tables(text)
    assert folder is not None, f"{text} names no tables"
    given = with_options(policy, rules.variant, options_of(_table_set(folder)))
    return TablesBidder(given, _profiles(folder), rules)


@lru_cache(maxsize=8)
def _model(folder: Path) -> PeopleModel:
    return read_model(folder)


@lru_cache(maxsize=8)
def _table_set(folder: Path | None) -> TableSet:
    return open_tables(folder)


@lru_cache(maxsize=8)
def _profiles(folder: Path | None) -> tuple[Tables, ...]:
    return kernel_tables(_table_set(folder).arrays)


class TablesBidder(Answering):
    """A policy that reads a table set of its own."""

    def __init__(self, text: str, profiles: tuple[Tables, ...], rules: Rules) -> None:
        self._policy = parse_policy(text, rules.variant)
        self._tables = tables_for(profiles, rules, [self._policy])
        self._rules = rules

    def answers(self, asked: Asked) -> Ints:
        """Return the policy's bids; see `Answering`."""
        return bids_of(asked.states, asked.seats, self._rules, self._policy, self._tables)


class ModelBidder(Answering):
    """People who bid as a model says."""

    def __init__(self, model: PeopleModel, label: str, rules: Rules) -> None:
        self._model, self._label, self._rules = model, label, rules

    def answers(self, asked: Asked) -> Ints:
        """Return bids drawn from the model's chances; see `Answering`."""
        states, seats = asked.states, asked.seats
        seen = positions(states, seats, self._rules, _profiles(None))
        sums = self._model.chances(seen, self._label).cumsum(axis=1)
        drawn = _uniform(states["rng"][np.arange(len(seats)), seats]) * sums[:, -1]
        found: Ints = (sums <= drawn[:, None]).sum(axis=1)
        return found


def _uniform(words: Ints) -> NDArray[np.float64]:
    # Numbers in [0, 1) that depend on the deal's random words.
    bits = mixed(words.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15))
    return np.asarray(bits >> np.uint64(11), np.float64) / 2.0**53
