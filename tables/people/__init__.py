"""Models of the people in a log: how they bid, how often their nils and contracts are made, and how well they play."""
