"""SRP version 3: SRP 2 without the high-low signal. The tables of variants with partners are made with it."""
