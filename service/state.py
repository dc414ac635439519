"""What the requests of one process share (`AppState`, as `app.state`), and what one request carries (`RequestState`).

`create_app` makes the `AppState`, and the app's lifespan opens its tables.
"""

import asyncio
import logging
from pathlib import Path
from typing import TypedDict

from starlette.requests import Request

from service.access_log import AccessLog
from service.decision_log import decision_log
from service.fair_turns import FairTurns
from service.keys import Key
from service.metrics import Exposition, Metrics
from service.problems import deadline_exceeded, not_ready
from service.searchers import Searchers
from service.settings import Settings
from service.shadow import Shadow
from service.table_sets import OpenSet, RefusedError, TableSets, open_sets
from spades.options import CONVENTIONS
from spades.policies import SERVED

CHECK_S = 1.0  # between two checks whether files of the tables have changed
_NAMED = "named"  # the role of a set that only answers requests which name it
_logger = logging.getLogger("service")
_server_logger = logging.getLogger("uvicorn.error")  # shows information too


class RequestState(TypedDict, total=False):
    """The state of a request, in its ASGI scope (Starlette's ``request.state``)."""

    arrived: float  # `perf_counter` time at which its bytes came, s; the server may set it
    headers: dict[bytes, bytes]  # by name in lower case; `headers.join_headers`
    deadline: float  # `perf_counter` time at which the caller stops waiting, s; from X-Deadline-Ms
    key: Key  # the API key
    tables: str  # version of the tables that decided, for the access log
    overloaded: bool  # the process is overloaded, but this request is never shed
    refused_status: int  # the server has answered with this status instead of the app


class AppState:
    """What the requests of one process share."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.metrics = Metrics(SERVED, CONVENTIONS)
        self.exposition = Exposition(lambda: self.metrics.text())
        self.access_log = AccessLog(settings.access_log, self.metrics.log_dropped.inc)
        self.decision_log = decision_log(settings, self.metrics.decision_log_dropped.inc)
        self.searchers = Searchers(self.metrics)
        self.shadow = Shadow(self.metrics)
        self.turns = FairTurns()
        self.sets: TableSets | None = None  # open, checked and warmed up
        self.draining = False

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
                self.metrics.shed["deadline"].inc()
            raise deadline_exceeded()

    def serve(self, sets: TableSets) -> None:
        """Answer with ``sets`` from now on. Requests in progress keep those that they have."""
        self.sets = sets
        self.searchers.use(sets.default.tables)
        self.metrics.tables_refused(*(reason for reason, _ in sets.refused))
        for _, text in sets.refused:
            _logger.error("a table set is refused: %s", text)
        _server_logger.info("Tables: %s", sets)
        self._show()

    async def reload(self) -> None:
        """Read the folder of the table sets again, while requests are answered. An unusable folder changes nothing."""
        try:
            sets = await asyncio.to_thread(open_sets, self.settings, self.sets)
        except RefusedError as refused:
            self.metrics.reloads["refused"].inc()
            self.metrics.tables_refused(refused.reason)
            _logger.error("the tables stay as they are: %s", refused)
            return
        except Exception:  # a bug; the open tables have not changed
            self.metrics.reloads["refused"].inc()
            _logger.exception("the tables stay as they are")
            return
        self.serve(sets)
        self.metrics.reloads["done"].inc()

    async def watch_tables(self) -> None:
        """Check the files of the tables every `CHECK_S` seconds, until cancelled."""
        while True:
            await asyncio.sleep(CHECK_S)
            self.check_tables()

    def check_tables(self) -> None:
        """Stop using each set with a changed or missing file: the mapped data may have changed too.

        The set can be used again after it has been opened again. It takes 0.16 ms for the 57 files of a set.
        """
        if self.sets is None:
            return
        changed = [each for each in self.sets.by_version.values() if not each.changed and self._has_changed(each)]
        if changed:
            self._show()

    def drain(self) -> None:
        """Answer "not ready" from now on; requests are still answered."""
        self.draining = True
        self.metrics.ready.set(0)

    def close_logs(self) -> None:
        """Write the log lines that are still in the queues, and close the logs."""
        self.access_log.close()
        if self.decision_log is not None:
            self.decision_log.close()

    def _has_changed(self, opened: OpenSet) -> bool:
        path = opened.tables.changed_file()
        if path is None:
            return False
        opened.changed = f"the tables changed on disk ({Path(path).name}); send SIGHUP or restart the service"
        detail = "%s has changed on disk since it was opened: no more bids with tables %s; restart the service, or "
        detail += "mend the folder and send SIGHUP"
        _logger.error(detail, path, opened.version)
        return True

    def _show(self) -> None:
        """Show in the metrics which sets are open, and whether the service is ready."""
        assert self.sets is not None, "the tables are open"
        default = self.sets.default
        roles: list[tuple[str, str]] = []
        for opened in self.sets.by_version.values():
            if not opened.changed:
                roles += [(opened.version, role) for role in self.sets.roles_of(opened) or (_NAMED,)]
        self.metrics.tables_served((default.version, default.tables.sha256), roles)
        self.metrics.ready.set(int(self.ready))


def app_state(request: Request) -> AppState:
    """Return what the requests of the process share."""
    state: AppState = request.app.state
    return state


def request_state(request: Request) -> RequestState:
    """Return the state of one request."""
    state: RequestState = request.scope["state"]
    return state
