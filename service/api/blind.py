"""POST /v1/bid/blind: before the hand is seen, blind nil or look?

The request is that of one bid without what belongs to a hand; it is read by the same two readers with a hand put in,
so that both endpoints refuse the same faults. Answered, as /v1/bids is, before FastAPI's stack
(docs/adr/0005-hot-path.md).
"""

import zlib
from time import perf_counter
from typing import Any

import orjson

from service.api.bid import parsed, refused
from service.api.faults import MAX_KEYS, faults_of
from service.api.json_limits import SINGLE_LIMITS
from service.api.requests import BidCall, read_fast
from service.api.state import State
from service.bidding.bis.blind_decision import BlindDecision, decide_blind
from service.bidding.game.rules import seed_values
from service.bidding.policies import Policy, with_skill
from service.bidding.tableset import TableSet
from service.bidding.winprob.games import SHIPPED, Games
from service.problems import Fault, pointer

OF_A_HAND = ("hand", "legal_bids", "explain", "level", "style")  # fields of POST /bid that this request has not
_HASHED = Policy._fields.index("level")  # fields of a policy before those of levels: a request keeps its lot
_ANY_HAND = "..AKQJT98765432."  # in every deck, and of a length in spades that no auction rules out


def blind(state: State, tables: TableSet, body: bytes) -> bytes:
    """The answer's JSON; raise `ProblemError` for anything else."""
    data = parsed(state, body, SINGLE_LIMITS)
    call = read_blind(data, tables.games)
    if call is None:
        raise refused(state, blind_faults(data, tables.games))
    started = perf_counter()
    decision = decide(call, data.get("seed"), tables)
    seconds = perf_counter() - started
    if decision.blind_nil:
        state.metrics.decided((("blind_nil", call.base, call.convention), seconds))
    else:
        state.metrics.decisions[call.base].observe(seconds)  # no bid yet
    return orjson.dumps(answer_body(call, decision, tables.version))


def read_blind(data: Any, games: Games = SHIPPED) -> BidCall | None:
    """The call that ``data`` makes (its hand means nothing), or None at any doubt; then ask `blind_faults`."""
    if type(data) is not dict or any(field in data for field in OF_A_HAND):
        return None
    call = read_fast({**data, "hand": _ANY_HAND}, games)
    if call is None or not call.policy.level:
        return call
    # A level or a style is about the hand, which nobody has seen.
    assumed = [field for field in call.assumed if field != "seed"]
    return call._replace(
        policy=with_skill(call.policy._replace(level=0, aggression=0.0, nil_bias=0.0)), assumed=assumed
    )


def blind_faults(data: Any, games: Games = SHIPPED) -> list[Fault]:
    """Every fault of a request that `read_blind` gave up on."""
    if type(data) is not dict or len(data) > MAX_KEYS:
        return faults_of(data, games)
    detail = "is no field of this request: a blind nil is bid before the hand is seen"
    strays = [Fault(pointer(field), "unknown-field", f"{field} {detail}") for field in OF_A_HAND if field in data]
    rest = {field: value for field, value in data.items() if field not in OF_A_HAND}
    return strays + faults_of({**rest, "hand": _ANY_HAND}, games)


def decide(call: BidCall, seed: int | None, tables: TableSet) -> BlindDecision:
    """Look or blind nil; where ``seed`` is None the lot follows from the request, on every worker the same."""
    at = call.position
    if seed is None:
        content = (*at.bids, at.us, at.them, at.us_bags, at.them_bags, *seed_values(at.rules), *call.policy[:_HASHED])
        seed = zlib.crc32(repr(content).encode())
    return decide_blind(at.bids, at.us, at.them, at.rules, call.policy, seed, tables)


def answer_body(call: BidCall, decision: BlindDecision, version: str) -> dict[str, Any]:
    """The answer's fields in the contract's order."""
    return {
        "blind_nil": decision.blind_nil,
        "policy": call.policy_text,
        "tables": version,
        "assumed": call.assumed,
        "explanation": decision.explanation,
    }
