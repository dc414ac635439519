"""HTTP/1.1 over one connection: `connection` is the state machine; start reading there."""
