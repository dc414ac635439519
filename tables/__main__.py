"""`python -m tables COMMAND`: the command line of everything that makes and judges the tables.

Not the commands themselves: each is a module with `add_arguments(parser)` and `main(arguments) -> exit status`,
imported when it is asked for. A new command is one more line in `COMMANDS`.
"""

import argparse
import importlib
import sys

from service.bidding.errors import BiddingError, TablesError
from tables.arena.errors import ArenaError
from tables.run.family import BuildError

COMMANDS = {  # name: (module, what it does)
    "build": ("tables.run.build", "make every table that is not up to date"),
    "verify": ("tables.run.verify", "check the committed tables against manifest and code"),
    "fit": ("tables.fit", "search the constants of bidders, and measure the pieces of SRP"),
    "probe": ("tables.probe", "find plays at which a card player loses points"),
    "bench": ("tables.bench", "time decisions and compiled play"),
    "report": ("tables.report", "fill docs/strength.md with figures measured now"),
    "arena": ("tables.arena.arena_command", "play one bidder against another and judge it"),
}


def main(argv: list[str] | None = None) -> int:
    """Run one command; its own errors become a line on stderr and status 1."""
    parser = argparse.ArgumentParser(prog="python -m tables", description="Make and judge the tables.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    given = sys.argv[1:] if argv is None else argv
    for name, (path, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text)
        if name in given[:1]:  # only the command that is asked for is imported: some need numba
            module = importlib.import_module(path)
            module.add_arguments(command)
            command.set_defaults(main=module.main)
    arguments = parser.parse_args(given)
    try:
        return int(arguments.main(arguments))
    except (ArenaError, BuildError, TablesError, BiddingError) as error:
        print(f"{parser.prog} {arguments.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{parser.prog} {arguments.command}: interrupted; finished chunks are kept", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
