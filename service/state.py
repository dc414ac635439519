"""State: what the endpoints share: the tables, the metrics, and whether the service is ready.

`create_app` makes one instance per process, and its lifespan adds the tables. The server starts draining on SIGTERM.
"""

import asyncio
import logging
from pathlib import Path

from service.decision_log import DecisionLog
from service.metrics import Exposition, Metrics
from service.problems import ProblemError, deadline_exceeded
from service.searchers import Searchers
from service.shadow import Shadow
from service.table_sets import OpenSet, TableSets
from spades.options import CONVENTIONS
from spades.policies import SERVED

_logger = logging.getLogger("service")
_server_logger = logging.getLogger("uvicorn.error")  # shows information too
SLICE_S = 0.0005  # work on a batch or an inference in one turn of the event loop; longer if one step takes longer
BATCHES_AT_ONCE = 2  # batches (`service.endpoints.batches`) in progress; others wait
ANSWERS_WITH_DEALS = 2  # answers with deals (`service.endpoints.inferences`) in progress; others wait
_NAMED = "named"  # the role of a set that only answers requests which name it


class State:
    """What the endpoints share."""

    def __init__(self) -> None:
        self.metrics = Metrics(SERVED, CONVENTIONS)
        self.searchers = Searchers(self.metrics)
        self.exposition = Exposition(lambda: self.metrics.text())
        self.batches = asyncio.Semaphore(BATCHES_AT_ONCE)
        self.answers_with_deals = asyncio.Semaphore(ANSWERS_WITH_DEALS)
        self.batch_turn = asyncio.Lock()  # held by the batch or inference that works in this turn of the event loop
        self.decision_log: DecisionLog | None = None
        self.shadow = Shadow(self.metrics)
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
        """Raise the 504 after the ``deadline``; count the request as shed if work on it has not ``started``."""
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

    def check_tables(self) -> None:
        """Stop using each set with a changed or missing file: the mapped data may have changed too.

        The set can be used again after it has been opened again. The server calls this once a second; it takes 0.16 ms
        for the 57 files of a set.
        """
        if self.sets is None:
            return
        changed = [one for one in self.sets.by_version.values() if not one.changed and self._has_changed(one)]
        if changed:
            self._show()

    def drain(self) -> None:
        """Answer "not ready" from now on; requests are still answered."""
        self.draining = True
        self.metrics.ready.set(0)

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
        for one in self.sets.by_version.values():
            if not one.changed:
                roles += [(one.version, role) for role in self.sets.roles_of(one)] or [(one.version, _NAMED)]
        self.metrics.tables_served((default.version, default.tables.sha256), roles)
        self.metrics.ready.set(int(self.ready))


def not_ready(why: str) -> ProblemError:
    """Return the 503 of a request that can't be decided now."""
    return ProblemError("not-ready", why, headers=[("retry-after", "1")])
