"""List the agents that can play in a match, with their options: `python -m arena agents`."""

import argparse

from arena.agents import AGENTS, CARDS, parse_agent
from spades.policies import BY_NAME, option_names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    text = "print this agent's text in the form NAME(KEY=VALUE, ...) instead, from that form or an earlier one"
    parser.add_argument("text", nargs="?", metavar="AGENT", help=text)


def main(arguments: argparse.Namespace) -> int:
    """Run the command. Raises `AgentError`."""
    if arguments.text is not None:
        print(parse_agent(arguments.text).text)
        return 0
    for name, kind in AGENTS.items():
        print(f"{name}: {kind.about}")
        for option in kind.options:
            default = "" if option.required or option.default == "" else f" (default {option.default})"
            print(f"    {option.key}={option.accepted}: {option.about}{default}")
        if name in BY_NAME:
            print(f"    {', '.join(option_names(name))}: see docs/reference/policies.md")
            print("    tables=FOLDER: the table set that it reads instead of the shipped one")
        if kind.bids:
            print(f"    {CARDS}=PLAYER: the card player of its seats")
    return 0
