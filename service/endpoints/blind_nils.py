"""POST /v1/bid/blind: decide, before the hand is seen, whether to bid blind nil.

Like /v1/bids, this route is answered without FastAPI (docs/adr/0005-hot-path.md).
"""

from time import perf_counter
from typing import Any

import orjson

from service.endpoints.bids import parsed
from service.endpoints.table_choice import set_for
from service.json_body import SINGLE_LIMITS
from service.keys import Key
from service.shadow import Made
from service.state import State
from service.table_sets import OpenSet, TableSets
from spades.contract.answers import blind_nil_answer, decide_blind_nil
from spades.contract.bid_request import read_blind


def blind(state: State, sets: TableSets, body: bytes, key: Key | None) -> tuple[bytes, str]:
    """Return the JSON answer and the version of the tables that decided; raise `ProblemError` for an error answer."""
    data = parsed(body, SINGLE_LIMITS)
    chosen = set_for(sets, data, key, read_blind)
    tables, version = chosen.tables, chosen.version
    call = read_blind(data, tables.games, chosen.options)
    started = perf_counter()
    decision = decide_blind_nil(call, tables)
    seconds = perf_counter() - started
    bidder = call.bidder
    if decision.blind_nil:
        state.metrics.decided((("blind_nil", bidder.base, bidder.convention, version), seconds))
    else:
        state.metrics.decisions[bidder.base].observe(seconds)  # the bid follows later
    if sets.shadow is not None and chosen is sets.default:
        state.shadow.add(sets.shadow, Made(data, bidder.base, decision.blind_nil, _blind_nil_of))
    return orjson.dumps(blind_nil_answer(call, decision, version)), version


def _blind_nil_of(data: Any, chosen: OpenSet) -> bool:
    return decide_blind_nil(read_blind(data, chosen.tables.games, chosen.options), chosen.tables).blind_nil
