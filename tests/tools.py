"""Programs that some tests drive. If one is missing, its tests fail in CI, and are skipped elsewhere."""

import os
import shutil
from pathlib import Path

import pytest

NEWTONSOFT = Path("/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll")
# The first takes the least processor time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# By program, the Debian package that has it. `.ci/run` installs all of them.
PACKAGES = {
    "chromium-headless-shell": "chromium-headless-shell",
    "javac": "default-jdk-headless",
    "mcs": "mono-mcs",
    "mono": "mono-runtime libmono-system-net-http4.0-cil",
    "nginx": "nginx-light",
    "node": "nodejs",
    "npm": "npm",
    "prometheus": "prometheus",
    "promtool": "prometheus",
    str(NEWTONSOFT): "libnewtonsoft-json5.0-cil",
}


def find_program(*programs: str) -> str:
    """Return the path of the first of these programs that is installed.

    If there is none, fail the test if the environment variable CI is set, and skip it otherwise.
    """
    for program in programs:
        found = program if Path(program).is_file() else shutil.which(program)
        if found:
            return found
    message = f"{programs[0]} is not installed (Debian: apt-get install {PACKAGES[programs[0]]})"
    if os.environ.get("CI"):
        pytest.fail(message, pytrace=False)
    pytest.skip(message)
