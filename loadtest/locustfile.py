"""Locust users: game servers that play rounds against the service, each over a connection of its own that it keeps.

A closed model (a user waits for its answer): for finding what breaks under realistic sequences, and for looking at live
(`make loadtest-web`). The promise is measured by `arrivals.py`. Run by `python -m loadtest`, or by hand:
`locust -f loadtest/locustfile.py --headless -u 8 -r 8 -t 30s --host http://127.0.0.1:8080`.

Importing this module patches the standard library (gevent): nothing else of the load tests imports it.
"""

import itertools
import os
import random
from typing import Any

import locust.stats
from locust import FastHttpUser, between, task

from loadtest import traffic

SEED = int(os.environ.get("LOADTEST_SEED", "1"))
BAD_SHARE = float(os.environ.get("LOADTEST_BAD_SHARE", str(traffic.BAD_SHARE)))
API_KEY = os.environ.get("LOADTEST_API_KEY", "")  # sent as `Authorization: Bearer`
_numbers = itertools.count()


def bucket_ms(milliseconds: float) -> float:
    """Three significant digits above 1 ms, 10 us below: locust's own buckets are whole ms up to 100 ms.

    >>> bucket_ms(0.4242), bucket_ms(4.2424), bucket_ms(424.24)
    (0.42, 4.24, 424)
    """
    if milliseconds < 10.0:
        return round(milliseconds, 2)
    return round(milliseconds, 1) if milliseconds < 100.0 else round(milliseconds)


locust.stats.bucket_response_time = bucket_ms  # the replacement that its documentation names


class GameServer(FastHttpUser):  # type: ignore[misc]
    """One game server: deals, asks for the four bids in turn with the answers so far, pauses."""

    wait_time = between(0.01, 0.05)  # seconds between rounds
    connection_timeout = 5.0
    network_timeout = 5.0

    def on_start(self) -> None:
        """Each user draws from a stream of its own, the same in every run."""
        number = next(_numbers)
        self._rng = random.Random(f"{SEED}/{number}")
        self._questions = traffic.questions(SEED * 1000 + number, bad_share=1.0)
        self._headers = {"Authorization": f"Bearer {API_KEY}"} if API_KEY else {}

    @task(20)  # type: ignore[untyped-decorator]
    def play_round(self) -> None:
        """Four bids; some of the requests go wrong."""
        bids: list[int] = []
        for hand in traffic.deal(self._rng):
            if self._rng.random() < BAD_SHARE:
                self.make_a_mistake()
            body = traffic.request(hand, bids, self._rng)
            answer = self._post("/v1/bid", 200, json=body)
            if answer is None or not 0 <= answer["bid"] <= traffic.TRICKS:
                return  # counted as a failure; the round can't go on
            bids.append(answer["bid"])

    @task(1)  # type: ignore[untyped-decorator]
    def ask_for_many(self) -> None:
        """A batch, as for a table of robots."""
        hands = traffic.deal(self._rng)
        requests = [
            traffic.request(hand, traffic.previous_bids(self._rng, seat), self._rng) for seat, hand in enumerate(hands)
        ]
        answer = self._post("/v1/bids", 200, json={"requests": requests})
        if answer is not None and [item["status"] for item in answer["answers"]] != [200] * len(requests):
            raise AssertionError(f"a right request failed within a batch: {answer}")

    @task(1)  # type: ignore[untyped-decorator]
    def look_around(self) -> None:
        """What a client asks at its start."""
        self.client.get("/v1/policies", headers=self._headers)
        self.client.get("/v1/rules", headers=self._headers)

    def make_a_mistake(self) -> None:
        """One wrong request, which must be refused with the right status."""
        question = next(self._questions)
        headers = {"Content-Type": "application/json"}
        self._post(question.path, question.status, f"{question.path} (wrong)", data=question.body, headers=headers)

    def _post(self, path: str, expected: int, name: str | None = None, **request: Any) -> Any:
        """The answer's JSON, or None (and a failure counted) when its status is not ``expected``."""
        request["headers"] = self._headers | request.get("headers", {})
        with self.client.post(path, name=name or path, catch_response=True, **request) as response:
            if response.status_code != expected:
                response.failure(f"{response.status_code}, expected {expected}")
                return None
            response.success()
            return response.json()
