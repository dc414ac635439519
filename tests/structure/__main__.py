"""Print how the code is structured, and exit with code 1 if it exceeds a limit: `make imports`."""

import sys

from tests.structure.summary import summary, violations

print(summary())
found = violations()
for violation in found:
    print(violation, file=sys.stderr)
sys.exit(1 if found else 0)
