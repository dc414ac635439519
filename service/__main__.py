"""The command line of the service: `python -m service serve`, `key` and `tables-version`.

`serve` starts the server. `key` makes an API key. `tables-version` prints the version of a table set. Bids without a
server are `python -m spades bid`. Exit codes: 0 success; 1 the tables, a setting or the address can't be used; 2 wrong
arguments.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from service import __version__, logs
from service.keys import new_key
from service.settings import Settings, SettingsError, from_environment, unknown_settings
from spades.__main__ import main as spades_command
from spades.arguments import decimal, integer, run_command
from spades.errors import TablesError
from spades.manifest import read_manifest
from spades.tableset import DEFAULT_DIRECTORY


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        if given[:1] == ["bid"]:
            return _moved_bid([*given])
        options = _parser().parse_args(given)
        settings = from_environment()
        if options.command == "key":
            return _key(options)
        if options.command == "tables-version":
            print(read_manifest(options.folder).version)
            return 0
        return _serve(options, settings)
    except (SettingsError, TablesError) as error:
        if given[0] == "serve":
            logs.complain("error", str(error))
        else:
            print(f"service: {error}", file=sys.stderr)
        return 1


def _serve(options: argparse.Namespace, settings: Settings) -> int:
    for warning in unknown_settings():
        logs.complain("warning", warning)
    if options.workers == 1:
        # It is for several workers, and prometheus_client reads it when it is imported.
        os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)
    from service.server import serve  # here, because FastAPI takes half a second to import

    return serve(settings, options.host, options.port, options.workers, options.allow_unauthenticated)


def _moved_bid(arguments: list[str]) -> int:
    """Run the library's `bid`, with the names of the options that `python -m service bid` had, for one version."""
    print("python -m service bid is now python -m spades bid, and will be gone in the next version", file=sys.stderr)
    renamed = {"--previous-bids": "--previous", "--legal-bids": "--legal"}
    for index, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        arguments[index] = renamed.get(name, name) + equals + value
    folder = from_environment().tables_dir
    return spades_command(arguments if folder is None else [*arguments, "--tables", str(folder)])


def _key(options: argparse.Namespace) -> int:
    try:
        key = new_key(options.name, options.rate)
    except ValueError as error:
        print(f"service key: {error}", file=sys.stderr)
        return 2
    print(f"for the caller, shown only now: {key.secret}", file=sys.stderr)
    print(key.line)
    return 0


class _Version(argparse.Action):
    """Print the versions of the service and of the shipped tables, and exit."""

    def __init__(self, **options: Any) -> None:
        super().__init__(nargs=0, help="print the versions of the service and of the shipped tables", **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        tables = read_manifest(DEFAULT_DIRECTORY).version
        print(f"spades-bidding-service {__version__}, tables {tables}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m service", description="Bids in Spades over HTTP.")
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

    key = commands.add_parser("key", help="make an API key and its line for SPADES_API_KEYS_FILE")
    key.add_argument("name", help="the caller's name, for the log")
    key.add_argument("--rate", type=decimal, help="bids per second, in each process; default: SPADES_KEY_RATE")

    version = commands.add_parser("tables-version", help="print the version of a table set, which names its folder")
    version.add_argument("folder", nargs="?", type=Path, default=DEFAULT_DIRECTORY, help="default: the shipped tables")

    commands.add_parser("bid", add_help=False, help="now: python -m spades bid")
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
