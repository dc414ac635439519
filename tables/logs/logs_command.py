"""Check logs of a studio's own games, learn from them, or write a log: `python -m tables logs`.

`check` counts rounds and faults, `fit` moves tables towards logs, `report` judges a table set on them, `model` learns
how the people in them bid, and `tune` chooses a policy's options beside these people. `play` writes games between two
policies, or of simulated people, as a log.
"""

import argparse

from spades.arguments import add_commands

COMMANDS = {  # name: (module, what it does)
    "check": ("tables.logs.check.check_command", "count rounds, their uses and their faults"),
    "fit": ("tables.logs.fit.fit_command", "fit tables to logs and write a table set"),
    "report": ("tables.logs.report.report_command", "judge a table set on logs, beside the shipped one"),
    "model": ("tables.logs.model_command", "learn a model of the people in logs, which the arena can seat"),
    "tune": (
        "tables.logs.tune.tune_command",
        "choose a policy's options by games beside people of a model, and write them into a table set",
    ),
    "play": ("tables.logs.play_command", "play games between two policies and write them as a log"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of the command."""
    add_commands(parser, "action", COMMANDS)
