"""What the command lines of `arena`, `tables`, `studio` and `report` share: how a command runs and how it fails."""

import argparse
import sys
from collections.abc import Callable, Mapping

from arena.errors import ArenaError, BuildError
from spades.arguments import add_commands
from spades.errors import BiddingError, ResultsError, TablesError


def run_one_of(
    program: str, about: str, commands: Mapping[str, tuple[str, str]], arguments: list[str] | None = None
) -> int:
    """Run the command that ``arguments`` name, and return its exit status.

    ``commands``: see `add_commands`. Only the module of the command that runs is imported.
    """
    parser = argparse.ArgumentParser(prog=program, description=about)
    add_commands(parser, "command", commands)
    chosen = parser.parse_args(arguments)
    return run(f"{program} {chosen.command}", lambda: int(chosen.main(chosen)))


def run(name: str, command: Callable[[], int]) -> int:
    """Run ``command`` and return its exit status.

    An error that the command expects becomes one line on stderr and status 1. An interruption gives status 130. If the
    command compiles, a line on stderr says so. ``name``: how these lines begin.
    """
    from numba.core.event import install_listener  # here, because `--help` does not need numba

    from arena.compiling import KIND, CompilingNotice

    try:
        with install_listener(KIND, CompilingNotice(name)):
            return command()
    except (ArenaError, BuildError, TablesError, ResultsError, BiddingError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        raise  # for `run_command`
    except OSError as error:  # such as a folder that cannot be written, or a full disk
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{name}: interrupted; finished chunks, if this command keeps any, are kept", file=sys.stderr)
        return 130
