"""Play games between two policies, or of simulated people, and write them as a log: `python -m studio play`.

A simulated studio says who plays there and how.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

import numpy as np
import orjson
import polars
from numpy.typing import NDArray
from tqdm import tqdm

from arena.engine.deal import Deals
from arena.engine.habits import Habit, bids_of_people
from arena.engine.mixing import mixed
from arena.engine.rounds import Batch, Ints
from arena.engine.simulate import KernelTables, tables_for
from arena.errors import BuildError
from arena.games import Lineup, play_games
from arena.match import MOST_SEED
from arena.match_command import add_rules_arguments, rules_of
from arena.players.names import parse_player
from arena.progress import working_on
from arena.questions import BID, Answering, Asked
from spades.arguments import decimal, integer
from spades.cards import format_card, format_pbn
from spades.options import Policy
from spades.policies import parse_policy
from spades.rules import Rules, overrides_of
from spades.tables import Tables
from studio.columns import frame_of
from studio.round_log import Label, RoundLog, label_name
from studio.rounds import in_a_log
from studio.sets import shipped_profiles

GAMES = 500  # number of games that are kept in memory


class People(NamedTuple):
    """One kind of players of a studio."""

    label: Label
    policy: str
    player: str  # how they play their cards
    nil_beside: int = 0  # lowest earlier bid beside which they bid nil; 0: beside every bid
    noisy: bool = True  # whether the noise changes their bids


class Studio(NamedTuple):
    """The players of a studio. Each kind of people has a number, its place in ``people``."""

    name: str
    meaning: str
    people: tuple[People, ...]
    chairs: tuple[int, ...] = ()  # the kinds in chairs a0, b0, a1, b1; if empty, each game draws them

    def habits(self, noise: float, variant: int) -> list[Habit]:
        """Return how each kind bids; ``noise`` is the probability that a bid is not the intended one."""
        return [
            Habit(parse_policy(people.policy, variant), people.nil_beside, noise * people.noisy)
            for people in self.people
        ]

    def players(self) -> NDArray[np.int64]:
        """Return the card player of each kind, (kinds, 2): id and pieces."""
        return np.array([parse_player(people.player) for people in self.people], np.int64)

    def kinds(self, games: Deals) -> NDArray[np.int64]:
        """Return the kind in each chair, (n, 4); if it is drawn, by a hash of seed, game and chair."""
        n = games.last - games.first
        if self.chairs:
            return np.tile(np.array(self.chairs, np.int64), (n, 1))
        numbers = (np.arange(games.first, games.last)[:, None] * 4 + np.arange(4)).astype(np.uint64)
        bits = mixed(numbers + mixed(np.full((n, 4), games.seed + 1, np.uint64)))
        return (bits % np.uint64(len(self.people))).astype(np.int64)


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


def two_policies(a: str, b: str, players: tuple[str, str]) -> Studio:
    """Return the studio in which the sides bid by ``a`` and ``b``, without noise; ``players``: who plays the cards."""
    people = (
        People({"kind": "bot", "policy": label_name(policy)}, policy, player, noisy=False)
        for policy, player in zip((a, b), players, strict=True)
    )
    return Studio(f"{a} {b}", "two policies", tuple(people), (0, 1, 0, 1))


class PeopleAnswers(Answering):
    """The bids of people, as an agent of `arena.games`."""

    def __init__(
        self, kinds: NDArray[np.int64], habits: Sequence[Habit], first_game: int, profiles: KernelTables
    ) -> None:
        """``kinds`` (n, 4): by game and chair; ``habits``: by kind."""
        self._kinds, self._habits, self._first, self._profiles = kinds, habits, first_game, profiles

    def answers(self, asked: Asked) -> Ints:
        """Return the bids (n,); see `arena.questions.Answering`."""
        rounds = asked.rounds
        kinds = self._kinds[rounds["deal"] - self._first, (rounds["first_chair"] + asked.seats) & 3]
        bids = np.zeros(len(kinds), np.int64)
        for kind in np.unique(kinds).tolist():
            own = kinds == kind
            states = asked.all_states[asked.rows[own]]
            bids[own] = bids_of_people(states, asked.seats[own], asked.rules, self._habits[kind], self._profiles)
            asked.all_states["rng"][asked.rows[own]] = states["rng"]  # the generators have moved on
        return bids


def studio_records(
    studio: Studio, noise: float, games: Deals, rules: Rules, profiles: tuple[Tables, ...]
) -> Iterator[RoundLog]:
    """Yield the rounds of ``games`` of a studio as records of a log, each game from 0-0 to its end.

    ``noise`` is the probability that a bid is not the intended one; ``profiles``: from `kernel_tables`.
    """
    habits, kinds, numbers = (
        studio.habits(noise, rules.variant),
        studio.kinds(games),
        np.arange(games.first, games.last),
    )
    tables = tables_for(profiles, rules, [habit.policy for habit in habits])
    batch, people = Batch(rules, numbers, 2 * (numbers & 1)), PeopleAnswers(kinds, habits, games.first, tables)
    lineup = Lineup([Policy()] * 4, studio.players()[kinds], agents=[people], called={BID: [0] * 4})
    parts, results = [], np.zeros(len(numbers), np.int64)  # results: 1 if side a wins, -1 if b wins, 0 for a draw
    for so_far in play_games(batch, lineup, games.seed, tables):
        parts.append(batch.rounds[batch.active])
        results = so_far.copy()
    rounds = np.concatenate(parts)
    title = f"{studio.name} {noise:g}" if any(people.noisy for people in studio.people) else studio.name
    for row in rounds[np.lexsort((rounds["number"], rounds["deal"]))]:
        first_chair, game = int(row["first_chair"]), int(row["deal"]) - games.first
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
            "labels": [studio.people[kinds[game, (first_chair + seat) & 3]].label for seat in range(4)],
        }
        if results[game]:
            record["winner"] = 0 if (first_chair & 1 == 0) == (results[game] == 1) else 1
        yield record


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("out", type=Path, metavar="FILE", help="the log to write: .jsonl or .parquet")
    for side in "ab":
        policy = f"policy of side {side} (default %(default)s)"
        parser.add_argument(f"--{side}", default="bis", metavar="POLICY", help=policy)
    parser.add_argument("--player", default="srp", help="card player of all (default %(default)s)")
    studio = "instead of two policies, people whose bids are known: " + "; ".join(
        f"{name}: {one.meaning}" for name, one in STUDIOS.items()
    )
    parser.add_argument("--studio", metavar="NAME", help=studio)
    noise = "with --studio: probability that a bid is not the intended one (default %(default)s)"
    parser.add_argument("--noise", type=decimal, default=0.0, metavar="P", help=noise)
    parser.add_argument("--games", type=integer, default=1_000, help="how many (default %(default)s)")
    parser.add_argument("--seed", type=integer, default=1, help="seed of the deals (default %(default)s)")
    add_rules_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Play games and write their log. Raises `BuildError`, `BiddingError` and `AgentError`."""
    out = arguments.out
    if not out.name.endswith((".jsonl", ".parquet")) or not out.parent.is_dir() or out.is_dir():
        raise BuildError(f"file is {out}; accepted: a name ending in .jsonl or .parquet in a folder that exists")
    if arguments.games < 1 or not 0 <= arguments.seed <= MOST_SEED:
        found = f"--games is {arguments.games} and --seed {arguments.seed}"
        raise BuildError(f"{found}; accepted: 1 game or more, and a seed from 0 to {MOST_SEED}")
    rules = in_a_log(rules_of(arguments))
    studio = _studio(arguments)
    n_rounds = write_log(out, studio, arguments.noise, Deals(arguments.seed, 0, arguments.games), rules)
    print(f"{n_rounds:,} rounds of {arguments.games:,} games", file=sys.stderr)
    return 0


