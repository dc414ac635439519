"""Card players: WRP, SRP, SOLO and UCT, written as kernels over the play state of `tables.engine.play_state`."""
