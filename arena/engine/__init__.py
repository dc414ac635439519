"""The engine: play state, deals, rounds, games, self-play and the compilation of kernels."""
