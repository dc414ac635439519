"""`python -m tests.golden`: write the present answers into positions.jsonl, for review with `git diff`."""

from spades.tableset import open_tables
from tests.golden.answers import present
from tests.golden.positions import FILE, read_positions, write_positions

tables = open_tables()
write_positions([present(position, tables) for position in read_positions()])
print(f"wrote {FILE.name}: look at the diff, then commit it with the change that made it")
