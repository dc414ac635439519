"""The command line that makes and checks the tables: `python -m tables COMMAND`.

To add a command, add one line to `COMMANDS`.
"""

import sys

from arena.command_line import run_one_of
from spades.arguments import run_command

COMMANDS = {  # name: (module, what it does)
    "build": ("tables.run.build", "make every table that is not up to date"),
    "stamp": ("tables.run.stamp", "make a small build, to see which tables the code would change"),
    "verify": ("tables.run.verify", "check the committed tables against the manifest and the code"),
}
# Commands that were here until version 0.1, and their commands of today. To be removed with version 2.
MOVED = {
    "arena": "python -m arena match",
    "bench": "python -m tests.bench.decisions",
    "logs": "python -m studio",
    "report": "python -m report",
    "searcher": "python -m arena searcher",
}


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    if given and given[0] in MOVED:
        print(f"python -m tables: {given[0]} is now {MOVED[given[0]]}", file=sys.stderr)
        return 2
    return run_one_of("python -m tables", "Make and check the tables.", COMMANDS, given)


if __name__ == "__main__":
    run_command(main)
