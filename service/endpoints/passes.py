"""POST /v1/pass: which cards a nil bidder or partner gives the other after the bidding.

Like /v1/bid/blind, this route is answered without FastAPI (docs/adr/0005-hot-path.md).
"""

import orjson

from service.endpoints.bids import parsed
from service.json_body import SINGLE_LIMITS
from service.keys import Key
from service.state import State
from service.table_sets import TableSets
from spades.contract.answers import pass_answer
from spades.contract.pass_request import read_pass


def give(state: State, sets: TableSets, body: bytes, key: Key | None) -> tuple[bytes, None]:
    """Return the JSON answer, which no tables decide; raise `ProblemError` for an error answer."""
    return orjson.dumps(pass_answer(read_pass(parsed(body, SINGLE_LIMITS)))), None
