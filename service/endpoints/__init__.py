"""The HTTP endpoints, one module per family: contract -> bidding -> bytes. No game logic."""
