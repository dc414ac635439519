"""Print how the code is structured, and stop with exit code 1 if it is over a limit: `make imports`."""

import sys

from tests.structure.summary import summary, violations

print(summary())
found = violations()
for violation in found:
    print(violation, file=sys.stderr)
sys.exit(1 if found else 0)
