"""Does a CycloneDX bill of materials list exactly what a lock names?

Not the making of it (cyclonedx-py: the image's build and `make sbom`). Names and versions are compared; a pin whose
marker does not hold for this Python and platform may be there or not: what is installed leaves it out, what is read off
the lock does not. The image's build runs this and stops at exit code 1.

    python deploy/sbom.py SBOM REQUIREMENTS
"""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def listed(sbom: str) -> set[tuple[str, str]]:
    """Name and version of each component."""
    return {(canonicalize_name(entry["name"]), entry["version"]) for entry in json.loads(sbom).get("components", [])}


def pinned(requirements: str) -> dict[tuple[str, str], bool]:
    """Name and version of each pin, and whether its marker holds here."""
    found: dict[tuple[str, str], bool] = {}
    for line in re.findall(r"^[A-Za-z0-9].*?(?= *\\?$)", requirements, re.MULTILINE):
        requirement = Requirement(line)
        (version,) = requirement.specifier
        holds = requirement.marker is None or requirement.marker.evaluate()
        found[canonicalize_name(requirement.name), version.version] = holds
    return found


def differences(sbom: str, requirements: str) -> list[str]:
    """What one has and the other has not, as sentences; empty when they agree."""
    there, wanted = listed(sbom), pinned(requirements)
    return [
        *(f"{name} {version} is listed, but not pinned" for name, version in sorted(there - wanted.keys())),
        *(
            f"{name} {version} is pinned, but not listed"
            for (name, version), holds in sorted(wanted.items())
            if holds and (name, version) not in there
        ),
    ]


def main(arguments: Sequence[str]) -> int:
    """Compare the two files named; 1 when they differ."""
    sbom, requirements = (Path(argument).read_text("utf-8") for argument in arguments)
    found = differences(sbom, requirements)
    for difference in found:
        print(f"sbom: {difference}", file=sys.stderr)
    if not found:
        print(f"sbom: {len(listed(sbom))} components, as pinned")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
