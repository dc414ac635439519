"""Pin the base images: write their digests to .env, from which `docker compose` reads them. Run by `make pin-images`.

    python deploy/pin_images.py

docker-compose.yml names each image in a variable with a default, as in ${PYTHON_IMAGE:-python:3.12-slim-bookworm}. Here
the registry is asked for the digest that the name has now (`docker buildx imagetools inspect`), and the variable's line
in .env becomes name@digest. A name that stands in .env already, such as one of a mirror, is kept and pinned anew. The
file's other lines stay as they are. Exit code 1, and no change, if a digest can't be found.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_DEFAULT = re.compile(r"\$\{([A-Z]+_IMAGE):-([^}]+)\}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class PinError(Exception):
    """An image's digest can't be found."""


def defaults(compose: str) -> dict[str, str]:
    """The images that a compose file's text names in variables with a default: variable -> name.

    >>> defaults("image: ${GRAFANA_IMAGE:-grafana/grafana:13.2.3}")
    {'GRAFANA_IMAGE': 'grafana/grafana:13.2.3'}
    """
    return dict(_DEFAULT.findall(compose))


def unpinned(name: str) -> str:
    """The image's name without a digest.

    >>> unpinned("python:3.12@sha256:00"), unpinned("python:3.12")
    ('python:3.12', 'python:3.12')
    """
    return name.partition("@")[0]


def assigned(lines: list[str], variable: str) -> str | None:
    """The value that the lines of a .env file give to ``variable``; the last one counts."""
    values = [line.partition("=")[2].strip() for line in lines if line.partition("=")[0].strip() == variable]
    return values[-1] if values else None


def with_value(lines: list[str], variable: str, value: str) -> list[str]:
    """``lines`` with ``variable`` set to ``value``: in the place of its first line, else at the end."""
    line = f"{variable}={value}"
    places = [index for index, old in enumerate(lines) if old.partition("=")[0].strip() == variable]
    if not places:
        return [*lines, line]
    return [line if index == places[0] else old for index, old in enumerate(lines) if index not in places[1:]]


def digest_of(name: str) -> str:
    """The digest that the registry gives for ``name`` (of all platforms, where there are several)."""
    command = ["docker", "buildx", "imagetools", "inspect", "--format", "{{json .Manifest}}", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise PinError(f"docker can't be run ({error.strerror}); expected Docker with buildx") from None
    if done.returncode:
        raise PinError(f"{name}: {done.stderr.strip()}")
    try:
        digest = json.loads(done.stdout)["digest"]
    except (ValueError, TypeError, KeyError):
        digest = None
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise PinError(f"{name}: found {done.stdout[:200]!r} from docker; expected a manifest with its sha256 digest")
    return digest


def main() -> int:
    """Pin all images; the exit code."""
    path = ROOT / ".env"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    try:
        for variable, default in defaults((ROOT / "docker-compose.yml").read_text("utf-8")).items():
            name = unpinned(assigned(lines, variable) or default)
            value = f"{name}@{digest_of(name)}"
            lines = with_value(lines, variable, value)
            print(f"{variable}={value}")
    except PinError as error:
        print(f"pin-images: {error}", file=sys.stderr)
        return 1
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
