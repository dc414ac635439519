"""The command line that makes and checks the tables: `python -m tables COMMAND`.

To add a command, add one line to `COMMANDS`.
"""

from arena.command_line import run_one_of
from spades.arguments import run_command

COMMANDS = {  # name: (module, what it does)
    "build": ("tables.run.build", "make every table that is not up to date"),
    "stamp": ("tables.run.stamp", "make a small build, to see which tables the code would change"),
    "verify": ("tables.run.verify", "check the committed tables against the manifest and the code"),
}


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    return run_one_of("python -m tables", "Make and check the tables.", COMMANDS, arguments)


if __name__ == "__main__":
    run_command(main)
