"""POST /v1/bid/blind: decide, before the hand is seen, whether to bid blind nil.

Like /v1/bids, this route is answered without FastAPI (docs/adr/0005-hot-path.md).
"""

import zlib
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
from spades.bis.blind_decision import BlindDecision, decide_blind
from spades.contract.answer_types import BlindAnswer
from spades.contract.bid_request import BlindCall, read_blind
from spades.options import Policy
from spades.policies import with_skill
from spades.rules import seed_values
from spades.tableset import TableSet

_HASHED = Policy._fields.index("level")  # only these policy fields enter the seed, so that it never changes


def blind(state: State, sets: TableSets, body: bytes, key: Key | None) -> tuple[bytes, str]:
    """Return the JSON answer and the version of the tables that decided; raise `ProblemError` for an error answer."""
    data = parsed(body, SINGLE_LIMITS)
    chosen = set_for(sets, data, key, read_blind)
    tables, version = chosen.tables, chosen.version
    call = read_blind(data, tables.games, chosen.options)
    started = perf_counter()
    decision = decide(call, tables)
    seconds = perf_counter() - started
    bidder = call.bidder
    if decision.blind_nil:
        state.metrics.decided((("blind_nil", bidder.base, bidder.convention, version), seconds))
    else:
        state.metrics.decisions[bidder.base].observe(seconds)  # the bid follows later
    if sets.shadow is not None and chosen is sets.default:
        state.shadow.add(sets.shadow, Made(data, bidder.base, decision.blind_nil, _blind_nil_of))
    return orjson.dumps(answer_body(call, decision, version)), version


def _blind_nil_of(data: Any, chosen: OpenSet) -> bool:
    return decide(read_blind(data, chosen.tables.games, chosen.options), chosen.tables).blind_nil


def decide(call: BlindCall, tables: TableSet) -> BlindDecision:
    """Decide whether to bid blind nil. Without a seed, one is made from the request, the same in every worker."""
    bids, standing, rules, bidder, _, seed = call
    # Level and style apply to a hand, which has not been seen yet.
    policy = with_skill(bidder.policy._replace(level=0, aggression=0.0, nil_bias=0.0))
    if seed is None:
        content = (*bids, *standing, *seed_values(rules), *policy[:_HASHED])
        seed = zlib.crc32(repr(content).encode())
    return decide_blind(bids, standing.us, standing.them, rules, policy, seed, tables)


def answer_body(call: BlindCall, decision: BlindDecision, version: str) -> BlindAnswer:
    """Return the fields of the answer in the contract's order."""
    return {
        "blind_nil": decision.blind_nil,
        "policy": call.bidder.text,
        "tables": version,
        "assumed": call.assumed,
        "explanation": decision.explanation,  # type: ignore[typeddict-item]
    }
