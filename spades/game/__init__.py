"""The game: cards, rules, the auction, legal bids, scoring."""
