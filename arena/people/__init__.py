"""The model of people: how they bid, how often their nils and contracts are made, and how well they play."""
