"""Figures and plots of the pages of results in docs/: `python -m tables report`. Start reading in `report_command`."""
