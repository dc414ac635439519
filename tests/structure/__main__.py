"""Print how the code is structured: `make imports`. Exit with code 1 if modules import each other in a circle."""

import sys

from tests.structure.summary import cycle, imports, summary

print(summary())
sys.exit(1 if cycle(imports()) else 0)
