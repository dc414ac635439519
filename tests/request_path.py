"""`python -m tests.request_path`: the source files that one POST /bid enters, in the order of their first call.

The README's request asks `bis` for a bid with an explanation. docs/explanation/architecture.md shows this list.
"""

import sys
from pathlib import Path
from types import FrameType
from typing import Any

from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from service.app import create_app

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("service/", "spades/")
REQUEST = {  # the README's, with `bis`
    "hand": "AKJ62.AQ.Q.K9543",
    "previous_bids": [3, 1],
    "scores": {"us": 120, "them": 95, "us_bags": 3, "them_bags": 4},
    "policy": "bis",
}


def request_path() -> list[str]:
    """Return the files of this repository that one POST /bid enters, relative to its root."""
    app = create_app(started_by_serve=True)
    files: dict[str, None] = {}  # an ordered set

    def enter(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT):
            name = str(path.relative_to(ROOT))
            if name.startswith(PACKAGES):
                files[name] = None

    async def traced(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        files.clear()
        sys.setprofile(enter)
        try:
            await app(scope, receive, send)
        finally:
            sys.setprofile(None)

    with TestClient(traced) as client:
        for _ in range(2):  # the first request also does what is done once for each process
            response = client.post("/bid", json=REQUEST)
            assert response.status_code == 200, response.text
            assert response.json()["explanation"], "the request asks for an explanation"
    return list(files)


if __name__ == "__main__":
    for number, name in enumerate(request_path(), 1):
        print(f"{number:2}. {name}")
