"""Locust users: game servers that play rounds against the service, each over its own open connection.

This is a closed model, in which a user waits for its answer. It shows what breaks under realistic sequences, and can
be watched live (`make loadtest-web`). `arrivals` measures the promised latency. `python -m loadtest` runs this file;
without it: `locust -f loadtest/locustfile.py --headless -u 8 -r 8 -t 30s --host http://127.0.0.1:8080`.

Importing this module patches the standard library (gevent), so no other module of the load tests imports it.
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
    """Round a time to 10 us below 10 ms, and to three digits above; Locust's own buckets are whole ms up to 100 ms.

    >>> bucket_ms(0.4242), bucket_ms(4.2424), bucket_ms(424.24)
    (0.42, 4.24, 424)
    """
    if milliseconds < 10.0:
        return round(milliseconds, 2)
    return round(milliseconds, 1) if milliseconds < 100.0 else round(milliseconds)


locust.stats.bucket_response_time = bucket_ms  # Locust's documentation describes this replacement


class GameServer(FastHttpUser):  # type: ignore[misc]
    """One game server: it deals, requests the four bids in turn and pauses. Each request has the bids before it."""

    wait_time = between(0.01, 0.05)  # seconds between rounds
    connection_timeout = 5.0
    network_timeout = 5.0

    def on_start(self) -> None:
        """Give each user its own random numbers, the same in every run."""
        number = next(_numbers)
        self._rng = random.Random(f"{SEED}/{number}")
        self._questions = traffic.questions(SEED * 1000 + number, bad_share=1.0)
        self._headers = {"Authorization": f"Bearer {API_KEY}"} if API_KEY else {}

    @task(20)  # type: ignore[untyped-decorator]
    def play_round(self) -> None:
        """Request the four bids of a round; some requests are wrong on purpose."""
        bids: list[int] = []
        for hand in traffic.deal(self._rng):
            if self._rng.random() < BAD_SHARE:
                self.make_a_mistake()
            body = traffic.request(hand, bids, self._rng)
            answer = self._post("/v1/bid", 200, json=body)
            if answer is None or not 0 <= answer["bid"] <= traffic.TRICKS:
                return  # the failure is counted, and the round cannot continue
            bids.append(answer["bid"])

    @task(1)  # type: ignore[untyped-decorator]
    def ask_for_many(self) -> None:
        """Send a batch of four bids, as for a table of robots."""
        hands = traffic.deal(self._rng)
        requests = [
            traffic.request(hand, traffic.previous_bids(self._rng, seat), self._rng) for seat, hand in enumerate(hands)
        ]
        answer = self._post("/v1/bids", 200, json={"requests": requests})
        if answer is not None and [item["status"] for item in answer["answers"]] != [200] * len(requests):
            raise AssertionError(f"a valid request of a batch failed: {answer}")

    @task(1)  # type: ignore[untyped-decorator]
    def look_around(self) -> None:
        """Send the requests that a client makes when it starts."""
        self.client.get("/v1/policies", headers=self._headers)
        self.client.get("/v1/rules", headers=self._headers)

    def make_a_mistake(self) -> None:
        """Send one wrong request, which the service must reject with the right status."""
        question = next(self._questions)
        headers = {"Content-Type": "application/json"}
        self._post(question.path, question.status, f"{question.path} (wrong)", data=question.body, headers=headers)

    def _post(self, path: str, expected: int, name: str | None = None, **request: Any) -> Any:
        """Return the answer's JSON. If its status is not ``expected``, count a failure and return None."""
        request["headers"] = self._headers | request.get("headers", {})
        with self.client.post(path, name=name or path, catch_response=True, **request) as response:
            if response.status_code != expected:
                response.failure(f"status is {response.status_code}; accepted: {expected}")
                return None
            response.success()
            return response.json()
