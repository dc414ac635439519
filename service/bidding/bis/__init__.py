"""BIS, the bidder of the paper: regular takes, nil, end of game, conventions, blind nil, cutthroat."""
