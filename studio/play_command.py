"""Play games between two policies, or of simulated people, and write them as a log: `python -m studio play`."""

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path

import orjson
import polars
from tqdm import tqdm

from arena.engine.deal import Deals
from arena.errors import BuildError
from arena.match import MOST_SEED
from arena.match_command import add_rules_arguments, rules_of
from arena.players.names import TABLES_PLAYER
from arena.progress import working_on
from spades.arguments import decimal, integer
from spades.rules import Rules
from studio.columns import frame_of
from studio.rounds import in_a_log
from studio.sets import shipped_profiles
from studio.studios import STUDIOS, Studio, studio_records, two_policies

GAMES = 500  # number of games that are kept in memory


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("out", type=Path, metavar="FILE", help="the log to write: .jsonl or .parquet")
    for side in "ab":
        policy = f"policy of side {side} (default %(default)s)"
        parser.add_argument(f"--{side}", default="bis", metavar="POLICY", help=policy)
    parser.add_argument("--player", default=TABLES_PLAYER, help="card player of all (default %(default)s)")
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
