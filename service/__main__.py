"""The command line: `python -m service serve`, `bid HAND`, `blind`, `pass HAND`, `card HAND`, `inference`, `key NAME`.

This module holds no game logic and no HTTP. `bid`, `blind`, `pass`, `card` and `inference` build the request that POST
/bid, /v1/bid/blind, /v1/pass, /v1/card or /v1/inference would get, and print its answer. `serve` starts the server.
`key` makes an API key. `work` is internal: `serve --workers` starts its workers with it. Exit codes: 0 success; 1 the
tables, a setting or the address can't be used; 2 wrong arguments or a request with faults.
"""

import argparse
import os
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson
from pydantic import TypeAdapter

from service import log
from service.address import check_address, check_exposure
from service.api import blind, card, inference, passing
from service.api.bid import answer_body, decide_call
from service.arguments import rule
from service.bidding.errors import TablesError
from service.bidding.inference.inference import readers_of
from service.bidding.numerals import decimal, integer
from service.breakdown import breakdown
from service.contract.card import CardRequest, read_card
from service.contract.inference import InferenceRequest, read_inference
from service.contract.request import BidRequest, BlindRequest, PassRequest, read_bid, read_blind, read_pass
from service.contract.rules import RuleSet
from service.contract.scores import Scores
from service.keys import new_key
from service.problems import ProblemError
from service.settings import Settings, SettingsError, from_environment, not_settings
from service.table_sets import open_one
from service.worker import SupervisorLine


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        settings = from_environment()
        if options.command == "bid":
            return _bid(options, settings)
        if options.command == "blind":
            return _blind(options, settings)
        if options.command == "pass":
            return _pass(options)
        if options.command == "card":
            return _card(options)
        if options.command == "inference":
            return _inference(options, settings)
        if options.command == "key":
            return _key(options)
        return _serve(options, settings)
    except ProblemError as refused:
        for fault in refused.faults:
            print(f"service {options.command}: {fault.pointer}: {fault.detail} ({fault.code})", file=sys.stderr)
        return 2
    except (SettingsError, TablesError) as error:
        if options.command in ("serve", "work"):
            log.complain("error", str(error))
        else:
            print(f"service: {error}", file=sys.stderr)
        return 1


def _serve(options: argparse.Namespace, settings: Settings) -> int:
    """Run `serve`, or `work`: a worker that `serve --workers` has started."""
    if options.command == "serve":
        for name in not_settings():
            log.complain(
                "warning", f"{name} is set, but there is no such setting; docs/reference/settings.md lists them"
            )
        check_exposure(settings, options.host, options.allow_unauthenticated)
        check_address(options.host, options.port)
    from service.metrics_directory import membership
    from service.server import serve  # here, because FastAPI takes half a second to import

    if options.command == "work":
        directory = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])
        supervisor = SupervisorLine(options.supervisor, options.ready)
        with socket.socket(fileno=options.descriptor) as listener, membership(directory, supervisor.pid):
            return serve(settings, "", 0, listener, supervisor)
    if options.workers == 1:
        return serve(settings, options.host, options.port)
    from service.supervisor import supervise

    return supervise(settings, options.host, options.port, options.workers)


def _key(options: argparse.Namespace) -> int:
    try:
        key = new_key(options.name, options.rate)
    except ValueError as error:
        print(f"service key: {error}", file=sys.stderr)
        return 2
    print(f"for the caller, shown only now: {key.secret}", file=sys.stderr)
    print(key.line)
    return 0


