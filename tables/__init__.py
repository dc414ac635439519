"""The tables of all bidders in data/, and what makes and checks them: `python -m tables`."""
