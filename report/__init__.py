"""The pages of results in docs/, and their appendix: `python -m report`. Start reading in `__main__`."""
