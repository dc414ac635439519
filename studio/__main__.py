"""The command line for logs of a studio's own games: `python -m studio COMMAND`.

`check` counts rounds and faults, `fit` moves tables towards logs, `report` judges a table set on them, `model` learns
how the people in them bid, and `tune` chooses a policy's options beside these people. `play` writes games between two
policies, or of simulated people, as a log.
"""

from arena.command_line import run_one_of
from spades.arguments import run_command

COMMANDS = {  # name: (module, what it does)
    "check": ("studio.check", "count rounds, their uses and their faults"),
    "fit": ("studio.fit.fit_command", "fit tables to logs and write a table set"),
    "report": ("studio.report", "judge a table set on logs, beside the shipped one"),
    "model": ("studio.model", "learn a model of the people in logs, which the arena can seat"),
    "tune": (
        "studio.tune",
        "choose a policy's options by games beside people of a model, and write them into a table set",
    ),
    "play": ("studio.play", "play games between two policies and write them as a log"),
}


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    about = "Check logs of games, fit, judge and tune tables by them, or write one."
    return run_one_of("python -m studio", about, COMMANDS, arguments)


if __name__ == "__main__":
    run_command(main)
