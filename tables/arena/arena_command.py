"""`python -m tables arena`: play one bidder against another and print who wins, by how much, how surely.

Not the match itself (match.py). Goes to standard output as Markdown, or with --json as one object.
"""

import argparse
import json
import os

from service.bidding.game.rules import make_rules
from service.bidding.numerals import decimal, integer
from tables.arena.errors import ArenaError
from tables.arena.match import Match
from tables.arena.result import run_match
from tables.players.names import player_for, split_players
from tables.run.executors import executor_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    bidder = "a policy such as bis:curves=single, python:path/to/file.py:callable, or http://host:port/bid"
    parser.add_argument("--a", required=True, metavar="BIDDER", help=bidder)
    parser.add_argument("--b", required=True, metavar="BIDDER", help="the same")
    player = "card player such as wrp, srp or uct:5,samples=200, or one for each side"
    parser.add_argument("--players", metavar="P[,P]", help=f"{player} (default srp, with cutthroat solo)")
    parser.add_argument("--pairs", type=integer, default=10_000, help="duplicate pairs, two games each (%(default)s)")
    parser.add_argument("--preset", default="classic", help="rules (default %(default)s), but for the goals:")
    parser.add_argument("--win", type=integer, default=200, help="winning goal, points (default %(default)s)")
    parser.add_argument("--lose", type=_goal, default=-100, help="losing goal, points or none (default %(default)s)")
    rule = "a rule over the preset's, such as blind_nil=true; may be given several times"
    parser.add_argument("--rule", type=_rule, action="append", default=[], metavar="NAME=VALUE", help=rule)
    parser.add_argument("--seed", type=integer, default=1, help="of the deals (default %(default)s)")
    parser.add_argument("--mixed", action="store_true", help="side a seats one of each bidder, side b two of b")
    parser.add_argument(
        "--noise", type=decimal, default=0.0, metavar="P", help="probability that a bid is moved by one"
    )
    parser.add_argument("--sprt", type=_bounds, metavar="ELO0,ELO1", help="stop when one is accepted (--sprt=-5,5)")
    parser.add_argument("--jobs", type=integer, default=os.cpu_count() or 1, metavar="N", help="threads (%(default)s)")
    parser.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="a Dask cluster instead of threads")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of Markdown")


def main(arguments: argparse.Namespace) -> int:
    """Run the command; raises `ArenaError`, `PolicyError`, `RulesError` or `TablesError`."""
    rules = make_rules(arguments.preset, {"win": arguments.win, "lose": arguments.lose, **dict(arguments.rule)})
    players = split_players(arguments.players or player_for(rules))
    if len(players) > 2:
        raise ArenaError(f"found players {arguments.players!r}; expected one for all, or one for each side")
    with executor_of(arguments.scheduler, arguments.jobs) as executor:
        match = Match(
            arguments.a,
            arguments.b,
            (players[0], players[-1]),
            arguments.pairs,
            rules,
            arguments.seed,
            arguments.mixed,
            arguments.noise,
            arguments.sprt,
        )
        result = run_match(match, executor=executor, progress=True)
    print(result.to_json() if arguments.json else result.to_markdown(), end="\n" if arguments.json else "")
    return 0


def _goal(text: str) -> int | None:
    try:
        return None if text == "none" else integer(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}; expected points or none") from None


def _rule(text: str) -> tuple[str, object]:
    """A rule's name and its JSON value; a word that is no JSON stands for itself, as in variant=whiz."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"found {text!r}; expected NAME=VALUE such as blind_nil=true")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _bounds(text: str) -> tuple[float, float]:
    try:
        low, high = map(decimal, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}; expected ELO0,ELO1 such as 0,5") from None
    return low, high
