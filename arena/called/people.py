"""People of a model, as agents: `model(folder=FOLDER)` bids as the people that `studio model` learned from.

``model(folder=FOLDER, kind=human)`` bids as those with this label. Each bid is drawn from the model's chances by a
random number that depends only on the deal and the seat. As a card player, the agent plays with the blend that `studio
model` found to fit best: it plays a share of the rounds as WRP, and the others as SRP.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from arena.agent_text import AgentText, Option, read_options, some_text
from arena.called import CalledAgent, Resources
from arena.engine.mixing import mixed
from arena.engine.rounds import Ints
from arena.engine.simulate import kernel_tables
from arena.errors import AgentError
from arena.people.bid_net import positions
from arena.people.model import PeopleModel, read_model
from arena.questions import BID, Answering, Asked
from arena.refusals import refuse_jokers
from spades.manifest import MANIFEST
from spades.rules import CUTTHROAT, Rules
from spades.tables import Tables
from spades.tableset import open_tables

MODEL = "model"
FOLDER_OPTION = some_text("folder", "the folder of a model", about="made by `python -m studio model`")


@dataclass(frozen=True)
class People(CalledAgent):
    """People of a model."""

    folder: Path
    label: str  # empty: everyone in the model
    about: ClassVar[str] = "people of a model; other options are their label"
    options: ClassVar[tuple[Option, ...]] = (FOLDER_OPTION,)
    plays_cards: ClassVar[bool] = True  # with the blend that fits them best

    @classmethod
    def read(cls, text: AgentText) -> Self:
        """Return the people that a text describes; see `CalledAgent`.

        >>> People.read(AgentText("model", {"folder": "ours", "kind": "human", "skill": "beginner"})).label
        'kind=human,skill=beginner'
        """
        label = text.without(FOLDER_OPTION.key).options
        folder = read_options(text.without(*label), (FOLDER_OPTION,))[FOLDER_OPTION.key]
        return cls(Path(folder), ",".join(f"{key}={value}" for key, value in label.items()))

    def opened(self, rules: Rules, resources: Resources) -> Answering:
        """Return what answers; see `CalledAgent`."""
        return PeopleBids(_model(self.folder), self.label, rules)

    def questions(self) -> frozenset[int]:
        """Return that they bid."""
        return frozenset([BID])

    def check(self, rules: Rules) -> None:
        """Raise `ArenaError` for jokers or cutthroat; raise as `folder_version` does."""
        refuse_jokers(rules, str(self), CUTTHROAT)
        self.folder_version()

    def folder_version(self) -> str:
        """Return the model's version.

        Raises `AgentError` or `TablesError` for a folder without a model, `BuildError` for a label that nobody has.
        """
        if not (self.folder / MANIFEST).is_file():
            raise AgentError(f"{self}: {FOLDER_OPTION.key} is {self.folder}; accepted: {FOLDER_OPTION.accepted}")
        model = _model(self.folder)
        model.shares_of(self.label)  # raises an error if nobody has the label
        return model.version

    def blend(self) -> float:
        """Return how often the card player that fits them best plays as WRP. Raises as `folder_version`."""
        self.folder_version()
        return _model(self.folder).blend(self.label)

    def __str__(self) -> str:
        label = dict(pair.split("=", 1) for pair in self.label.split(",") if pair)
        return str(AgentText(MODEL, {FOLDER_OPTION.key: str(self.folder), **label}))


class PeopleBids(Answering):
    """People who bid as a model says."""

    def __init__(self, model: PeopleModel, label: str, rules: Rules) -> None:
        self._model, self._label, self._rules = model, label, rules

    def answers(self, asked: Asked) -> Ints:
        """Return bids drawn from the model's chances; see `Answering`."""
        states, seats = asked.states, asked.seats
        seen = positions(states, seats, self._rules, _profiles())
        sums = self._model.chances(seen, self._label).cumsum(axis=1)
        drawn = _uniform(states["rng"][np.arange(len(seats)), seats]) * sums[:, -1]
        found: Ints = (sums <= drawn[:, None]).sum(axis=1)
        return found


@lru_cache(maxsize=8)
def _model(folder: Path) -> PeopleModel:
    return read_model(folder)


@lru_cache(maxsize=1)
def _profiles() -> tuple[Tables, ...]:
    return kernel_tables(open_tables().arrays)


def _uniform(words: Ints) -> NDArray[np.float64]:
    # Numbers in [0, 1) that depend on the deal's random words.
    bits = mixed(words.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15))
    return np.asarray(bits >> np.uint64(11), np.float64) / 2.0**53
