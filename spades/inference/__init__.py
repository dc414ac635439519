"""Who holds what: probabilities and deals of the cards that a player cannot see."""
