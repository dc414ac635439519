"""The command line of the report: `python -m report`."""

import argparse

from arena.command_line import run
from report import report_command
from spades.arguments import run_command


def main(arguments: list[str] | None = None) -> int:
    """Make the pages of results and return the exit status."""
    about = "Make docs/strength.md, the other pages of results and their appendix from measured figures."
    parser = argparse.ArgumentParser(prog="python -m report", description=about)
    report_command.add_arguments(parser)
    options = parser.parse_args(arguments)
    return run(parser.prog, lambda: report_command.main(options))


if __name__ == "__main__":
    run_command(main)
