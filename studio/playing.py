"""Play games and write them as a log: examples of the format, and logs of players whose chances are known."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from arena.engine.deal import Deals
from arena.engine.habits import bids_of_people
from arena.engine.rounds import Batch, Ints
from arena.engine.simulate import KernelTables, tables_for
from arena.games import Lineup, play_games
from arena.questions import BID, Asked
from spades.cards import format_card, format_pbn
from spades.options import Policy
from spades.rules import Rules, overrides_of
from spades.tables import Tables
from studio.round_log import Label, RoundLog
from studio.studios import Seating, Studio, labels_of, policies_of, seating_of


class PeopleAnswers:
    """The bids of the people of a studio."""

    def __init__(self, seating: Seating, games: Deals, profiles: KernelTables) -> None:
        self._seating, self._first, self._profiles = seating, games.first, profiles

    def answers(self, asked: Asked) -> Ints:
        """Return the bids (n,); see `arena.games.Answering`."""
        rounds = asked.rounds
        kinds = self._seating.kinds[rounds["deal"] - self._first, (rounds["first_chair"] + asked.seats) & 3]
        bids = np.zeros(len(kinds), np.int64)
        for kind in np.unique(kinds).tolist():
            own = kinds == kind
            states, habit = asked.all_states[asked.rows[own]], self._seating.habits[kind]
            bids[own] = bids_of_people(states, asked.seats[own], asked.rules, habit, self._profiles)
            asked.all_states["rng"][asked.rows[own]] = states["rng"]  # the generators have moved on
        return bids

    def close(self) -> None:
        """Do nothing: there is no connection."""


def play_seated(games: Deals, rules: Rules, seating: Seating, profiles: KernelTables) -> tuple[NDArray[np.void], Ints]:
    """Return the rounds of the players and bidders of ``seating``, from 0-0 to the end of each game.

    The rounds are rows of `ROUND`, game by game. The results (games,) are 1 if side a wins, -1 if b wins, 0 for a draw.
    """
    numbers = np.arange(games.first, games.last)
    batch = Batch(rules, numbers, 2 * (numbers & 1))
    people = PeopleAnswers(seating, games, profiles)
    lineup = Lineup([Policy()] * 4, seating.players[seating.kinds], agents=[people], called={BID: [0] * 4})
    parts, results = [], np.zeros(len(numbers), np.int64)
    for so_far in play_games(batch, lineup, games.seed, profiles):
        parts.append(batch.rounds[batch.active])
        results = so_far.copy()
    rounds = np.concatenate(parts)
    return rounds[np.lexsort((rounds["number"], rounds["deal"]))], results


def studio_records(
    studio: Studio, noise: float, games: Deals, rules: Rules, profiles: tuple[Tables, ...]
) -> Iterator[RoundLog]:
    """Yield the rounds of ``games`` of a studio as records of a log; ``profiles``: from `kernel_tables`.

    ``noise`` is the probability that a bid is not the intended one.
    """
    seating = seating_of(studio, noise, games, rules)
    tables = tables_for(profiles, rules, policies_of(studio, rules.variant))
    rounds, results = play_seated(games, rules, seating, tables)
    title = f"{studio.name} {noise:g}" if any(people.noisy for people in studio.people) else studio.name
    return labelled_records(rounds, results, games, rules, title, labels_of(studio, seating))


def labelled_records(
    rounds: NDArray[np.void], results: Ints, games: Deals, rules: Rules, title: str, labels: Sequence[Sequence[Label]]
) -> Iterator[RoundLog]:
    """Yield the rounds of ``games`` as records of a log; ``rounds`` and ``results``: from `play_seated`.

    ``title`` begins the names of the games; ``labels``: by game and chair.
    """
    for row in rounds:
        first_chair, result = int(row["first_chair"]), int(results[row["deal"] - games.first])
        record: RoundLog = {
            "format": 1,
            "game": f"{title} {games.seed}-{row['deal']}",
            "round": int(row["number"]),
            "rules": {"preset": "classic"} | overrides_of(rules),
            "hands": [format_pbn(hand) for hand in row["hands"].tolist()],
            "bids": row["bids"].tolist(),
            "tricks": row["tricks"].tolist(),
            "plays": [format_card(card) for card in row["plays"].tolist()],
            "scores": row["scores"][:2].tolist(),
            "bags": row["bags"][:2].tolist(),
            "labels": [labels[row["deal"] - games.first][(first_chair + seat) & 3] for seat in range(4)],
        }
        if result:
            record["winner"] = 0 if (first_chair & 1 == 0) == (result == 1) else 1
        yield record
