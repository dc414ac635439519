"""Figures and plots of docs/strength.md: `python -m tables report`. Start reading in `report_command`."""
