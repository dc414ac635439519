"""How far the value of a score is off in a win table that has another value of a rule.

`python -m tables report --only nearest-tables` writes nearest_errors.json beside this module. docs/strength.md has the
same figures, and more.
"""

import json
from collections.abc import Mapping
from pathlib import Path

ERRORS_FILE = Path(__file__).with_suffix(".json")

# By rule: the mean error of a win chance in percentage points, the largest of the values that were measured.
ERRORS: Mapping[str, float] = json.loads(ERRORS_FILE.read_text(encoding="utf-8"))
