"""Fair turns: long answers are made in slices, so that other requests are answered between them.

Batches, inferences and reviews work in the event loop (docs/adr/0014-fair-turns.md). In one turn of the event loop, one
of them works for `SLICE_S`, or longer if one step takes longer. Then all other requests have their turn.
"""

import asyncio
from typing import Final

SLICE_S: Final = 0.0005  # seconds of work in one turn of the event loop
BATCHES_AT_ONCE: Final = 2  # batches in progress; others wait
ANSWERS_WITH_DEALS_AT_ONCE: Final = 2  # inferences with deals in progress; others wait
REVIEWS_AT_ONCE: Final = 2  # reviews in progress; others wait


class FairTurns:
    """Who may work on a long answer."""

    def __init__(self) -> None:
        self.batches = asyncio.Semaphore(BATCHES_AT_ONCE)
        self.deals = asyncio.Semaphore(ANSWERS_WITH_DEALS_AT_ONCE)
        self.reviews = asyncio.Semaphore(REVIEWS_AT_ONCE)
        self.slice = asyncio.Lock()  # for the answer that is worked on in this turn of the event loop
