"""The command line of the arena: `python -m arena COMMAND`.

To add a command, add one line to `COMMANDS`.
"""

from arena.command_line import run_one_of
from spades.arguments import run_command

COMMANDS = {  # name: (module, what it does)
    "match": ("arena.match_command", "play one bidder against another and compare them"),
    "agents": ("arena.agents", "list who can play in a match, with their options"),
    "searcher": ("arena.searcher", "choose cards by search for the service, which starts this process"),
}


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    return run_one_of("python -m arena", "Play whole games, and compare those who play them.", COMMANDS, arguments)


if __name__ == "__main__":
    run_command(main)
