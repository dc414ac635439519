"""The app: `create_app()` returns the service as a FastAPI app, and the app's lifespan opens the tables.

The endpoints are the table in `routes.py`. Around them are the middlewares of
`service/middleware/`, and innermost `DirectBidsMiddleware` of `endpoints/bids.py`. Errors become
problems in the exception handlers of `problems.py`. What the requests of a process share is `app.state`.
"""

import asyncio
import gc
import logging
import multiprocessing
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec

from fastapi import FastAPI
from starlette.middleware import Middleware

from service import __version__
from service.endpoints.bids import DirectBidsMiddleware, bid
from service.keys import read_keys
from service.metrics import MULTIPROC_DIR
from service.middleware.api_keys import ApiKeyMiddleware
from service.middleware.exposure import ExposureMiddleware
from service.middleware.limits import LimitsMiddleware
from service.middleware.request_log import RequestLogMiddleware
from service.openapi import openapi_document
from service.problems import add_exception_handlers
from service.requests import AppState
from service.routes import METRICS, ROUTES
from service.settings import Settings, SettingsError, from_environment
from service.signals import handle_signals
from service.table_sets import open_sets

_SWITCH_S = 0.0001  # longest time that another thread may delay the event loop; Python's default is 5 ms
_logger = logging.getLogger("service")


def create_app(settings: Settings | None = None, *, started_by_serve: bool = False) -> FastAPI:
    """Return the app. ``settings``: default from the environment; raises `SettingsError` if one can't be used.

    The lifespan opens the tables, unless ``app.state.serve`` was called before. ``started_by_serve``: `python -m
    service serve` has checked the address, and starts the separate listener for metrics if the settings want one.
    """
    settings = from_environment() if settings is None else settings
    check_tracing(settings)
    state = AppState(settings)
    state.started_by_serve = started_by_serve
    middleware = [Middleware(RequestLogMiddleware, state), Middleware(LimitsMiddleware, state)]
    if settings.api_keys_file is not None:
        keys = read_keys(settings.api_keys_file, settings.key_rate)
        middleware.append(Middleware(ApiKeyMiddleware, keys, state.metrics))
    elif not started_by_serve:
        middleware.append(Middleware(ExposureMiddleware))
    if not settings.tracing:  # a span is named by the route, which the router finds
        middleware.append(Middleware(DirectBidsMiddleware, [route.path for route in ROUTES if route.endpoint is bid]))
    app = FastAPI(
        title="Spades bidding service",
        version=__version__,
        lifespan=_lifespan,
        middleware=middleware,
        redirect_slashes=False,
        openapi_url=None,  # it, and the page with it, are in `ROUTES`
        docs_url=None,
        redoc_url=None,
        telemetry={
            "tracing": settings.tracing,
            "operation_spans": False,
            "metrics": False,
            "logs": False,
            "auto_configure": settings.tracing,
        },
    )
    app.state = state  # type: ignore[assignment]  # instead of Starlette's untyped one
    own_listener = started_by_serve and settings.metrics_address is not None
    routes = [route for route in ROUTES if route.path != METRICS or not own_listener]
    for route in routes:
        app.add_route(route.path, route.endpoint, methods=[route.method])
    add_exception_handlers(app)
    app.openapi = lambda: openapi_document(app, routes)  # type: ignore[method-assign]
    return app


def check_tracing(settings: Settings) -> None:
    """Raise `SettingsError` if the settings want spans, but what exports them is not installed."""
    if settings.tracing and find_spec("opentelemetry.sdk") is None:
        raise SettingsError("SPADES_TRACING is 1, but the extra `otel` is not installed; accepted: 0, or that extra")


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    state: AppState = app.state  # type: ignore[assignment]
    if state.sets is None:
        state.serve(open_sets(state.settings))
    app.openapi()  # made now, so that no request waits for it
    if state.settings.search_processes:
        default = state.tables_in_use().default.tables
        await state.searchers.start(default, state.settings.search_processes, state.settings.queue_ms)
    if not state.started_by_serve:
        _warn_without_serve(state.settings)
    tasks = [asyncio.create_task(state.measure_lag()), asyncio.create_task(state.watch_tables())]
    # Exclude from garbage collection the objects that live as long as the process. A full collection then stops the
    # event loop for 0.2 ms, not for 10 to 18 ms.
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(_SWITCH_S)
    state.logs.start()
    with handle_signals(state.drain, state.settings.drain_s):
        yield
    for task in tasks:
        task.cancel()
    state.drain()
    await state.searchers.close()
    state.logs.stop()


def _warn_without_serve(settings: Settings) -> None:
    """Log which parts of the service are missing because `python -m service serve` did not start it."""
    if settings.metrics_address is not None:
        _logger.warning("SPADES_METRICS_ADDRESS is not used: only `python -m service serve` starts that listener")
    if multiprocessing.parent_process() is not None and not os.environ.get(MULTIPROC_DIR):
        _logger.warning(
            "this process may be one of several workers, and %s is not set: /metrics shows this process only; set it "
            "to an empty directory, or start the service with `python -m service serve --workers N`",
            MULTIPROC_DIR,
        )
