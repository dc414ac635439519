"""The training of the outcome net."""
