"""State: what the endpoints share - the tables, the metrics, and whether the service is ready.

Not settings (read once) nor a cache. Made by `create_app`; the tables are put in by its lifespan, and the
server sets `draining` on SIGTERM. One instance a process.
"""

import asyncio
from pathlib import Path

from service.api.requests import POLICIES, read_fast
from service.bidding.bidder import decide
from service.bidding.policies import CONVENTIONS
from service.bidding.tableset import TableSet, open_tables
from service.metrics import Metrics

# Positions that the warm-up decides: each seat, a nil, a void, high scores; they fill caches and page in tables.
_WARM_UP_HANDS = ("AKJ62.AQ.Q.K9543", "3.8643.9752.T742", "Q74.KQ3.AJ84.Q62", "AQT9752..K83.A74", "2.T9873.6432.953")
_WARM_UP_BIDS: tuple[list[int], ...] = ([], [3], [3, 1], [4, 0, 3])
BATCHES_AT_ONCE = 2  # bodies of POST /v1/bids worked on in turns; others wait


class State:
    """What the endpoints share."""

    def __init__(self) -> None:
        self.metrics = Metrics(POLICIES, CONVENTIONS)
        self.batches = asyncio.Semaphore(BATCHES_AT_ONCE)
        self.tables: TableSet | None = None
        self.warm = False
        self.draining = False

    @property
    def ready(self) -> bool:
        """Tables mapped and checked, warmed up, not shutting down."""
        return self.warm and self.tables is not None and not self.draining

    def start(self, directory: Path | None, tables: TableSet | None = None) -> None:
        """Map and check the tables (``tables``: already done), warm up; raise `TablesError` when they are no good."""
        self.tables = open_tables(directory) if tables is None else tables
        self.metrics.tables_mapped(self.tables.version, self.tables.sha256)
        for hand in _WARM_UP_HANDS:
            for bids in _WARM_UP_BIDS:
                for policy in POLICIES:
                    call = read_fast(
                        {
                            "hand": hand,
                            "previous_bids": bids,
                            "seat": len(bids),
                            "policy": policy,
                            "scores": {"us": 420, "them": 410},
                        }
                    )
                    assert call is not None, "the warm-up's requests are valid"
                    decide(call.position, call.policy, self.tables)
        self.warm = True
        self.metrics.ready.set(1)

    def drain(self) -> None:
        """Say "not ready" from now on; requests are still answered."""
        self.draining = True
        self.metrics.ready.set(0)
