"""The responder: make an answer from a request, in the same steps for ASGI and for the short way.

`app.Service` (ASGI) and `protocol.connection` (single bids without a task, docs/adr/0010-short-way.md) call it. All
steps are synchronous: none of them awaits. The steps are `begin`; `admit`, before the body is read; `answer`; `refuse`,
if a step raised an error; and `done`. An unexpected exception is logged and answered with a 500, so that it never ends
the worker.
"""

import logging
from time import perf_counter

from service.access_log import AccessLog, Answered
from service.asgi import CLOSE, Fields, Headers, Reply
from service.decision_log import decision_log
from service.endpoints import bids, blind_nils, passes
from service.endpoints.batches import BATCHES
from service.endpoints.body import (
    MAX_BODIES_BYTES,
    MAX_BODY_BYTES,
    NO_DEADLINE,
    check_content_headers,
    check_size,
    deadline_of,
)
from service.endpoints.fixed_answers import OPENAPI
from service.endpoints.pages import ASSETS, DOCS, ROOT
from service.gate import Gate, may_shed
from service.keys import Key
from service.metrics import OTHER_ROUTE
from service.problems import ProblemError, internal_error, method_not_allowed, problem_of, written
from service.settings import Settings
from service.state import State
from spades.contract.faults import RequestError

SINGLE = frozenset(("/bid", "/v1/bid"))
BLIND = "/v1/bid/blind"
PASS = "/v1/pass"
CARD = "/v1/card"
INFERENCE = "/v1/inference"
_ANSWERS = {
    **dict.fromkeys(SINGLE, bids.bid),
    BLIND: blind_nils.blind,
    PASS: passes.give,
}  # each: (state, table sets, body, API key) -> JSON, version of the tables that decided
MAX_BYTES = {
    **dict.fromkeys((*_ANSWERS, CARD, INFERENCE), MAX_BODY_BYTES),
    **dict.fromkeys(BATCHES, MAX_BODIES_BYTES),
}  # largest body, by route
# Metrics labels; a test compares them with the OpenAPI document.
ROUTES = frozenset(
    (
        *MAX_BYTES,
        *("/v1/policies", "/v1/rules", "/v1/reasons", "/healthz", "/readyz", "/version", "/metrics"),
        *(ROOT, DOCS, OPENAPI),
    )
)
_PREFIXES = ("/problems/", ASSETS)  # path prefixes of the routes with a variable part
JSON_HEADER = (b"content-type", b"application/json")
_logger = logging.getLogger("service")


class CurrentRequest:
    """One request: its head, and what `Responder.admit` found.

    ``marks``: the headers that identify the request in its answer and the log.
    """

    __slots__ = ("arrived", "deadline", "fields", "key", "marks", "method", "path", "tables")

    def __init__(self, method: str, path: str, fields: Fields, arrived: float, marks: Headers) -> None:
        self.method = method
        self.path = path
        self.fields = fields
        self.arrived = arrived  # `perf_counter` time in s; `deadline` too
        self.marks = marks
        self.key: Key | None = None
        self.deadline = NO_DEADLINE
        self.tables: str | None = None  # the version that decided, for the log


class Responder:
    """Answers the requests of one process."""

    def __init__(self, settings: Settings, state: State) -> None:
        self.state = state
        self.gate = Gate(settings, state.metrics)
        self.log = AccessLog(settings.access_log, state.metrics.log_dropped.inc)
        state.decision_log = decision_log(settings, state.metrics.decision_log_dropped.inc)
        self.in_flight = 0  # requests in ASGI tasks, without those that wait for the rate of costly requests

    def close(self) -> None:
        """Write the log lines that are still in the queue, and close the logs."""
        self.log.close()
        if self.state.decision_log is not None:
            self.state.decision_log.close()

    def begin(self, method: str, path: str, fields: Fields, arrived: float) -> CurrentRequest:
        """Return a new request; while the service stops, its answer will close the connection."""
        marks = self.gate.marks(fields)
        if self.state.draining:
            marks.append(CLOSE)
        return CurrentRequest(method, path, fields, arrived, marks)

    def admit(self, current: CurrentRequest) -> None:
        """Check a request before its body is read; raise `ProblemError`."""
        gate, path = self.gate, current.path
        if gate.overloaded(perf_counter() - current.arrived, self.in_flight) and may_shed(path):
            raise gate.shed()
        if gate.keys is not None:
            current.key = gate.key(path, current.fields)
        most = MAX_BYTES.get(path)
        if most is None:
            return
        if current.method != "POST":
            raise method_not_allowed(current.method, "POST")
        check_content_headers(current.fields, most)
        if b"x-deadline-ms" in current.fields:
            current.deadline = deadline_of(current.fields, current.arrived)

    def answer(self, current: CurrentRequest, body: bytes) -> Reply:
        """Return the answer to an admitted request for one bid, blind nil or pass; raise `ProblemError`."""
        check_size(body, MAX_BODY_BYTES)
        if current.key is not None:
            self.gate.charge(current.key)
        state, deadline = self.state, current.deadline
        sets = state.tables_in_use()
        if deadline is not NO_DEADLINE:
            state.check_deadline(deadline, perf_counter(), started=False)
        content, current.tables = _ANSWERS[current.path](state, sets, body, current.key)
        if deadline is not NO_DEADLINE:
            state.check_deadline(deadline, perf_counter())
        return 200, [JSON_HEADER], content

    def refuse(self, current: CurrentRequest, error: Exception) -> Reply:
        """Return the answer to a request that raised ``error``; any error but `ProblemError` is a bug and is logged."""
        if isinstance(error, RequestError):
            error = problem_of(error)
        if not isinstance(error, ProblemError):
            request_id = current.marks[0][1].decode("ascii")
            _logger.error("%s failed, request id %s", current.path, request_id, exc_info=error)
            error = internal_error()
        self.state.metrics.refused(error)
        return written(error)

    def done(self, current: CurrentRequest, status: int) -> None:
        """Count and log one answer."""
        seconds = perf_counter() - current.arrived
        route = current.path
        if route not in ROUTES:
            route = next((prefix + "{name}" for prefix in _PREFIXES if route.startswith(prefix)), OTHER_ROUTE)
        self.state.metrics.answered(route, status, seconds)
        if self.log.wants(status):
            marks = dict(current.marks)
            name = None if current.key is None else current.key.name
            trace = marks.get(b"traceparent")
            request_id = marks[b"x-request-id"]
            self.log.write(Answered(current.method, route, status, seconds, request_id, trace, name, current.tables))

    def reply(self, path: str, fields: Fields, body: bytes, arrived: float) -> Reply:
        """Return the answer to a POST to one of `SINGLE` with a complete body, without an ASGI task."""
        current = self.begin("POST", path, fields, arrived)
        try:
            self.admit(current)
            status, headers, content = self.answer(current, body)
        except Exception as error:  # noqa: BLE001  # `refuse` logs bugs
            status, headers, content = self.refuse(current, error)
        self.done(current, status)
        return status, headers + current.marks, content
