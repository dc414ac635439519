"""Play one bidder against another and print win rate, points and intervals: `python -m arena match`.

The match itself is in `match`. The result goes to standard output as Markdown, or with --json as one JSON object. An
interrupted match continues where it stopped.
"""

import argparse

from arena.errors import ArenaError
from arena.executors import add_executor_arguments, executor_of
from arena.match import PAPER_RULES, Match
from arena.players.names import player_for, split_players
from arena.result import run_match
from spades.arguments import decimal, integer, rule
from spades.rules import PRESETS, Rules, make_rules

DEFAULT_PRESET = "classic"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    agent = "an agent that bids, such as bis(endgame=off), winprob(cards=uct(tricks=5)), public(bot=trickster), "
    agent += "python(file=my_bot.py, name=Bot) or http(url=http://host:port, cards=on); "
    agent += "`python -m arena agents` lists all"
    parser.add_argument("--a", required=True, metavar="AGENT", help=agent)
    parser.add_argument("--b", required=True, metavar="AGENT", help="the opponents; the same forms as --a")
    player = "card player of agents that do not name or play their own cards, such as srp, uct(tricks=5, samples=200), "
    player += "search(deals=64) or model(folder=FOLDER); or one for each side, or one for each chair (a0, b0, a1, b1)"
    parser.add_argument("--players", metavar="P[,P[,P,P]]", help=f"{player} (default: srp; in cutthroat solo)")
    pairs = "duplicate pairs of two games each (default %(default)s)"
    parser.add_argument("--pairs", type=integer, default=10_000, help=pairs)
    add_rules_arguments(parser)
    parser.add_argument("--seed", type=integer, default=1, help="seed of the deals (default %(default)s)")
    parser.add_argument("--mixed", action="store_true", help="side a seats one bidder a and one bidder b")
    noise = "probability that a bid is changed by one trick"
    parser.add_argument("--noise", type=decimal, default=0.0, metavar="P", help=noise)
    sprt = "stop as soon as a sequential test accepts one of two Elo differences (--sprt=-5,5)"
    parser.add_argument("--sprt", type=_bounds, metavar="ELO0,ELO1", help=sprt)
    add_executor_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of Markdown")


def add_rules_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the rules."""
    goals = f"goals {PAPER_RULES.win} and {PAPER_RULES.lose}"
    preset = f"rules with their goals: {', '.join(PRESETS)} (default: {DEFAULT_PRESET}, but {goals})"
    parser.add_argument("--preset", help=preset)
    parser.add_argument("--win", type=integer, default=argparse.SUPPRESS, help="winning goal, points")
    parser.add_argument("--lose", type=_goal, default=argparse.SUPPRESS, help="losing goal, points or none")
    change = "change one rule of the preset, such as blind_nil=true; can be repeated"
    parser.add_argument("--rule", type=rule, action="append", default=[], metavar="NAME=VALUE", help=change)


def rules_of(arguments: argparse.Namespace) -> Rules:
    """Return the rules that the options of `add_rules_arguments` choose. Raises `RulesError`.

    The goals are those of the preset; without a preset, those of ECAI 2020.
    """
    goals = {"win": PAPER_RULES.win, "lose": PAPER_RULES.lose} if arguments.preset is None else {}
    goals |= {name: value for name, value in vars(arguments).items() if name in ("win", "lose")}
    return make_rules(arguments.preset or DEFAULT_PRESET, {**goals, **dict(arguments.rule)})


def main(arguments: argparse.Namespace) -> int:
    """Run the command.

    Raises `ArenaError`, `BuildError`, `PolicyError`, `RulesError` or `TablesError`.
    """
    rules = rules_of(arguments)
    players = split_players(arguments.players or player_for(rules))
    if len(players) not in (1, 2, 4):
        accepted = "one player for all, one for each side, or one for each chair (a0, b0, a1, b1)"
        raise ArenaError(f"--players is {arguments.players!r}; accepted: {accepted}")
    with executor_of(arguments.scheduler, arguments.jobs) as executor:
        match = Match(
            arguments.a,
            arguments.b,
            tuple(players * 2 if len(players) == 1 else players),
            arguments.pairs,
            rules,
            arguments.seed,
            arguments.mixed,
            arguments.noise,
            arguments.sprt,
        )
        result = run_match(match, executor=executor, progress=True, resume=True)
    print(result.to_json() if arguments.json else result.to_markdown(), end="\n" if arguments.json else "")
    return 0


def _goal(text: str) -> int | None:
    try:
        return None if text == "none" else integer(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a goal; accepted: points or none") from None


def _bounds(text: str) -> tuple[float, float]:
    try:
        low, high = map(decimal, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a pair of bounds; accepted: ELO0,ELO1 as in 0,5") from None
    return low, high
