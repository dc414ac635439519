"""What requests share and carry: `AppState`, `RequestState`, the tables that decide a request, JSON in and out.

`create_app` makes the `AppState`, which is `app.state`, and the app's lifespan opens its tables. Each request has a
`RequestState` in its ASGI scope.
"""

import asyncio
import logging
import math
from collections.abc import Callable, Collection
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypedDict, TypeVar

import orjson
from starlette.requests import Request
from starlette.responses import Response

from service.fair_turns import FairTurns
from service.keys import Key
from service.logs import Logs
from service.metrics import Metrics
from service.problems import ProblemError, deadline_exceeded, not_ready
from service.searchers import Searchers
from service.settings import Settings
from service.table_sets import OpenSet, TableSets
from spades.contract.bid_request import MAX_ITEMS
from spades.contract.faults import Fault, RequestError
from spades.contract.fields import check_field_count, unknown_tables
from spades.winprob import Games

T = TypeVar("T")

if TYPE_CHECKING:
    from service.routes import Route

CHECK_S = 1.0  # between two checks whether files of the tables have changed
_LAG_TICK_S = 0.005
_MARKS: Final = b"[{,:\\"  # what the parser spends its time on: arrays, objects, their members, and escapes
MAX_MARKS: Final = 2048  # of a single request; the largest valid one has about 165
MAX_BATCH_MARKS: Final = 170 * MAX_ITEMS  # parsed in about 6 ms
_NAMED = "named"  # the role of a set that only answers requests which name it
_logger = logging.getLogger("service")
_server_logger = logging.getLogger("uvicorn.error")  # shows information too


class RequestState(TypedDict, total=False):
    """The state of a request, in its ASGI scope (Starlette's ``request.state``)."""

    arrived: float  # `perf_counter` time at which its bytes came, as far as `AppState.lag_s` shows it, s
    route: "Route | None"  # None: no route has the path
    request_id: str
    trace_id: str  # of the caller's traceparent
    headers: dict[bytes, bytes]  # by name in lower case; `join_headers`
    deadline: float  # `perf_counter` time at which the caller stops waiting, s; from X-Deadline-Ms
    key: Key  # the API key
    tables: str  # version of the tables that decided, for the logs


class AppState:
    """What the requests of one process share."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.metrics = Metrics()
        dropped = [self.metrics.counter(f"spades_{name}_log_dropped").inc for name in ("access", "decision")]
        self.logs = Logs(settings, *dropped)
        self.searchers = Searchers(self.metrics)
        self.turns = FairTurns()
        self.lag_tick_due = math.inf  # `perf_counter` time at which `measure_lag` should run next, s
        self.sets: TableSets | None = None  # open, checked and warmed up
        self.draining = False
        self.started_by_serve = False  # `python -m service serve` has checked the address, and serves metrics

    @property
    def ready(self) -> bool:
        """Whether requests should be sent: the default's tables are checked and unchanged, and not shutting down."""
        return self.sets is not None and not self.sets.default.changed and not self.draining

    @property
    def why_not_ready(self) -> str:
        """The reason for "not ready", for callers."""
        if self.sets is not None and self.sets.default.changed:
            return self.sets.default.changed
        return "shutting down" if self.draining else "the tables are not mapped yet"

    @property
    def lag_s(self) -> float:
        """How far the event loop is behind its work, in seconds: the delay of `measure_lag`; 0 if that does not run.

        A request that starts now has waited about as long.
        """
        return max(0.0, perf_counter() - self.lag_tick_due)

    def tables_in_use(self) -> TableSets:
        """Return the open sets; raise the 503 if there are none yet or if the default has changed on disk."""
        sets = self.sets
        if sets is None or sets.default.changed:
            raise not_ready(self.why_not_ready)
        return sets

    def check_deadline(self, deadline: float, now: float, started: bool = True) -> None:
        """Raise the 504 if the ``deadline`` has passed; both times are those of `perf_counter`, s.

        Count the request as shed if work on it has not ``started``.
        """
        if now > deadline:
            if not started:
                self.metrics.shed("deadline")
            raise deadline_exceeded()

    def serve(self, sets: TableSets) -> None:
        """Answer requests with ``sets``, once for the life of the process."""
        assert self.sets is None, "the tables are opened once"
        self.sets = sets
        for text in sets.refused:
            _logger.error("a table set is refused: %s", text)
        _server_logger.info("Tables: %s", sets)
        roles = {version: sets.role_of(version) or _NAMED for version in sets.by_version}
        self.metrics.tables_opened((sets.default.version, sets.default.tables.sha256), roles, len(sets.refused))
        self.metrics.gauge("spades_ready").set(int(self.ready))

    async def measure_lag(self) -> None:
        """Sleep again and again, so that `lag_s` shows how late the event loop is; until cancelled."""
        while True:
            self.lag_tick_due = perf_counter() + _LAG_TICK_S
            await asyncio.sleep(_LAG_TICK_S)

    async def watch_tables(self) -> None:
        """Check the files of the tables every `CHECK_S` seconds, until cancelled."""
        while True:
            await asyncio.sleep(CHECK_S)
            self.check_tables()

    def check_tables(self) -> None:
        """Stop using each set with a changed or missing file: the mapped data may have changed too.

        It takes 0.16 ms for the 57 files of a set.
        """
        for opened in () if self.sets is None else self.sets.by_version.values():
            path = None if opened.changed else opened.tables.changed_file()
            if path is not None:
                opened.changed = f"the tables changed on disk ({Path(path).name}); restart the service"
                detail = "%s has changed on disk since it was opened: no more bids with tables %s; restart the service"
                _logger.error(detail, path, opened.version)
                self.metrics.tables_changed(opened.version)
                self.metrics.gauge("spades_ready").set(int(self.ready))

    def drain(self) -> None:
        """Answer "not ready" from now on; requests are still answered."""
        self.draining = True
        self.metrics.gauge("spades_ready").set(0)


