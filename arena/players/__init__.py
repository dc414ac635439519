"""Card players that search or that learned, and the names of all card players; `spades.play` has the others."""
