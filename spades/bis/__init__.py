"""BIS, the bidder of the paper: regular takes, nil, end of game, conventions, blind nil, cutthroat.

"The paper" is Cohensius, Meir, Oved and Stern, *Bidding in Spades*, ECAI 2020. docs/explanation/how-bis-bids.md
describes the whole bidder.
"""
