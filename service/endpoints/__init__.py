"""The HTTP endpoints, one module per family: from a request to an answer. No game logic."""