async def in_turn(state: AppState, deadline: float, step: Callable[[], T]) -> T:
    """Return the result of a short step, and let other requests have their turn after it (`service.fair_turns`)."""
    async with state.turns.slice:
        try:
            state.check_deadline(deadline, perf_counter())
            return step()
        finally:
            await asyncio.sleep(0)


def app_state(request: Request) -> AppState:
    """Return what the requests of the process share."""
    state: AppState = request.app.state
    return state


def request_state(request: Request) -> RequestState:
    """Return the state of one request."""
    state: RequestState = request.scope["state"]
    return state


def join_headers(headers: Collection[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Return the headers by name; the values of a repeated name are joined by commas (RFC 9110, section 5.3).

    >>> join_headers([(b"host", b"a"), (b"accept", b"x"), (b"accept", b"y")])
    {b'host': b'a', b'accept': b'x, y'}
    """
    fields = dict(headers)
    if len(fields) == len(headers):
        return fields
    values: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        values.setdefault(name, []).append(value)
    return {name: b", ".join(repeated) for name, repeated in values.items()}


def set_for(sets: TableSets, data: Any, key: Key | None, read: Callable[[Any, Games], object]) -> OpenSet:
    """Return the set that decides the request ``data`` of a caller with ``key``.

    Raises the 422 if the request names a set that is not open, with the faults that ``read`` finds; raises the 503 if
    the files of the set have changed. A request of a wrong form gets the default set; its reader refuses it.
    """
    if type(data) is not dict:
        return sets.default
    version = data.get("tables")
    if version is None:
        if sets.canary is None:
            return sets.default
        chosen = sets.of_caller(data.get("game"), key)
    elif type(version) is not str:
        return sets.default
    elif version in sets.by_version:
        chosen = sets.by_version[version]
    else:
        raise _unknown_version(version, sets, data, read)
    if chosen.changed:
        raise not_ready(chosen.changed)
    return chosen


def _unknown_version(version: str, sets: TableSets, data: Any, read: Callable[[Any, Games], object]) -> RequestError:
    faults = [unknown_tables(version, sets.by_version)]
    try:
        read(data, sets.default.tables.games)
    except RequestError as refused:
        faults += refused.faults
    return RequestError(faults)


def read_json(body: bytes, most_marks: int = MAX_MARKS) -> Any:
    """Return the body's JSON value; raise the 422 if it has more than ``most_marks``, the 400 if it is not JSON.

    The parser holds Python's global lock from the first byte to the last, so it blocks all other requests, even in
    another thread. A body of 1 MiB can hold 350,000 empty arrays, which take 75 ms or more. The time is spent on
    arrays, objects, their members and escapes, so their marks are counted first.
    """
    large = len(body) > MAX_MARKS
    if large:
        marks = len(body) - len(body.translate(None, _MARKS))
        if marks > most_marks:
            detail = f"the body has {marks} brackets, commas, colons and backslashes; accepted: at most {most_marks}"
            raise RequestError([Fault("", "too-many-items", detail)])
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise ProblemError("invalid-json", f"{error.msg} (line {error.lineno}, column {error.colno})") from None
    if large:
        check_field_count(data)
    return data


def json_response(content: bytes) -> Response:
    """Return the answer with the JSON ``content``."""
    return Response(content, media_type="application/json")
