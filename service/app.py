"""The app: `create_app()` assembles the endpoints, and its lifespan opens the tables.

`Service` is the outermost ASGI layer. It reads bodies, and answers bids, passes, cards, inferences, batches, page files
and the metrics itself (docs/adr/0005-hot-path.md). Answers that change only with the tables come from memory. FastAPI
answers the rest. Every exception of an endpoint becomes a problem (`Responder.refuse`).
"""

import asyncio
import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException

from service import __version__
from service.asgi import Receive, Reply, Scope, Send, join_headers, send_reply
from service.endpoints.batches import BATCHES, batch
from service.endpoints.body import MAX_BODIES_BYTES, MAX_BODY_BYTES, ClientGone, read_body
from service.endpoints.cards import play
from service.endpoints.catalogue import catalogue_routes
from service.endpoints.fixed_answers import FIXED_ROUTES, FixedAnswers, fastapi_answer
from service.endpoints.health import health_routes
from service.endpoints.inferences import inference
from service.endpoints.openapi import add_hot_routes, openapi
from service.endpoints.pages import StaticFiles
from service.gate import HEALTH_ROUTES, METRICS, is_open
from service.problems import ProblemError, method_not_allowed
from service.responder import CARD, INFERENCE, JSON_HEADER, MAX_BYTES, ROUTES, CurrentRequest, Responder
from service.searchers import BusyError
from service.settings import Settings, from_environment
from service.state import State
from service.table_sets import RefusedError, open_sets
from spades.contract.faults import Fault, RequestError, pointer

NO_SUCH_PATH = "no such path; /openapi.json lists them"
CLIENT_GONE = 499  # in the metrics and the access log: the caller has disconnected and gets no answer
_READ_METHODS = frozenset(("GET", "HEAD"))
_EXPOSITION = (b"content-type", CONTENT_TYPE_LATEST.encode())
_logger = logging.getLogger("service")


