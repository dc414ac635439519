"""The service under three times its capacity: how many bids it still answers, how soon, and how it refuses the others.

Arrivals are due at a constant rate (`arrivals`), which is `TIMES` the bids that the service answers in a second of its
CPU time. Each of the `CONNECTIONS` carries one request at a time. An arrival that finds none free waits for one for up
to `PATIENCE_S` and is then given up. So every connection sends its next request as soon as it has an answer, and a
service that refuses quickly is asked more often. A latency counts from the moment of sending until the sender has read
the answer. The connections are open, and each has had an answer, before the overload begins. Health checks open a
connection each, like those of an orchestrator.
"""

import http.client
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from threading import Event
from time import perf_counter, process_time
from typing import Final, NamedTuple

from loadtest.arrivals import Connection, percentile, run
from loadtest.beside import beside, due_times
from loadtest.comparisons import REQUEST, post, tree_of
from loadtest.servers import ROOT, Server, ServerError, pin, running_service
from loadtest.turns import Plan, Starts, cpu_s, figure, in_turns, ratio, shown

PLAN: Final = Plan(starts=3, rounds=3, seconds=4.0)
TIMES: Final = 3.0
CONNECTIONS: Final = 200
GOODPUT_GOAL: Final = 0.8  # of the base's
P99_GOAL_MS: Final = 100.0
SENDER_GOAL: Final = 0.9  # of a core; a sender that uses more may itself be what limits the rate
HEALTH_PER_S: Final = 10.0
REFUSAL: Final = "503, application/problem+json, Retry-After"
NO_ANSWER: Final = "no complete answer"
_CAPACITY_S = 1.0
_FLOOD_PER_S = 50_000.0  # more than any server here answers, to measure its capacity
_FEW_CONNECTIONS = 16  # so few that it refuses nothing


@dataclass(slots=True)
class Round:
    """One overload of one server."""

    due_per_s: float
    seconds: float = 0.0
    answered_ms: list[float] = field(default_factory=list)  # of the answers with 200
    others: Counter[str] = field(default_factory=Counter)  # answers by their form
    health: Counter[int] = field(default_factory=Counter)  # checks by status; 0: no answer
    health_ms: list[float] = field(default_factory=list)
    service_cores: float = 0.0
    sender_cores: float = 0.0

    def sent_per_s(self) -> float:
        """Return the requests sent for each second."""
        return (len(self.answered_ms) + self.others.total()) / self.seconds

    def goodput(self) -> float:
        """Return the answers with 200 for each second."""
        return len(self.answered_ms) / self.seconds

    def core_goodput(self) -> float:
        """Return the answers with 200 for each second of the service's CPU time."""
        return self.goodput() / self.service_cores


def overload(plan: Plan, commit: str) -> list[str]:
    """Print this tree and ``commit`` under overload, in turns; return the goals of this tree that are not shown."""
    with tree_of(commit) as base:
        found = in_turns({"this tree": partial(_overloaded, ROOT), commit: partial(_overloaded, base)}, plan)
    print(f"{TIMES:g} times each side's own capacity, {CONNECTIONS} connections, one worker, {plan.text()}")
    for name, starts in found.items():
        _print_side(name, starts)
    tree, before = found.values()
    goodput = ratio(tree, before, Round.goodput)
    of_core = ratio(tree, before, Round.core_goodput)
    print(f"  goodput, this tree to {commit}: {goodput.text(3)}, for each second of CPU time {of_core.text(3)}")
    rounds = [*chain(*tree)]
    p99_ms = percentile(_answered_ms(rounds), 99)
    forms, statuses = {*chain(*(one.others for one in rounds))}, {*chain(*(one.health for one in rounds))}
    sender = max(figure(starts, lambda one: one.sender_cores).value for starts in found.values())
    return [
        *shown(f"goodput at least {GOODPUT_GOAL:g} of that of {commit}", goodput.low >= GOODPUT_GOAL),
        *shown(f"p99 of the answered at most {P99_GOAL_MS:g} ms", p99_ms <= P99_GOAL_MS),
        *shown(f"all others are {REFUSAL}", forms <= {REFUSAL}),
        *shown("every health check is answered with 200", statuses == {200}),
        *shown(f"the sender uses at most {SENDER_GOAL:g} of a core", sender <= SENDER_GOAL),
    ]


