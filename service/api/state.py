"""State: what the endpoints share: the tables, the metrics, and whether the service is ready.

`create_app` makes one instance per process, and its lifespan adds the tables. The server starts draining on SIGTERM.
"""

import asyncio
import logging
from pathlib import Path

from service.api.body import deadline_exceeded
from service.bidding.bidder import decide
from service.bidding.inference.inference import BIDDERS, Readers, infer, readers_of
from service.bidding.policies import SERVED
from service.bidding.policy import CONVENTIONS
from service.bidding.tableset import TableSet, open_tables
from service.contract.inference import read_inference
from service.contract.request import read_bid
from service.metrics import Exposition, Metrics
from service.problems import ProblemError

# Hands for the warm-up: one for each seat, a nil, a void, high scores.
_WARM_UP_HANDS = ("AKJ62.AQ.Q.K9543", "3.8643.9752.T742", "Q74.KQ3.AJ84.Q62", "AQT9752..K83.A74", "2.T9873.6432.953")
_WARM_UP_BIDS: tuple[list[int], ...] = ([], [3], [3, 1], [4, 0, 3])
_logger = logging.getLogger("service")
BATCHES_AT_ONCE = 2  # batches (`service.api.batch`) in progress; others wait
DRAWINGS_AT_ONCE = 2  # answers with deals (`service.api.inference`) in progress; others wait


class State:
    """What the endpoints share."""

    def __init__(self) -> None:
        self.metrics = Metrics(SERVED, CONVENTIONS)
        self.exposition = Exposition(lambda: self.metrics.text())
        self.batches = asyncio.Semaphore(BATCHES_AT_ONCE)
        self.drawings = asyncio.Semaphore(DRAWINGS_AT_ONCE)
        self.batch_turn = asyncio.Lock()  # held by the batch or inference that works in this turn of the event loop
        self.tables: TableSet | None = None
        self.readers: Readers  # what reads the bids for inferences; there once the tables are
        self.warm = False
        self.draining = False
        self.changed = ""  # why the tables can't be used any longer

    @property
    def ready(self) -> bool:
        """Whether requests should be sent: tables checked and unchanged, warm-up done, not shutting down."""
        return self.warm and self.tables is not None and not self.changed and not self.draining

    @property
    def why_not_ready(self) -> str:
        """The reason for "not ready", for callers."""
        return self.changed or ("shutting down" if self.draining else "the tables are not mapped yet")

    def tables_in_use(self) -> TableSet:
        """Return the mapped tables; raise the 503 if there are none yet or if they have changed on disk."""
        if self.tables is None or self.changed:
            raise ProblemError("not-ready", self.why_not_ready, headers=[("retry-after", "1")])
        return self.tables

    def check_deadline(self, deadline: float, now: float, started: bool = True) -> None:
        """Raise the 504 after the ``deadline``; count the request as shed if work on it has not ``started``."""
        if now > deadline:
            if not started:
                self.metrics.shed["deadline"].inc()
            raise deadline_exceeded()

    def start(self, directory: Path | None, tables: TableSet | None = None) -> None:
        """Map and check the tables (or take ``tables``, already checked) and warm up; raise `TablesError`."""
        self.tables = open_tables(directory) if tables is None else tables
        self.metrics.tables_mapped(self.tables.version, self.tables.sha256)
        self.readers = readers_of(self.tables.arrays)
        warm_up(self.tables, self.readers)
        self.warm = True
        self.metrics.ready.set(1)

    def check_tables(self) -> None:
        """Stop bidding for good if a table file has changed or is missing: the mapped data may have changed too.

        The server calls this once a second. It takes 0.16 ms for 57 files.
        """
        if self.tables is None or self.changed:
            return
        path = self.tables.changed_file()
        if path is not None:
            self.changed = f"the tables changed on disk ({Path(path).name}); restart the service"
            self.metrics.ready.set(0)
            _logger.error("%s has changed on disk since it was opened: no more bids; restart the service", path)

    def drain(self) -> None:
        """Answer "not ready" from now on; requests are still answered."""
        self.draining = True
        self.metrics.ready.set(0)


def warm_up(tables: TableSet, readers: Readers) -> None:
    """Decide some positions, to fill caches, page in the tables and detect tables that the code can't use."""
    for hand in _WARM_UP_HANDS:
        for bids in _WARM_UP_BIDS:
            for policy in SERVED:
                call = read_bid(
                    {
                        "hand": hand,
                        "previous_bids": bids,
                        "seat": len(bids),
                        "policy": policy,
                        "scores": {"us": 420, "them": 410},
                    }
                )
                decide(call.position, call.policy, tables)
    for bidder in BIDDERS:
        viewed = read_inference({"hand": _WARM_UP_HANDS[0], "bids": [3, 1], "seat": 2, "policy": bidder})
        infer(viewed.view, viewed.bids, viewed.rules, readers)
