"""The outermost middleware: give each request an id, count and log its answer, and answer an unexpected error.

It adds X-Request-ID to each answer, and the caller's traceparent. While the service stops, it also asks the server to
close the connection after the answer. An exception that no handler knows is a bug: it is logged with the request's id
and answered with 500, so that it never ends the worker.
"""

import logging
import re
import secrets
from itertools import count
from random import random
from time import perf_counter

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.logs import ACCESS, REQUEST
from service.metrics import OTHER_ROUTE
from service.middleware.exposure import is_reachable
from service.problems import internal_error, problem_response
from service.requests import AppState, RequestState, join_headers
from service.routes import ROUTE_BY_PATH, Route, templated_route

CLIENT_GONE = 499  # in the metrics and the access log: the caller has disconnected and gets no answer
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._:/+=@-]{1,128}")
_TRACEPARENT = re.compile(rb"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_CLOSE = (b"connection", b"close")
_logger = logging.getLogger("service")


class RequestLogMiddleware:
    """Request ids, metrics, the access log and the answer to unexpected errors."""

    def __init__(self, app: ASGIApp, state: AppState) -> None:
        self.app = app
        self._state = state
        self._prefix = secrets.token_hex(6).encode()
        self._numbers = count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        state, metrics = self._state, self._state.metrics
        request: RequestState = scope.setdefault("state", {})
        arrived = request["arrived"] = perf_counter() - state.lag_s
        headers = request["headers"] = join_headers(scope["headers"])
        path = scope["path"]
        route = request["route"] = ROUTE_BY_PATH.get(path) or templated_route(path)
        request_id = self._request_id(headers.get(b"x-request-id"))
        request["request_id"] = request_id.decode("ascii")
        traceparent = headers.get(b"traceparent")
        added = [(b"x-request-id", request_id)]
        if traceparent is not None:
            if _TRACEPARENT.fullmatch(traceparent):
                added.append((b"traceparent", traceparent))
                request["trace_id"] = traceparent[3:35].decode("ascii")
        status = 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                more = [*added, _CLOSE] if state.draining or self._is_last(scope, route) else added
                message["headers"] = [*message["headers"], *more]
            await send(message)

        in_flight = metrics.gauge("spades_http_requests_in_flight")
        in_flight.inc()
        current = REQUEST.set(request)
        try:
            await self.app(scope, receive, send_with_headers)
        except ClientDisconnect:
            status = CLIENT_GONE
        except Exception:
            _logger.exception("%s failed, request id %s", path, request["request_id"])
            if status:  # the answer has begun, so only the server can end it
                status = 500
                raise
            await problem_response(internal_error())(scope, receive, send_with_headers)
        finally:
            in_flight.dec()
            status = status or 500
            seconds = perf_counter() - arrived
            label = OTHER_ROUTE if route is None else route.path
            metrics.answered(label, status, seconds)
            if status == 500 or random() < state.settings.access_log:
                method = scope["method"][:20]
                fields = {"method": method, "route": label, "status": status, "duration_ms": round(seconds * 1e3, 3)}
                ACCESS.info("%s %s %d", method, label, status, extra=fields)
            REQUEST.reset(current)

    def _is_last(self, scope: Scope, route: Route | None) -> bool:
        """Return whether the connection must be closed after the answer.

        uvicorn reads on while a long answer is made, and with h11 it keeps all pipelined requests in memory.
        """
        if route is None or not route.takes_turns or self._state.settings.behind_proxy:
            return False
        return is_reachable(scope.get("server"))

    def _request_id(self, value: bytes | None) -> bytes:
        """Return the caller's id if it has 1 to 128 characters that are safe in a log; otherwise a new id."""
        if value is not None and _REQUEST_ID.fullmatch(value):
            return value
        return b"%b-%x" % (self._prefix, next(self._numbers))
