"""`python -m tables report`: figures and plots of docs/strength.md. Start reading in `command`."""

from tables.report.command import add_arguments, main

__all__ = ["add_arguments", "main"]