def write_log(out: Path, studio: Studio, noise: float, games: Deals, rules: Rules) -> int:
    """Play ``games`` and write them to ``out``, a .jsonl or .parquet file; return the number of rounds.

    Raises `BiddingError` and `AgentError` before the file is written.
    """
    studio.habits(noise, rules.variant)  # this and the next line raise
    studio.players()
    frames: list[polars.DataFrame] = []
    n_rounds = 0
    with out.open("wb") if out.suffix == ".jsonl" else nullcontext() as lines:
        for first in tqdm(range(games.first, games.last, GAMES), desc="studio play", disable=None):
            some = Deals(games.seed, first, min(first + GAMES, games.last))
            records = list(studio_records(studio, noise, some, rules, shipped_profiles()))
            n_rounds += len(records)
            if lines is None:
                frames.append(frame_of(records))
            else:
                lines.writelines(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE) for record in records)
    if frames:
        with working_on("studio play: write the file"):
            polars.concat(frames).write_parquet(out)
    return n_rounds


def _studio(arguments: argparse.Namespace) -> Studio:
    noise = arguments.noise
    if not arguments.studio:
        if noise:
            raise BuildError(f"--noise is {noise} without --studio; accepted: noise in the bids of a studio")
        return two_policies(arguments.a, arguments.b, (arguments.player, arguments.player))
    if not 0 <= noise <= 1:
        raise BuildError(f"--noise is {noise}; accepted: 0 to 1")
    if arguments.studio not in STUDIOS:
        raise BuildError(f"studio is {arguments.studio!r}; accepted: {', '.join(STUDIOS)}")
    return STUDIOS[arguments.studio]
