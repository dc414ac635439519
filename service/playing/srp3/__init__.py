"""SRP version 3: SRP 2 without the high-low signal. Built on the frozen `srp2`."""
