"""BIS, the bidder of the ECAI 2020 paper: regular takes, nil, end of game, conventions, blind nil, cutthroat."""
