"""A hash of the code that this process runs, so that chunks computed by different code are never mixed.

The build's checkpoints and the workers of a cluster use it. The sources are read once, at import.
"""

import hashlib
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def fingerprint() -> str:
    """Return a hash of everything that decides a chunk's result.

    It is the sha256 of the sources of service.bidding and tables and of numba's version, 16 hexadecimal digits.
    """
    digest = hashlib.sha256(version("numba").encode())
    for path in sorted([*ROOT.glob("service/bidding/**/*.py"), *ROOT.glob("tables/**/*.py")]):
        digest.update(path.relative_to(ROOT).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


# Computed at import, when Python reads the code itself. Computed later, it would include changes that do not run here.
CODE = fingerprint()
