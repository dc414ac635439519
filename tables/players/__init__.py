"""Card players that search or that learned, and the names of all card players; `service.playing` has the others."""
