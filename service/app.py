"""The app: `create_app()` puts the endpoints together; its lifespan opens the tables.

`Service` is the outermost ASGI layer. It lets requests in (`gate.py`), answers the hot routes itself, before FastAPI's
stack gets there (docs/adr/0005-hot-path.md), hands everything else to FastAPI, counts, times and logs all, and turns
whatever an endpoint raises into a problem, so that one request's bug never takes the worker down.
"""

import asyncio
import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from service import __version__
from service.access_log import AccessLog
from service.api import bid as hot
from service.api import blind
from service.api.body import (
    CLOSE,
    MAX_BODIES_BYTES,
    MAX_BODY_BYTES,
    NO_DEADLINE,
    ClientGone,
    Fields,
    Headers,
    Receive,
    Scope,
    Send,
    check_form,
    check_size,
    deadline_of,
    fold,
    read_body,
)
from service.api.catalogue import catalogue_routes
from service.api.docs_page import docs_page
from service.api.documentation import (
    ANSWER,
    BLIND_ANSWER,
    BLIND_REQUEST,
    CUTTHROAT_REQUEST,
    LEVEL_REQUEST,
    POST_PROBLEMS,
    REQUEST,
    SHORT_BLIND_REQUEST,
    SHORT_REQUEST,
    example,
    openapi,
    post_extra,
)
from service.api.fixed_answers import FIXED_ROUTES, FixedAnswers
from service.api.health import health_routes
from service.api.state import State
from service.bidding.tableset import TableSet
from service.gate import METRICS, OPEN_ROUTES, Gate
from service.keys import Key
from service.metrics import CONTENT_TYPE, OTHER_ROUTE
from service.problems import MEDIA_TYPE, Fault, ProblemError, internal_error, invalid_request, pointer
from service.schemas import BidAnswer, BidsAnswer, BlindAnswer
from service.settings import Settings, from_environment

