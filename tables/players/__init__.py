"""Card players: WRP, SRP and UCT, as kernels over the play state of `tables.engine.play`."""
