"""Figures and plots of docs/strength.md: `python -m tables report`. Start reading in `report_command`."""

from tables.report.report_command import add_arguments, main

__all__ = ["add_arguments", "main"]
