"""The HTTP endpoints, one module a family: schema -> bidding -> bytes, no game logic."""