def form(answer: bytes) -> str:
    """Return the status, the media type and whether there is a Retry-After, of an answer that is not 200.

    >>> form(b"HTTP/1.1 503 Busy\\r\\nRetry-After: 1\\r\\nContent-Type: text/plain\\r\\n\\r\\n")
    '503, text/plain, Retry-After'
    """
    status_line, *lines = answer.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    retry = ["Retry-After"] if headers.get("retry-after", "").isdigit() else []
    return ", ".join([status_line.split()[1], headers.get("content-type", "no media type"), *retry])


class _Overload(NamedTuple):
    server: Server
    per_s: float
    connections: int = CONNECTIONS

    def load(self, seconds: float) -> Round:
        found = Round(self.per_s)

        def answered(connection: Connection, status: int) -> None:
            if status == 200:
                found.answered_ms.append((perf_counter() - connection.sent) * 1000.0)
            else:
                found.others[form(connection.answer)] += 1

        bid, address = post(self.server, "/bid", REQUEST), (self.server.host, self.server.port)
        opened = [Connection(address) for _ in range(self.connections)]
        for connection in opened:
            connection.exchange(bid)
        service_s, sender_s = cpu_s(self.server.pid), process_time()
        with beside(partial(_check_health, self.server, found)):
            result = run(address, [bid], self.per_s, seconds, self.connections, opened, answered)
        found.seconds = result.seconds
        found.service_cores = (cpu_s(self.server.pid) - service_s) / found.seconds
        found.sender_cores = (process_time() - sender_s) / found.seconds
        if result.broken:
            found.others[NO_ANSWER] = result.broken
        if not found.answered_ms:
            raise ServerError(f"no request under overload was answered with 200; found {dict(found.others)}")
        return found


@contextmanager
def _overloaded(cwd: Path) -> Iterator[_Overload]:
    """An overload of a new service of the tree ``cwd``, whose capacity is measured first."""
    with running_service(cwd=cwd) as server:
        pin(server)
        few = _Overload(server, _FLOOD_PER_S, _FEW_CONNECTIONS)
        few.load(_CAPACITY_S)  # warms up
        yield _Overload(server, TIMES * few.load(_CAPACITY_S).core_goodput())


def _check_health(server: Server, found: Round, ended: Event) -> None:
    for _ in due_times(ended, HEALTH_PER_S):
        began = perf_counter()
        try:
            status = server.get("/healthz")[0]
        except (OSError, http.client.HTTPException):
            status = 0
        found.health[status] += 1
        found.health_ms.append((perf_counter() - began) * 1000.0)


def _print_side(name: str, starts: Starts[Round]) -> None:
    rounds = [*chain(*starts)]
    answered_ms, health_ms = _answered_ms(rounds), sorted(chain(*(one.health_ms for one in rounds)))
    forms = sum((one.others for one in rounds), Counter[str]())
    checks = sum((one.health for one in rounds), Counter[int]())
    refused = forms.total() / (forms.total() + len(answered_ms))
    due, sent = figure(starts, lambda one: one.due_per_s), figure(starts, Round.sent_per_s)
    print(f"  {name}")
    print(f"    requests/s: due {due.text(0)}, sent {sent.text(0)}")
    print(f"    goodput, answers with 200/s: {figure(starts, Round.goodput).text(0)}")
    print(
        f"    answered, ms from sending: p50 {percentile(answered_ms, 50):.1f}, p99 {percentile(answered_ms, 99):.1f}"
    )
    print(f"    other answers: {refused:.1%} {dict(forms) or ''}")
    print(f"    health checks by status {dict(checks)}, p99 {percentile(health_ms, 99):.1f} ms")
    service, sender = figure(starts, lambda one: one.service_cores), figure(starts, lambda one: one.sender_cores)
    print(f"    cores used: service {service.text(2)}, sender {sender.text(2)}")


def _answered_ms(rounds: Sequence[Round]) -> list[float]:
    return sorted(chain(*(one.answered_ms for one in rounds)))
