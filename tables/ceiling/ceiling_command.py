"""Measure how much a bidder that searches would win beyond `winprob`: `python -m tables ceiling`.

The measurement itself is in `positions`. The result goes to standard output as Markdown. Finished chunks are kept in
tables/work/ceiling, so that an interrupted run continues, and a run with more decisions measures only the new ones.
"""

import argparse

from spades.arguments import integer
from spades.tableset import open_tables
from tables.arena.arena_command import add_rules_arguments, rules_of
from tables.arena.match import player_version
from tables.ceiling.figures import markdown
from tables.ceiling.positions import SOURCES, Question, measure
from tables.run.executors import add_executor_arguments, executor_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    against = "policies of the opponents, each measured on its own (default: bis)"
    parser.add_argument("--against", nargs="+", default=["bis"], metavar="POLICY", help=against)
    decisions = "decisions against each policy, one per game (default %(default)s)"
    parser.add_argument("--decisions", type=integer, default=2_000, help=decisions)
    deals = "most deals of a search, and most deals that judge it (default %(default)s)"
    parser.add_argument("--deals", type=integer, default=256, help=deals)
    parser.add_argument("--player", default="srp", metavar="P", help="card player in all seats (default %(default)s)")
    add_rules_arguments(parser)
    parser.add_argument("--seed", type=integer, default=1, help="seed of the games (default %(default)s)")
    add_executor_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Run the command.

    Raises `ArenaError`, `BuildError`, `PlayerError`, `PolicyError`, `RulesError` or `TablesError`.
    """
    opened, rules = open_tables(), rules_of(arguments)
    questions = [Question(text, rules, arguments.seed, arguments.deals, arguments.player) for text in arguments.against]
    with executor_of(arguments.scheduler, arguments.jobs) as executor:
        measured = [
            (question, measure(question, arguments.decisions, opened, executor, progress=True))
            for question in questions
        ]
    print(
        f"Tables {opened.version}, engine {SOURCES[:16]}, player {player_version(arguments.player)}, seed"
        f" {arguments.seed}, {arguments.deals} deals. Percentage points of win probability, 95% intervals.\n"
    )
    print(markdown(measured))
    return 0
