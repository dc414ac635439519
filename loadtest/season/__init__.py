"""A season: whole games through the Python client, with a referee, and both sides' counts compared."""
