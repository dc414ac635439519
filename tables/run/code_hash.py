"""What code this process runs, as one hash: chunks computed by other code are never mixed with ours.

Used by the build's checkpoints and by workers elsewhere. It reads the sources once, at import.
"""

import hashlib
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def fingerprint() -> str:
    """What decides a chunk's result: sha256 over the sources of service.bidding and tables, and numba's version."""
    digest = hashlib.sha256(version("numba").encode())
    for path in sorted([*ROOT.glob("service/bidding/**/*.py"), *ROOT.glob("tables/**/*.py")]):
        digest.update(path.relative_to(ROOT).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


# Read at import, as the code itself: asked later, it would tell of files changed since and not of what runs here.
CODE = fingerprint()
