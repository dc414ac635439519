"""SRP version 2: SRP 1 with nine new pieces. Built on the frozen `srp1`, of which it uses what it does not change."""
