"""The command line: `python -m service serve`, `bid HAND`, `blind`, `pass HAND`, `card HAND`, `inference` and others.

This module holds no game logic and no HTTP. `bid`, `blind`, `pass`, `card` and `inference` build the request that POST
/bid, /v1/bid/blind, /v1/pass, /v1/card or /v1/inference would get, and print its answer. `serve` starts the server.
`key` makes an API key. `tables-version` prints the version of a table set. `work` is internal: `serve --workers` starts
its workers with it. Exit codes: 0 success; 1 the tables, a setting or the address can't be used; 2 wrong arguments or a
request with faults.
"""

import argparse
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from service import __version__, log
from service.address import check_address, check_exposure
from service.breakdown import breakdown
from service.endpoints import searches
from service.keys import new_key
from service.problems import ProblemError
from service.request_arguments import add_fields, request_of
from service.searchers import search_once
from service.settings import Settings, SettingsError, from_environment, not_settings
from service.table_sets import open_one
from service.worker import SupervisorLine
from spades.arguments import decimal, integer, run_command
from spades.contract import examples
from spades.contract.answers import (
    bid_answer,
    blind_nil_answer,
    card_answer,
    decide_blind_nil,
    inference_answer,
    pass_answer,
)
from spades.contract.bid_request import BidRequest, BlindRequest, read_bid, read_blind
from spades.contract.card_request import CardRequest, read_card
from spades.contract.faults import RequestError
from spades.contract.inference_request import InferenceRequest, read_inference
from spades.contract.pass_request import PassRequest, read_pass
from spades.errors import TablesError
from spades.inference import readers_of
from spades.manifest import read_manifest
from spades.set_options import options_of
from spades.tableset import DEFAULT_DIRECTORY


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        options = _parser(given).parse_args(given)
        settings = from_environment()
        if options.command == "key":
            return _key(options)
        if options.command == "tables-version":
            print(read_manifest(options.folder).version)
            return 0
        if options.command not in _ANSWERS:
            return _serve(options, settings)
        answer = _ANSWERS[options.command](_request(options), settings)
        as_text = options.command == "bid" and not options.json
        print(breakdown(answer) if as_text else orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode())
        return 0
    except (ProblemError, RequestError) as refused:
        for fault in refused.faults:
            print(f"service {given[0]}: {fault.pointer}: {fault.detail} ({fault.code})", file=sys.stderr)
        return 2
    except (SettingsError, TablesError) as error:
        if given[0] in ("serve", "work"):
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


class _Request(NamedTuple):
    """The fields of a command's request, and an example of each."""

    model: Any
    example: dict[str, Any]


REQUESTS = {
    "bid": _Request(BidRequest, examples.CUTTHROAT_REQUEST | examples.LEVEL_REQUEST | examples.BRIEF_REQUEST),
    "blind": _Request(BlindRequest, examples.BLIND_REQUEST),
    "pass": _Request(PassRequest, examples.PASS_REQUEST),
    "card": _Request(CardRequest, examples.CARD_REQUEST),
    "inference": _Request(InferenceRequest, examples.INFERENCE_REQUEST | examples.SPECTATOR_REQUEST),
}


def _request(options: argparse.Namespace) -> dict[str, Any]:
    """Return the request that the arguments describe. Default: no previous bids."""
    model = REQUESTS[options.command].model
    request = request_of(options, model)
    if "previous_bids" in model.__annotations__:
        request.setdefault("previous_bids", [])
    return request


def _bid(request: dict[str, Any], settings: Settings) -> Any:
    tables = open_one(settings, request.get("tables"))
    call = read_bid(request, tables.games, options_of(tables))
    return bid_answer(call, tables, tables.version)


def _blind(request: dict[str, Any], settings: Settings) -> Any:
    tables = open_one(settings, request.get("tables"))
    call = read_blind(request, tables.games, options_of(tables))
    return blind_nil_answer(call, decide_blind_nil(call, tables), tables.version)


def _pass(request: dict[str, Any], _: Settings) -> Any:
    return pass_answer(read_pass(request))


def _card(request: dict[str, Any], settings: Settings) -> Any:
    if request.get("player") is None:
        return card_answer(read_card(request))
    tables = open_one(settings, request.get("tables"))
    call = read_card(request, tables.games)
    assert call.search is not None, "the request has a player"
    found = search_once(searches.search_request(call, call.search, tables))
    return searches.answer_body(call, call.search, found, tables.version)


def _inference(request: dict[str, Any], settings: Settings) -> Any:
    call = read_inference(request)
    tables = open_one(settings, request.get("tables"))
    return inference_answer(call, readers_of(tables.arrays), tables.version)


# By command: how its request is answered.
_ANSWERS = {"bid": _bid, "blind": _blind, "pass": _pass, "card": _card, "inference": _inference}


class _Version(argparse.Action):
    """Print the versions of the service and of the shipped tables, and exit."""

    def __init__(self, **options: Any) -> None:
        super().__init__(nargs=0, help="print the versions of the service and of the shipped tables", **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        tables = read_manifest(DEFAULT_DIRECTORY).version
        print(f"spades-bidding-service {__version__}, tables {tables}")
        parser.exit()


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser for ``arguments``; only the command that they name has the options of its request."""
    parser = argparse.ArgumentParser(prog="python -m service", description="Bids in Spades.")
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

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

    version = commands.add_parser("tables-version", help="print the version of a table set, which names its folder")
    version.add_argument("folder", nargs="?", type=Path, default=DEFAULT_DIRECTORY, help="default: the shipped tables")

    described = {
        "bid": "print one bid and how it was made, without a server",
        "blind": "decide whether to bid blind nil; prints JSON",
        "pass": "choose the cards that a nil bidder or partner gives the other; prints JSON",
        "card": "choose the card to play; prints JSON",
        "inference": "say who may hold each unseen card; prints JSON",
    }
    for name, text in described.items():
        command = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        if name not in arguments[:1]:
            continue  # describing a request takes 20 ms
        add_fields(command, *REQUESTS[name], supplied=("previous_bids",))  # by `_request`
        if name == "bid":
            command.add_argument("--json", action="store_true", help="print the answer of POST /v1/bid as JSON")
    return parser


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
    run_command(main)
