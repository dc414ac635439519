"""Training of the outcome net."""
