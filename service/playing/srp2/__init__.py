"""SRP version 2: SRP 1 with nine new pieces. It uses those parts of the frozen `srp1` that it does not change."""