class Service:
    """The ASGI application. The server uses its ``state``; tests also use its ``fastapi``."""

    def __init__(self, settings: Settings, state: State, fastapi: FastAPI) -> None:
        self.state = state
        self.fastapi = fastapi
        self.responder = Responder(settings, state)
        self._settings = settings
        self._metrics_elsewhere = settings.metrics_address is not None  # /metrics has a separate listener
        self._fixed = FixedAnswers(fastapi)
        self._files = StaticFiles()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (or run the lifespan)."""
        if scope["type"] != "http":
            await self.fastapi(scope, receive, send)
            return
        responder, in_flight = self.responder, self.state.metrics.in_flight
        arrived = scope.get("arrived") or perf_counter()
        current = responder.begin(scope["method"], scope["path"], join_headers(scope["headers"]), arrived)
        in_flight.inc()
        responder.in_flight += 1
        status = 500
        try:
            try:
                responder.admit(current)
                reply = await self._reply(current, scope, receive)
            except Exception as error:
                if isinstance(error, ClientGone):
                    raise
                reply = responder.refuse(current, error)
                if reply[0] == 401 and current.path not in MAX_BYTES:
                    await self._wait(responder.gate.refusal_turn_s())
            await send_reply(send, current.method, (reply[0], reply[1] + current.marks, reply[2]))
            status = reply[0]
        except ClientGone:
            status = scope.get("refused_status", CLIENT_GONE)
        finally:
            in_flight.dec()
            responder.in_flight -= 1
            responder.done(current, status)

    async def prepare(self) -> None:
        """Build the answers that change only with the tables, so that no request waits for them."""
        await self._fixed.prepare()

    async def reload(self) -> None:
        """Read the folder of the table sets again, while requests are answered. An unusable folder changes nothing."""
        state, before = self.state, self.state.sets
        try:
            sets = await asyncio.to_thread(open_sets, self._settings, before)
        except RefusedError as refused:
            state.metrics.reloads["refused"].inc()
            state.metrics.tables_refused(refused.reason)
            _logger.error("the tables stay as they are: %s", refused)
            return
        except Exception:  # a bug; the open tables have not changed
            state.metrics.reloads["refused"].inc()
            _logger.exception("the tables stay as they are")
            return
        state.serve(sets)
        await self._fixed.renew()
        state.metrics.reloads["done"].inc()

    async def _reply(self, current: CurrentRequest, scope: Scope, receive: Receive) -> Reply:
        """Answer an admitted request; raise `ProblemError` and `ClientGone`."""
        responder, gate, path = self.responder, self.responder.gate, current.path
        if path in BATCHES:
            with gate.room() as room:
                body = await read_body(receive, current.deadline, MAX_BODIES_BYTES, room.hold)
                gate.charge(current.key)
                return 200, [JSON_HEADER], await batch(self.state, path, body, current.deadline, current.key)
        if path == INFERENCE:
            body = await read_body(receive, current.deadline, MAX_BODY_BYTES)
            gate.charge(current.key)
            content, current.tables = await inference(self.state, body, current.deadline, current.key)
            return 200, [JSON_HEADER], content
        if path == CARD:
            body = await read_body(receive, current.deadline, MAX_BODY_BYTES)
            gate.charge(current.key)
            try:
                card, current.tables = await play(self.state, body, current.deadline, current.key)
            except BusyError:
                raise gate.shed("search") from None
            return 200, [JSON_HEADER], card
        if path in MAX_BYTES:
            return responder.answer(current, await read_body(receive, current.deadline, MAX_BODY_BYTES))
        overloaded = gate.overloaded(perf_counter() - current.arrived, responder.in_flight)
        if path in self._files.paths:
            return self._files.get(path, current.method, current.fields)
        if not is_open(path):
            gate.charge(current.key)
        if path not in ROUTES and not path.startswith("/problems/"):
            raise ProblemError("not-found", NO_SUCH_PATH)
        if path not in HEALTH_ROUTES and path not in FIXED_ROUTES:
            await self._wait(gate.turn_s(path))
        if current.method in _READ_METHODS and path in FIXED_ROUTES:
            return await self._fixed.get(path)
        if current.method in _READ_METHODS and path == METRICS and not self._metrics_elsewhere:
            return 200, [_EXPOSITION], await self.state.exposition.text_beside_requests(overloaded)
        if current.method == "HEAD":  # answered like GET; `send_reply` omits the body
            scope = {**scope, "method": "GET"}
        return await fastapi_answer(self.fastapi, scope, receive)

    async def _wait(self, wait_s: float) -> None:
        """Wait, without counting towards an overload, before a costly request starts or a 401 is sent."""
        if wait_s > 0.0:
            self.responder.in_flight -= 1
            try:
                await asyncio.sleep(wait_s)
            finally:
                self.responder.in_flight += 1


def create_app(settings: Settings | None = None) -> Service:
    """Return the service. Its lifespan opens the tables, unless ``state.serve`` was called before."""
    settings = from_environment() if settings is None else settings
    state = State()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if state.sets is None:
            state.serve(open_sets(settings))
        await service.prepare()
        if settings.search_processes:
            await state.searchers.start(settings.search_processes, settings.queue_ms)
        # Exclude from garbage collection the objects that live as long as the process. A full collection then stops
        # the event loop for 0.2 ms, not for 10 to 18 ms.
        gc.collect()
        gc.freeze()
        yield
        state.drain()
        await state.searchers.close()
        service.responder.close()

    app = FastAPI(
        title="Spades bidding service",
        version=__version__,
        lifespan=lifespan,
        redirect_slashes=False,
        redoc_url=None,
        docs_url=None,
        generate_unique_id_function=lambda route: route.name,  # stable names for generated clients
    )
    app.add_exception_handler(HTTPException, _raise_problem)
    app.add_exception_handler(RequestValidationError, _raise_problem)
    add_hot_routes(app)
    catalogue, examples = catalogue_routes(state)
    app.include_router(catalogue)
    app.include_router(health_routes(state, with_metrics=settings.metrics_address is None))

    app.openapi = lambda: openapi(app, examples)  # type: ignore[method-assign]
    service = Service(settings, state, app)
    return service


async def _raise_problem(request: Request, error: Exception) -> Response:
    """Turn FastAPI's error for a request into a `ProblemError`; `Service` writes the answer.

    HTTP errors other than 404 and 405 are raised unchanged.
    """
    if isinstance(error, RequestValidationError):
        faults = [Fault(pointer(*item["loc"]), "wrong-type", item["msg"]) for item in error.errors()]
        raise RequestError(faults) from error
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        raise ProblemError("not-found", NO_SUCH_PATH) from error
    if error.status_code == 405:
        methods = {method for method in (error.headers or {}).get("Allow", "").split(", ") if method}
        allowed = ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))
        raise method_not_allowed(request.method, allowed) from error
    raise error
