"""Measure single decisions of `winprob` by simulation: `python -m tables endings`.

The measurement itself is in `endings`. The result goes to standard output as Markdown. Finished chunks are kept in
tables/work/endings, so that an interrupted run continues.
"""

import argparse

from spades.arguments import integer
from spades.tableset import open_tables
from tables.arena.arena_command import add_rules_arguments, rules_of
from tables.arena.match import player_version
from tables.ceiling.endings import ENDINGS, GIVEN_TRICKS, SOURCES, Question, measure
from tables.ceiling.endings_figures import markdown
from tables.run.executors import add_executor_arguments, executor_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    kinds = "scores near the goal, or hands with a certain trick in a game with a pass (default %(default)s)"
    parser.add_argument("--kind", choices=(ENDINGS, GIVEN_TRICKS), default=ENDINGS, help=kinds)
    parser.add_argument("--decisions", type=integer, default=3_000, help="random decisions (default %(default)s)")
    parser.add_argument("--deals", type=integer, default=300, help="most deals that judge a bid (default %(default)s)")
    parser.add_argument("--seats", type=integer, nargs="+", default=[2, 3], help="seats that bid (default 2 3)")
    scores = "least and most points of both sides (default: the last hundred before the goal)"
    parser.add_argument("--scores", type=integer, nargs=2, metavar=("LOW", "HIGH"), help=scores)
    parser.add_argument("--player", default="srp", metavar="P", help="card player in all seats (default %(default)s)")
    add_rules_arguments(parser)
    parser.add_argument("--seed", type=integer, default=1, help="seed of the decisions (default %(default)s)")
    add_executor_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Run the command.

    Raises `ArenaError`, `BuildError`, `PlayerError`, `PolicyError`, `RulesError` or `TablesError`.
    """
    opened, rules = open_tables(), rules_of(arguments)
    low, high = arguments.scores or (rules.win - 100, rules.win - 10)
    seats, seed, deals, player = tuple(arguments.seats), arguments.seed, arguments.deals, arguments.player
    question = Question(arguments.kind, rules, seats, low, high, seed=seed, deals=deals, player=player)
    with executor_of(arguments.scheduler, arguments.jobs) as executor:
        found = measure(question, arguments.decisions, opened, executor, progress=True)
    print(
        f"Tables {opened.version}, engine {SOURCES[:16]}, player {player_version(player)}, seed {seed}, {deals} deals,"
        f" scores {low} to {high}. Percentage points of win probability, 95% intervals.\n"
    )
    print(markdown(question, found))
    return 0