NO_SUCH_PATH = "no such path; /openapi.json lists them"
CLIENT_GONE = 499  # for the metrics only: nobody is there to answer
# Metrics labels; a test holds them against the OpenAPI document.
ROUTES = frozenset(
    (
        *("/bid", "/v1/bid", "/v1/bids", "/v1/bid/blind"),
        *("/v1/policies", "/v1/rules", "/healthz", "/readyz", "/version", "/metrics"),
        *("/docs", "/openapi.json", "/"),
    )
)
SINGLE = frozenset(("/bid", "/v1/bid"))
BATCH = "/v1/bids"
BLIND = "/v1/bid/blind"
_HOT = SINGLE | {BATCH, BLIND}
_READING = frozenset(("GET", "HEAD"))
_JSON = (b"content-type", b"application/json")
_EXPOSITION = (b"content-type", CONTENT_TYPE.encode())
_PROBLEM = (b"content-type", MEDIA_TYPE.encode())
_HTML_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
]
_DEFAULT_CSP = (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'")
_logger = logging.getLogger("service")

Reply = tuple[int, Headers, bytes]  # status, headers without Content-Length, body


class Service:
    """The ASGI application. ``state`` is shared with the server, which sets it draining; ``fastapi`` with tests."""

    def __init__(self, settings: Settings, state: State, log: AccessLog, fastapi: FastAPI) -> None:
        self.settings = settings
        self.state = state
        self.fastapi = fastapi
        self.gate = Gate(settings, state.metrics)
        self._fixed = FixedAnswers(fastapi)
        self._log = log
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (or run the lifespan)."""
        if scope["type"] != "http":
            await self.fastapi(scope, receive, send)
            return
        now = perf_counter()
        arrived = scope.get("arrived", now)
        metrics = self.state.metrics
        path, method = scope["path"], scope["method"]
        fields = fold(scope["headers"])
        marks = self._marks(fields)
        metrics.in_flight.inc()
        self._in_flight += 1
        status, key = 500, None
        try:
            refused = self.gate.overload(path, now - arrived, self._in_flight)
            if refused is not None:
                raise refused
            key = self.gate.key(path, fields)
            if path in _HOT:
                reply = await self._hot(path, method, fields, receive, arrived, key, marks)
                status = await _send(send, method, reply, marks)
            else:
                status = await self._other(scope, receive, send, marks, key, now - arrived)
        except ProblemError as problem:
            if problem.name == "unauthorized" and path not in _HOT:
                await self._wait(self.gate.refusal_turn_s())
            status = await _send(send, method, self._written(problem), marks)
        except ClientGone:
            status = scope.get("refused_status", CLIENT_GONE)
        finally:
            metrics.in_flight.dec()
            self._in_flight -= 1
            self._done(method, path, status, arrived, marks, key)

    async def prepare(self) -> None:
        """Make the answers that never change, so that no request waits for them."""
        await self._fixed.prepare()

    def reply(self, path: str, fields: Fields, body: bytes, arrived: float) -> Reply:
        """Answer a POST of `SINGLE` whose body is there whole, without a task: what `__call__` answers to the same."""
        gate = self.gate
        marks = self._marks(fields)
        key = None
        try:
            if gate.overloaded(perf_counter() - arrived, self._in_flight):
                raise gate.shed()
            if gate.keys is not None:
                key = gate.key(path, fields)
            status, head, answer = self._bid(fields, body, arrived, key)
        except ProblemError as problem:
            status, head, answer = self._written(problem)
        except Exception:  # a bug in one request: logged here, told to nobody
            _logger.exception("%s failed, request id %s", path, marks[0][1].decode("ascii"))
            status, head, answer = self._written(internal_error())
        self._done("POST", path, status, arrived, marks, key)
        return status, head + marks, answer

    def _bid(self, fields: Fields, body: bytes, arrived: float, key: Key | None) -> Reply:
        check_form(fields, MAX_BODY_BYTES)
        deadline = deadline_of(fields, arrived) if b"x-deadline-ms" in fields else NO_DEADLINE
        if len(body) > MAX_BODY_BYTES:
            check_size(body, MAX_BODY_BYTES)
        if key is not None:
            self.gate.charge(key)
        return 200, [_JSON], hot.bid(self.state, body, deadline)

    async def _hot(
        self,
        path: str,
        method: str,
        fields: Fields,
        receive: Receive,
        arrived: float,
        key: Key | None,
        marks: Headers,
    ) -> Reply:
        """Answer a hot route; a bug in one request is logged here and told to nobody. Raises `ProblemError`."""
        if method != "POST":
            detail = f"{method[:20]} is not allowed here; expected POST"
            raise ProblemError("method-not-allowed", detail, headers=[("allow", "POST")])
        try:
            most = MAX_BODIES_BYTES if path == BATCH else MAX_BODY_BYTES
            check_form(fields, most)
            deadline = deadline_of(fields, arrived)
            if path == BATCH:
                with self.gate.room() as room:
                    body = await read_body(receive, deadline, most, room.hold)
                    self.gate.charge(key)
                    return 200, [_JSON], await hot.bids(self.state, body, deadline, key)
            body = await read_body(receive, deadline, most)
            self.gate.charge(key)
            if path == BLIND:
                return 200, [_JSON], blind.blind(self.state, body, deadline)
            return 200, [_JSON], hot.bid(self.state, body, deadline)
        except (ProblemError, ClientGone):
            raise
        except Exception as bug:
            _logger.exception("%s failed, request id %s", path, marks[0][1].decode("ascii"))
            raise internal_error() from bug

    async def _other(
        self, scope: Scope, receive: Receive, send: Send, marks: Headers, key: Key | None, waited_s: float
    ) -> int:
        """Answer a route that is not hot, from memory if possible; return the status that was sent."""
        path, method = scope["path"], scope["method"]
        overloaded = self.gate.overloaded(waited_s, self._in_flight)
        if path not in OPEN_ROUTES:
            self.gate.charge(key)
        if path not in ROUTES and not path.startswith("/problems/"):
            raise ProblemError("not-found", NO_SUCH_PATH)
        if path not in OPEN_ROUTES and path not in FIXED_ROUTES:
            await self._wait(self.gate.turn_s(path))
        if method not in _READING:
            return await self._pass_on(scope, receive, send, marks)
        if path in FIXED_ROUTES:
            headers, body = await self._fixed.get(path)
            return await _send(send, method, (200, _secured(headers), body), marks)
        if path == METRICS and self.settings.metrics_address is None:
            try:
                text = await self.state.exposition.text_beside_requests(overloaded)
            except Exception as bug:
                _logger.exception("%s failed, request id %s", path, marks[0][1].decode("ascii"))
                raise internal_error() from bug
            return await _send(send, method, (200, [_EXPOSITION], text), marks)
        return await self._pass_on(scope, receive, send, marks)

    async def _wait(self, wait_s: float) -> None:
        """Wait for the turn of a costly request. Those that wait are not under way: they don't make an overload."""
        if wait_s > 0.0:
            self._in_flight -= 1
            try:
                await asyncio.sleep(wait_s)
            finally:
                self._in_flight += 1

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send, marks: Headers) -> int:
        """Let FastAPI answer; the status it sent. HEAD is answered as GET is, without the body."""
        status = 500
        head = scope["method"] == "HEAD"
        if head:
            scope = {**scope, "method": "GET"}

        async def watch(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": _secured(list(message["headers"])) + marks}
            elif head:
                message = {**message, "body": b""}
            await send(message)

        await self.fastapi(scope, receive, watch)
        return status

    def _marks(self, fields: Fields) -> Headers:
        """The headers of every answer; while draining it asks the caller to come by another connection."""
        marks = self.gate.marks(fields)
        if self.state.draining:
            marks.append(CLOSE)
        return marks

    def _written(self, problem: ProblemError) -> Reply:
        if problem.name == "deadline-exceeded":
            self.state.metrics.deadline_exceeded.inc()
        headers = [_PROBLEM, *((name.encode(), value.encode()) for name, value in problem.headers)]
        return problem.status, headers, orjson.dumps(problem.body())

    def _done(self, method: str, path: str, status: int, arrived: float, marks: Headers, key: Key | None) -> None:
        """Count and log one answer."""
        seconds = perf_counter() - arrived
        if path in ROUTES:
            route = path
        else:
            route = "/problems/{name}" if path.startswith("/problems/") else OTHER_ROUTE
        self.state.metrics.answered(route, status, seconds)
        if self._log.wants(status):
            marked = dict(marks)
            name = None if key is None else key.name
            trace = marked.get(b"traceparent")
            self._log.write(method, route, status, seconds, marked[b"x-request-id"], trace, name)


def create_app(settings: Settings | None = None, tables: TableSet | None = None) -> Service:
    """The service. ``tables``: already opened and checked (the command line does so before it starts the server)."""
    settings = from_environment() if settings is None else settings
    state = State()
    log = AccessLog(settings.access_log, state.metrics.log_dropped.inc)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        state.start(settings.tables_dir, tables)
        await service.prepare()
        # The garbage collector need not look at what lives as long as the process: a full collection stops the event
        # loop for 0.2 ms then, not for 10 to 18.
        gc.collect()
        gc.freeze()
        yield
        state.drain()
        log.close()

    app = FastAPI(
        title="Spades bidding service",
        version=__version__,
        lifespan=lifespan,
        redirect_slashes=False,
        redoc_url=None,
        docs_url=None,
    )
    app.add_exception_handler(ProblemError, _problem)
    app.add_exception_handler(HTTPException, _http_exception)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(Exception, _bug)
    _add_hot_routes(app)
    catalogue, examples = catalogue_routes()
    app.include_router(catalogue)
    app.include_router(health_routes(state, with_metrics=settings.metrics_address is None))

    @app.get("/", include_in_schema=False)
    async def root() -> RedirectResponse:
        return RedirectResponse("/docs")

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return docs_page(app.title)

    app.openapi = lambda: openapi(app, examples)  # type: ignore[method-assign]
    service = Service(settings, state, log, app)
    return service


def _add_hot_routes(app: FastAPI) -> None:
    """Tell FastAPI's document of the routes that `Service` answers."""
    for path, name in (("/v1/bid", "bid"), ("/bid", "bid_unversioned")):
        app.add_api_route(
            path,
            _placeholder,
            methods=["POST"],
            name=name,
            operation_id=name,
            tags=["bidding"],
            summary="One bid with its explanation",
            response_model=BidAnswer,
            response_description="The bid",
            responses={200: example(ANSWER), **POST_PROBLEMS},
            openapi_extra=post_extra(
                "BidRequest",
                {"full": REQUEST, "short": SHORT_REQUEST, "level": LEVEL_REQUEST, "cutthroat": CUTTHROAT_REQUEST},
            ),
        )
    app.add_api_route(
        BLIND,
        _placeholder,
        methods=["POST"],
        name="blind",
        operation_id="blind",
        tags=["bidding"],
        summary="Before the hand is seen: blind nil, or look?",
        response_model=BlindAnswer,
        response_description="Whether to bid blind nil",
        responses={200: example(BLIND_ANSWER), **POST_PROBLEMS},
        openapi_extra=post_extra("BlindRequest", {"full": BLIND_REQUEST, "short": SHORT_BLIND_REQUEST}),
    )
    refused = invalid_request([Fault("/seat", "missing-field", "seat is missing")])
    answers = [{"status": 200, "body": ANSWER}, {"status": refused.status, "body": refused.body()}]
    app.add_api_route(
        "/v1/bids",
        _placeholder,
        methods=["POST"],
        name="bids",
        operation_id="bids",
        tags=["bidding"],
        summary="Up to 512 bids; each request fails alone",
        response_model=BidsAnswer,
        response_description="An answer or a problem for each request, in order",
        responses={200: example({"answers": answers}), **POST_PROBLEMS},
        openapi_extra=post_extra("BidsRequest", {"two": {"requests": [REQUEST, {"hand": [], "previous_bids": []}]}}),
    )


async def _placeholder() -> None:
    raise AssertionError("the hot routes are answered by Service; serve create_app(), not its FastAPI part")


def _secured(headers: Headers) -> Headers:
    """``headers`` of an answer, for HTML with those that keep a page safe."""
    names = dict(headers)
    if not names.get(b"content-type", b"").startswith(b"text/html"):
        return headers
    missing = [] if b"content-security-policy" in names else [_DEFAULT_CSP]
    return headers + _HTML_HEADERS + missing


async def _send(send: Send, method: str, reply: Reply, marks: Headers) -> int:
    status, headers, body = reply
    headers = [*headers, *marks, (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})
    return status


def _response(problem: ProblemError) -> Response:
    return Response(orjson.dumps(problem.body()), problem.status, headers=dict(problem.headers), media_type=MEDIA_TYPE)


async def _problem(_: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return _response(error)


async def _http_exception(request: Request, error: Exception) -> Response:
    """What Starlette's router raises: 404 and 405."""
    assert isinstance(error, HTTPException)
    headers = list((error.headers or {}).items())
    if error.status_code == 404:
        return _response(ProblemError("not-found", NO_SUCH_PATH))
    if error.status_code == 405:
        methods = {method for method in dict(headers).get("Allow", "").split(", ") if method}
        allowed = ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))  # see `Service._pass_on`
        detail = f"{request.method[:20]} is not allowed here; expected {allowed or 'another method'}"
        headers = [("Allow", allowed)] if allowed else []
        return _response(ProblemError("method-not-allowed", detail, headers=headers))
    raise error


async def _validation_error(_: Request, error: Exception) -> Response:
    """What FastAPI finds wrong in a parameter."""
    assert isinstance(error, RequestValidationError)
    faults = [Fault(pointer(*item["loc"]), "wrong-type", item["msg"]) for item in error.errors()]
    return _response(invalid_request(faults))


async def _bug(_: Request, __: Exception) -> Response:
    return _response(internal_error())
