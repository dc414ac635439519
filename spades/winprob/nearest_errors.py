"""How wrong a win probability is if it comes from the win table of a game in which a rule has another value.

`python -m tables report --only nearest-tables` writes nearest_errors.json beside this module. docs/strength.md has the
same figures, and more.
"""

import json
from collections.abc import Mapping
from pathlib import Path

ERRORS_FILE = Path(__file__).with_suffix(".json")

# By rule: the mean error of a win probability in percentage points. If several values of the rule were measured, it is
# the largest of their mean errors.
ERRORS: Mapping[str, float] = json.loads(ERRORS_FILE.read_text(encoding="utf-8"))
