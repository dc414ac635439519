"""Building and checking the tables: families, their state, build and verify."""
