"""`client.py` is run beside a generated package, not here."""

collect_ignore = ["client.py"]
