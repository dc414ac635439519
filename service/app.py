"""The app: `create_app()` returns the service as a FastAPI app, and the app's lifespan opens the tables.

The endpoints are the table in `routes.py`. Around them are the middlewares of
`service/middleware/`, and innermost `DirectBidsMiddleware` of `endpoints/bids.py`. Errors become
problems in the exception handlers of `problems.py`. What the requests of a process share is `app.state`.
"""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.middleware import Middleware

from service import __version__
from service.endpoints.bids import DirectBidsMiddleware, bid
from service.keys import read_keys
from service.middleware.api_keys import ApiKeyMiddleware
from service.middleware.limits import LimitsMiddleware
from service.middleware.request_log import RequestLogMiddleware
from service.openapi import openapi_document
from service.problems import add_exception_handlers
from service.requests import AppState
from service.routes import METRICS, ROUTES
from service.settings import Settings, from_environment
from service.table_sets import open_sets


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the app. ``settings``: default from the environment; raises `SettingsError` if one can't be used.

    The lifespan opens the tables, unless ``app.state.serve`` was called before.
    """
    settings = from_environment() if settings is None else settings
    state = AppState(settings)
    middleware = [Middleware(RequestLogMiddleware, state), Middleware(LimitsMiddleware, state)]
    if settings.api_keys_file is not None:
        keys = read_keys(settings.api_keys_file, settings.key_rate)
        middleware.append(Middleware(ApiKeyMiddleware, keys, state.metrics))
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
        telemetry={"tracing": False, "metrics": False, "logs": False},  # looking for a provider takes 3 us a request
    )
    app.state = state  # type: ignore[assignment]  # instead of Starlette's untyped one
    routes = [route for route in ROUTES if route.path != METRICS or settings.metrics_address is None]
    for route in routes:
        app.add_route(route.path, route.endpoint, methods=[route.method])
    add_exception_handlers(app)
    app.openapi = lambda: openapi_document(app, routes)  # type: ignore[method-assign]
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    state: AppState = app.state  # type: ignore[assignment]
    if state.sets is None:
        state.serve(open_sets(state.settings))
    app.openapi()  # made now, so that no request waits for it
    if state.settings.search_processes:
        await state.searchers.start(state.settings.search_processes, state.settings.queue_ms)
    state.metrics.call_soon = asyncio.get_running_loop().call_soon
    watching = asyncio.create_task(state.watch_tables())
    # Exclude from garbage collection the objects that live as long as the process. A full collection then stops the
    # event loop for 0.2 ms, not for 10 to 18 ms.
    gc.collect()
    gc.freeze()
    yield
    watching.cancel()
    state.drain()
    state.metrics.call_soon = None
    await state.searchers.close()
    state.close_logs()