def request_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the request that the arguments describe.

    An argument that was not given is left out of the request, so that the answer lists it under `assumed`.
    """
    previous = [bid.strip() for bid in options.previous.split(",")] if options.previous.strip() else []
    given = {name: value for name, value in vars(options).items() if value is not None}
    fields = BidRequest if options.command == "bid" else BlindRequest
    request: dict[str, Any] = {"previous_bids": previous, "seat": len(previous)}
    request |= {name: given[name] for name in fields.__annotations__ if name in given}
    return request | _scores_of(options) | _rules_of(options)


def _scores_of(options: argparse.Namespace) -> dict[str, Any]:
    given = vars(options)
    scores = {name: given[name] for name in Scores.__annotations__ if given.get(name) is not None}
    return {"scores": scores} if scores else {}


def _rules_of(options: argparse.Namespace) -> dict[str, Any]:
    rules = {"preset": options.preset} if options.preset is not None else {}
    rules |= dict(options.rule)
    return {"rules": rules} if rules else {}


def _bid(options: argparse.Namespace, settings: Settings) -> int:
    request = request_of(options)
    tables = open_one(settings, request.get("tables"))
    call = read_bid(request, tables.games)
    decision = decide_call(call, tables, call.explain)
    answer = answer_body(call, decision, tables.version)
    if options.json:
        print(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode())
    else:
        print(breakdown(answer))
    return 0


def _blind(options: argparse.Namespace, settings: Settings) -> int:
    request = request_of(options)
    tables = open_one(settings, request.get("tables"))
    call = read_blind(request, tables.games)
    answer = blind.answer_body(call, blind.decide(call, tables), tables.version)
    print(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode())
    return 0


def _pass(options: argparse.Namespace) -> int:
    request: dict[str, Any] = {"hand": options.hand, "bids": options.bids, "seat": options.seat}
    if options.received is not None:
        request["received"] = options.received
    answer = passing.answer_body(read_pass(request | _rules_of(options)))
    print(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode())
    return 0


def _card(options: argparse.Namespace) -> int:
    request: dict[str, Any] = {"hand": options.hand, "bids": options.bids, "seat": options.seat}
    request |= {name: getattr(options, name) for name in ("tricks", "given", "received") if getattr(options, name)}
    answer = card.answer_body(read_card(request | _scores_of(options) | _rules_of(options)))
    print(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode())
    return 0


def _inference(options: argparse.Namespace, settings: Settings) -> int:
    given = vars(options)
    request = {name: given[name] for name in InferenceRequest.__annotations__ if given.get(name) is not None}
    call = read_inference(request | _scores_of(options) | _rules_of(options))
    tables = open_one(settings, request.get("tables"))
    answer = orjson.loads(b"".join(inference.parts(call, readers_of(tables.arrays), tables.version)))
    print(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m service", description="Bids in Spades.")
    commands = parser.add_subparsers(dest="command", required=True)

    serve = commands.add_parser("serve", help="answer over HTTP")
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=_port, default=8080)
    serve.add_argument("--workers", type=_workers, default=1, help="processes; better: one process, more containers")

    serve.add_argument(
        "--allow-unauthenticated",
        action="store_true",
        help="accept connections from other machines although no API keys are set",
    )
    work = commands.add_parser("work")
    work.add_argument("--descriptor", type=integer, required=True)
    work.add_argument("--supervisor", type=integer, required=True)
    work.add_argument("--ready", type=integer, required=True)

    key = commands.add_parser("key", help="make an API key and its line for SPADES_API_KEYS_FILE")
    key.add_argument("name", help="the caller's name, for the log")
    key.add_argument("--rate", type=decimal, help="bids per second, in each process; default: SPADES_KEY_RATE")

    bid = commands.add_parser("bid", help="print one bid and how it was made, without a server")
    bid_hand = "13 cards as spades.hearts.diamonds.clubs, such as AKJ62.AQ.Q.K9543"
    bid.add_argument("hand", help=bid_hand)
    unseen = commands.add_parser("blind", help="decide whether to bid blind nil; prints JSON")
    for command, model in ((bid, BidRequest), (unseen, BlindRequest)):
        previous = "the bids so far, in bidding order, such as 3,nil"
        command.add_argument("--previous", default="", metavar="BIDS", help=previous)
        scores = ("us", "them", "us_bags", "them_bags")
        _add(command, Scores, dict.fromkeys(scores, integer))
        _add_rules(command)
        _add(command, model, {"policy": str, "seed": integer, "tables": str})
    _add(bid, Scores, {"seats": _numbers, "bags": _numbers}, metavar="N,N,N,N")
    _add(bid, BidRequest, {"level": integer})
    _add(bid, BidRequest, {"style": _style, "players": _players}, metavar="NAME=VALUE,...")
    bid.add_argument("--json", action="store_true", help="print the answer of POST /bid as JSON")

    giver = commands.add_parser("pass", help="choose the cards to give beside a nil; prints JSON")
    player = commands.add_parser("card", help="choose the card to play; prints JSON")
    for command in (giver, player):
        command.add_argument("hand", help=bid_hand)
        command.add_argument("--bids", type=_words, required=True, metavar="BIDS", help="all four, such as nil,4,5,3")
        place = "the place of the hand in the bidding order, 0 to 3"
        command.add_argument("--seat", type=integer, required=True, help=place)
        _add_rules(command)
    _add(giver, PassRequest, {"received": _words}, metavar="CARDS")
    _add(player, CardRequest, {"given": _words, "received": _words}, metavar="CARDS")
    so_far = "the tricks so far, in order of play, such as KD-2D-QD-6D,4H-5H"
    player.add_argument("--tricks", type=_tricks, metavar="TRICKS", help=so_far)
    viewer = commands.add_parser("inference", help="say who may hold each unseen card; prints JSON")
    viewer.add_argument("hand", nargs="?", help=f"{bid_hand}; left out for a spectator")
    made = "the bids so far, in bidding order, such as 3,nil"
    viewer.add_argument("--bids", type=_words, required=True, metavar="BIDS", help=made)
    _add_rules(viewer)
    _add(viewer, InferenceRequest, {"seat": integer, "policy": str, "deals": integer, "seed": integer, "tables": str})
    _add(viewer, InferenceRequest, {"given": _words, "received": _words}, metavar="CARDS")
    _add(viewer, InferenceRequest, {"played": _by_seat, "voids": _by_seat}, metavar="SEAT=ITEM-ITEM,...")
    for command in (player, viewer):
        _add(command, Scores, dict.fromkeys(("us", "them", "us_bags", "them_bags"), integer))
        _add(command, Scores, {"seats": _numbers, "bags": _numbers}, metavar="N,N,N,N")
    return parser


def _add_rules(command: argparse.ArgumentParser) -> None:
    _add(command, RuleSet, {"preset": str})
    change = "change one rule of the preset, such as nil_pass=2; can be repeated"
    command.add_argument("--rule", type=rule, action="append", default=[], metavar="NAME=VALUE", help=change)


def _add(
    command: argparse.ArgumentParser, model: Any, fields: dict[str, Callable[[str], Any]], metavar: str | None = None
) -> None:
    """Add an option for each of ``fields`` of the contract model ``model``; its help is the field's description."""
    described = TypeAdapter(model).json_schema()["properties"]
    for name, read in fields.items():
        text = described[name]["description"].replace("%", "%%")
        command.add_argument(f"--{name.replace('_', '-')}", type=read, metavar=metavar, help=text)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


