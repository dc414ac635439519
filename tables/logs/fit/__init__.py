"""Tables fitted to logs."""
