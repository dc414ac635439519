"""The command line that makes and checks the tables: `python -m tables COMMAND`.

To add a command, add one line to `COMMANDS`.
"""

import shlex
import sys

from arena.command_line import run_one_of
from arena.removed import COMMANDS as REMOVED
from arena.removed import what_became_of
from spades.arguments import run_command

COMMANDS = {  # name: (module, what it does)
    "build": ("tables.run.build", "make every table that is not up to date"),
    "stamp": ("tables.run.stamp", "compare small builds, to see which tables the code would change"),
    "verify": ("tables.run.verify", "check the committed tables against the manifest and the code"),
}
MOVED = {  # by command that was here until version 0.1, where it is now
    "arena": "python -m arena match",
    "bench": "python -m arena bench",
    "logs": "python -m studio",
    "report": "python -m report",
    "searcher": "python -m arena searcher",
}


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    if given and (problem := _problem(*given)):
        print(f"python -m tables: {problem}", file=sys.stderr)
        return 2
    return run_one_of("python -m tables", "Make and check the tables.", COMMANDS, given)


def _problem(name: str, *rest: str) -> str:
    """Return what an error says about a command that is no longer here; empty for any other."""
    if name in MOVED:
        return f"{name} is now {MOVED[name]}; run {shlex.join([*MOVED[name].split(), *rest])}"
    return f"{what_became_of(name)}; accepted: {', '.join(COMMANDS)}" if name in REMOVED else ""


if __name__ == "__main__":
    run_command(main)
