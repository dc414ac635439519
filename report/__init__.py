"""Figures and plots of the pages of results in docs/: `python -m report`. Start reading in `report_command`."""
