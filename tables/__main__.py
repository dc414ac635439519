"""The command line that makes and judges the tables: `python -m tables COMMAND`.

Only the module of the command that runs is imported. To add a command, add one line to `COMMANDS`.
"""

import argparse
import sys

from spades.arguments import add_commands, run_command
from spades.errors import BiddingError, ResultsError, TablesError
from tables.arena.errors import ArenaError
from tables.players.names import PlayerError
from tables.removed import COMMANDS as REMOVED_COMMANDS
from tables.removed import what_became_of
from tables.run.family import BuildError

COMMANDS = {  # name: (module, what it does)
    "build": ("tables.run.build", "make every table that is not up to date"),
    "verify": ("tables.run.verify", "check the committed tables against the manifest and the code"),
    "bench": ("tables.bench", "time decisions and compiled play"),
    "report": ("tables.report.report_command", "fill docs/strength.md with measured figures"),
    "logs": ("tables.logs.logs_command", "check logs of games, fit, judge and tune tables by them, or write one"),
    "arena": ("tables.arena.arena_command", "play one bidder against another and compare them"),
    "searcher": ("tables.players.searcher", "choose cards by search for the service, which starts this process"),
}


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit status.

    An error that the command expects becomes one line on stderr and status 1. An interruption gives status 130. If the
    command compiles, a line on stderr says so.
    """
    parser = argparse.ArgumentParser(prog="python -m tables", description="Make and judge the tables.")
    add_commands(parser, "command", COMMANDS)
    argv = sys.argv[1:] if argv is None else argv
    if argv and argv[0] in REMOVED_COMMANDS:
        parser.error(f"{what_became_of(argv[0])}; accepted: {', '.join(COMMANDS)}")
    arguments = parser.parse_args(argv)
    from numba.core.event import install_listener  # here, because `--help` does not need numba

    from tables.run.compiling import KIND, CompilingNotice

    try:
        with install_listener(KIND, CompilingNotice(f"{parser.prog} {arguments.command}")):
            return int(arguments.main(arguments))
    except (ArenaError, BuildError, PlayerError, TablesError, ResultsError, BiddingError) as error:
        print(f"{parser.prog} {arguments.command}: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        raise  # for `run_command`
    except OSError as error:  # such as a folder that cannot be written, or a full disk
        print(f"{parser.prog} {arguments.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        text = "interrupted; finished chunks, if this command keeps any, are kept"
        print(f"{parser.prog} {arguments.command}: {text}", file=sys.stderr)
        return 130


if __name__ == "__main__":
    run_command(main)