def _tricks(text: str) -> list[list[str]]:
    return [[card.strip() for card in trick.split("-")] for trick in text.split(",")] if text.strip() else []


def _by_seat(text: str) -> dict[str, list[str]]:
    """Return the lists of an object by seat, as in 0=KD-4H,1=2D."""
    found: dict[str, list[str]] = {}
    for part in text.split(",") if text.strip() else ():
        seat, equals, items = part.strip().partition("=")
        if not equals or seat in found:
            detail = f"{part!r}: accepted: each seat once, as in 0=KD-4H,1=2D"
            raise argparse.ArgumentTypeError(detail)
        found[seat] = [item.strip() for item in items.split("-") if item.strip()]
    return found


def _numbers(text: str) -> list[int]:
    try:
        return [integer(number) for number in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}; accepted: four numbers such as 120,95,40,60") from None


def _style(text: str) -> dict[str, float]:
    try:
        return {name: decimal(value) for name, _, value in (part.partition("=") for part in text.split(","))}
    except ValueError:
        expected = "names with numbers such as aggression=0.5,nil_bias=-0.3"
        raise argparse.ArgumentTypeError(f"found {text!r}; accepted: {expected}") from None


def _players(text: str) -> dict[str, str]:
    return {place: kind for place, _, kind in (part.partition("=") for part in text.split(","))}


def _port(text: str) -> int:
    return _between(text, 0, 65_535)


def _workers(text: str) -> int:
    return _between(text, 1, 64)


def _between(text: str, low: int, high: int) -> int:
    try:
        number = integer(text)
    except ValueError:
        number = low - 1
    if not low <= number <= high:
        raise argparse.ArgumentTypeError(f"found {text!r}; accepted: {low}..{high}")
    return number


if __name__ == "__main__":
    sys.exit(main())
