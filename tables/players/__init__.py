"""Card players: WRP, SRP, SOLO and UCT, written as kernels over the play state of `service.playing.state`."""
