"""The engine: play state, deals, rounds, games, self-play, compilation."""
