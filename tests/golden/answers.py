"""Present answers to the positions, by the library's readers."""

from spades.contract.bid_request import bid_answer, blind_answer, decide_blind_bid, read_bid, read_blind
from spades.contract.card_request import card_answer, read_card
from spades.contract.faults import RequestError
from spades.contract.inference_request import read_inference
from spades.contract.pass_request import pass_answer, read_pass
from spades.tableset import TableSet
from tests.golden.positions import MAIN_FIELDS, Values, requests_of


def answer_to(path: str, request: Values, tables: TableSet) -> Values:
    """Answer a request as the service does, or return `errors`: the pointer and code of each fault."""
    try:
        if path == "/v1/bid":
            return {**bid_answer(read_bid(request, tables.games), tables, tables.version)}
        if path == "/v1/bid/blind":
            call = read_blind(request, tables.games)
            return {**blind_answer(call, decide_blind_bid(call, tables), tables.version)}
        if path == "/v1/card":
            return {**card_answer(read_card(request, tables.games), tables)}
        if path == "/v1/pass":
            return {**pass_answer(read_pass(request))}
        assert path == "/v1/inference", f"path is {path}; accepted: those of the positions' requests"
        read_inference(request)
        return {}
    except RequestError as error:
        return {"errors": [[fault.pointer, fault.code] for fault in error.faults]}


def present(position: Values, tables: TableSet) -> Values:
    """Return a position with its present answers."""
    requests = [{"explain": False, **one} if position["path"] == "/v1/bid" else one for one in requests_of(position)]
    found = [answer_to(position["path"], one, tables) for one in requests]
    if "answers" in position:
        return {**position, "answers": dict(zip(position["answers"], (one["bid"] for one in found), strict=True))}
    fields = {name: value for name, value in found[0].items() if name in (*MAIN_FIELDS, "errors")}
    return {**position, "answer": fields}
