"""The command line of the library: `python -m spades bid HAND`, `card HAND`, `pass`, `blind`, `infer`, `review FILE`.

`bid` and `card` take a position as options and print text, or JSON with --json. The first five commands read a whole
request as JSON from standard input, as POST /v1/bid, /v1/card, /v1/pass, /v1/bid/blind and /v1/inference get it, and
print the answer as JSON. `review` reads a finished round from a file, as POST /v1/review gets it, and prints text. Exit
codes: 0 success; 1 the tables can't be used, or pydantic is missing; 2 wrong arguments, or a request with faults.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from spades import __version__
from spades.arguments import decimal, integer, rule, run_command
from spades.errors import TablesError
from spades.manifest import read_manifest
from spades.options import CONVENTIONS
from spades.round_review import review_bids_and_passes
from spades.set_options import options_of
from spades.tableset import DEFAULT_DIRECTORY, TableSet, open_tables

try:
    from spades.contract.answer_text import bid_text, card_text, review_text
    from spades.contract.bid_request import bid_answer, blind_answer, decide_blind_bid, read_bid, read_blind
    from spades.contract.card_request import BEST, card_answer, read_card
    from spades.contract.faults import Fault, RequestError
    from spades.contract.fields import POLICIES, unknown_tables
    from spades.contract.inference_request import inference_answer, read_inference
    from spades.contract.pass_request import pass_answer, read_pass
    from spades.contract.review_request import read_review, review_answer
except ModuleNotFoundError as missing:
    if missing.name != "pydantic":
        raise
    sys.exit("python -m spades needs pydantic, the library's extra `json`: pip install pydantic")

BID: Final = "bid"
CARD: Final = "card"
REVIEW: Final = "review"


# ---- options ---------------------------------------------------------------------------------------------------------


def bids(text: str) -> list[int | str]:
    """Read bids with commas between them; nil and blind_nil stay words.

    >>> bids("3,nil,1"), bids("")
    ([3, 'nil', 1], [])
    """
    return [word if word[:1].isalpha() else integer(word) for word in words(text)]


def numbers(text: str) -> list[int]:
    """Read numbers with commas between them."""
    return [integer(word) for word in words(text)]


def words(text: str) -> list[str]:
    """Read words with commas between them, such as cards."""
    return [word.strip() for word in text.split(",")] if text.strip() else []


def tricks(text: str) -> list[list[str]]:
    """Read tricks with commas between them, and minus signs between their cards.

    >>> tricks("KD-2D-QD-6D,4H-5H")
    [['KD', '2D', 'QD', '6D'], ['4H', '5H']]
    """
    return [[card.strip() for card in trick.split("-")] for trick in words(text)]


class Option(NamedTuple):
    """An option of `bid` or `card`, and the field of the request that it gives."""

    name: str
    field: str  # with a dot: of an object in the request
    read: Callable[[str], Any]
    metavar: str
    help: str
    command: str = ""  # "": both
    required: bool = False


OPTIONS: Final = (
    Option("--previous", "previous_bids", bids, "A,B,C", "the bids before yours, such as 3,nil; default: none", BID),
    Option("--bids", "bids", bids, "A,B,C,D", "the four bids, first bidder first, such as 3,1,5,nil", CARD, True),
    Option("--seat", "seat", integer, "N", "your place in the bidding order, 0 to 3", CARD, True),
    Option("--tricks", "tricks", tricks, "A-B-C-D,...", "the cards played so far, such as KD-2D-QD-6D,4H-5H", CARD),
    Option("--given", "given", words, "A,B", "the cards that you gave to your partner after the bidding", CARD),
    Option("--received", "received", words, "A,B", "the cards that your partner gave to you", CARD),
    Option("--us", "scores.us", integer, "POINTS", "the points of your side before the round; default: 0"),
    Option("--them", "scores.them", integer, "POINTS", "the points of the other side; default: 0"),
    Option("--us-bags", "scores.us_bags", integer, "N", "the bags of your side since the last penalty; default: 0"),
    Option("--them-bags", "scores.them_bags", integer, "N", "the bags of the other side; default: 0"),
    Option("--seats", "scores.seats", numbers, "A,B,C,D", "cutthroat: the points of the four seats"),
    Option("--bags", "scores.bags", numbers, "A,B,C,D", "cutthroat: the bags of the four seats"),
    Option("--policy", "policy", str, "POLICY", f"who bids: {', '.join(POLICIES)}, with options or without", BID),
    Option("--convention", "convention", str, "NAME", f"of you and your partner: {', '.join(CONVENTIONS)}", BID),
    Option("--level", "level", integer, "N", "1 (weak) to 5 (full strength); default: 5"),
    Option("--aggression", "style.aggression", decimal, "X", "bid fewer (-1) or more (1) tricks; default: 0", BID),
    Option("--nil-bias", "style.nil_bias", decimal, "X", "bid fewer (-1) or more (1) nils; default: 0", BID),
    Option("--left", "players.left", str, "KIND", "how the player on your left bids, such as weak", BID),
    Option("--partner", "players.partner", str, "KIND", "how your partner bids", BID),
    Option("--right", "players.right", str, "KIND", "how the player on your right bids", BID),
    Option("--legal", "legal_bids", bids, "A,B,...", "bid one of these; default: any bid that the rules allow", BID),
    Option("--seed", "seed", integer, "N", "of the random numbers of a level below 5"),
)


def add_options(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the hand and the `OPTIONS` of ``command``."""
    parser.add_argument(
        "hand",
        nargs="?",
        default="-",
        metavar="HAND",
        help="13 cards: spades.hearts.diamonds.clubs, such as AKJ62.AQ.Q.K9543, or AS,KS,...; "
        "left out or -: read the whole request from standard input",
    )
    for option in OPTIONS:
        if option.command in ("", command):
            parser.add_argument(
                option.name, dest=option.field, type=option.read, metavar=option.metavar, help=option.help
            )
    parser.add_argument("--preset", metavar="NAME", help="the rules, such as classic, short or cutthroat")
    parser.add_argument(
        "--rule",
        type=rule,
        action="append",
        metavar="NAME=VALUE",
        help="change one rule of the preset, such as nil_pass=2; can be repeated",
    )
    parser.add_argument("--json", action="store_true", default=None, help="print the whole answer as JSON")


def request_from(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the request that the options of `bid` or `card` give."""
    given = {name: value for name, value in vars(arguments).items() if value is not None}
    hand = arguments.hand
    request: dict[str, Any] = {"hand": words(hand) if "," in hand else hand}
    if arguments.command == BID:
        request["previous_bids"] = []
    for option in OPTIONS:
        if option.field in given:
            parent, _, name = option.field.rpartition(".")
            (request.setdefault(parent, {}) if parent else request)[name] = given[option.field]
    rules = ({"preset": given["preset"]} if "preset" in given else {}) | dict(given.get("rule", ()))
    return request | ({"rules": rules} if rules else {})


# ---- standard input, or a file ---------------------------------------------------------------------------------------


class InputError(Exception):
    """The file can't be read, or a file or standard input is not one JSON value."""


def request_in(file: str) -> Any:
    """Return the JSON value in a file; -: on standard input."""
    name = "standard input" if file == "-" else file
    try:
        text = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise InputError(f"{file} can't be read: {error.strerror}; accepted: a file with a JSON object") from None
    if not text.strip():
        raise InputError(f"{name} is empty; accepted: one request as a JSON object")
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is not JSON: {error}; accepted: one request as a JSON object") from None


def _no_constant(text: str) -> None:
    raise ValueError(f"found {text}")


# ---- commands --------------------------------------------------------------------------------------------------------


def _bid(request: Any, tables: TableSet) -> Mapping[str, Any]:
    return bid_answer(read_bid(request, tables.games, options_of(tables)), tables, tables.version)


def _blind(request: Any, tables: TableSet) -> Mapping[str, Any]:
    call = read_blind(request, tables.games, options_of(tables))
    return blind_answer(call, decide_blind_bid(call, tables), tables.version)


def _card(request: Any, tables: TableSet) -> Mapping[str, Any]:
    call = read_card(request, tables.games)
    if call.search is not None and call.search.required:
        detail = f"player is {call.search.player}, which only a server plays; accepted: {BEST}"
        raise RequestError([Fault("/player", "unsupported-player", detail)])
    return card_answer(call, tables, "no-processes" if call.search is not None else call.not_searched)


def _pass(request: Any, _: TableSet) -> Mapping[str, Any]:
    return pass_answer(read_pass(request))


def _infer(request: Any, tables: TableSet) -> Mapping[str, Any]:
    return inference_answer(read_inference(request), tables.readers, tables.version)


def _review(request: Any, tables: TableSet) -> Mapping[str, Any]:
    call = read_review(request, tables.games, options_of(tables))
    choices = review_bids_and_passes(call.played, call.judge, tables)
    return review_answer(call, choices, "no-processes", tables.version)


class Command(NamedTuple):
    """A command: what it does, how it answers a request, and how it writes the answer as text."""

    help: str
    answer: Callable[[Any, TableSet], Mapping[str, Any]]
    text: Callable[[Mapping[str, Any]], str] | None = None  # None: it prints JSON only


COMMANDS: Final = {
    BID: Command("bid for a hand, and say why", _bid, bid_text),
    CARD: Command("choose the card to play, and say why", _card, card_text),
    "pass": Command("choose the cards that a nil bidder or partner gives the other", _pass),
    "blind": Command("decide whether to bid blind, before the hand is seen", _blind),
    "infer": Command("say who may hold each card that a player cannot see", _infer),
    REVIEW: Command("say what each bid and each pass of a finished round cost", _review, review_text),
}
_EXAMPLES: Final = {
    BID: "examples:\n"
    "  python -m spades bid AKJ62.AQ.Q.K9543 --previous 3,1 --us 120 --them 95\n"
    "  python -m spades bid < request.json",
    CARD: "examples:\n"
    "  python -m spades card AKJ62.AQ.Q.K9543 --bids 3,1,5,4 --seat 2 --tricks KD-2D\n"
    "  python -m spades card < request.json",
    "pass": """example:
  echo '{"hand": "K83.T64.9732.J64", "bids": [0, 4, 5, 3], "seat": 0, "rules": {"preset": "pass-2"}}' |
    python -m spades pass""",
    "blind": """example:
  echo '{"previous_bids": [4, 4, 3], "rules": {"preset": "blind-nil"}}' | python -m spades blind""",
    "infer": """example:
  echo '{"hand": "AKJ62.AQ.Q.K9543", "bids": [3, 1], "seat": 2}' | python -m spades infer""",
    REVIEW: "example:\n  python -m spades review round.json",
}


_USAGES: Final = {BID: ("HAND [options]", "< REQUEST"), CARD: ("HAND [options]", "< REQUEST"), REVIEW: ("FILE",)}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m spades",
        description="Bids, cards and probabilities in the card game Spades.",
        epilog="`python -m spades COMMAND --help` has an example of each command. docs/reference/http.md describes the "
        "fields of a request.",
    )
    parser.add_argument("--version", action="store_true", help="print the versions of the library and of its tables")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, command in COMMANDS.items():
        text = f"{command.help[0].upper()}{command.help[1:]}."
        if name == REVIEW:
            text += " Cards are reviewed by a server only."
        elif command.text is None:
            text += " The request comes as JSON on standard input."
        added = commands.add_parser(
            name,
            help=command.help,
            description=text,
            usage="\n       ".join(f"python -m spades {name} {what}" for what in _USAGES.get(name, ("< REQUEST",))),
            epilog=_EXAMPLES[name],
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if name == REVIEW:
            added.add_argument(
                "file", metavar="FILE", help="a round as JSON, as for POST /v1/review; -: standard input"
            )
            added.add_argument("--json", action="store_true", help="print the whole answer as JSON")
        elif command.text is None:
            added.add_argument("hand", nargs="?", choices=["-"], default="-", metavar="-", help="standard input")
        else:
            add_options(added, name)
        added.add_argument(
            "--tables", type=Path, default=DEFAULT_DIRECTORY, metavar="FOLDER", help="default: the library's own tables"
        )
        added.set_defaults(parser=added)
    return parser


def _request(arguments: argparse.Namespace) -> Any:
    """Return the request from the options or from standard input; exit if options are missing or too many."""
    if arguments.command == REVIEW:
        return request_in(arguments.file)
    parser: argparse.ArgumentParser = arguments.parser
    given = vars(arguments)
    options = [option for option in OPTIONS if option.command in ("", arguments.command)]
    if arguments.hand != "-":
        for option in options:
            if option.required and given[option.field] is None:
                parser.error(f"{option.name} is missing; accepted: {option.help}")
        return request_from(arguments)
    names = [option.name for option in options if given.get(option.field) is not None]
    names += [f"--{name}" for name in ("preset", "rule") if given.get(name) is not None]
    if names:
        parser.error(f"{names[0]} is present, but no HAND; accepted: HAND with options, or a request on standard input")
    if sys.stdin.isatty():
        what = "HAND, or " if COMMANDS[arguments.command].text is not None else ""
        parser.error(f"the request is missing; accepted: {what}a request as JSON on standard input")
    return request_in("-")


def _checked_tables(request: Any, tables: TableSet) -> None:
    """Refuse a request that names other tables than the open ones."""
    version = request.get("tables") if isinstance(request, dict) else None
    if isinstance(version, str) and version != tables.version:
        raise RequestError([unknown_tables(version, [tables.version])])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        if options.version:
            print(f"spades-bidding {__version__}, tables {read_manifest(DEFAULT_DIRECTORY).version}")
            return 0
        if options.command is None:
            parser.error(f"the command is missing; accepted: {', '.join(COMMANDS)}")
        command = COMMANDS[options.command]
        request = _request(options)
        tables = open_tables(options.tables)
        _checked_tables(request, tables)
        answer = command.answer(request, tables)
    except RequestError as refused:
        for fault in refused.faults:
            where = f"{fault.pointer}: " if fault.pointer else ""
            print(f"python -m spades {options.command}: {where}{fault.detail}", file=sys.stderr)
        return 2
    except InputError as error:
        print(f"python -m spades {options.command}: {error}", file=sys.stderr)
        return 2
    except TablesError as error:
        print(f"python -m spades: {error}", file=sys.stderr)
        return 1
    if command.text is None or options.json or getattr(options, "hand", None) == "-":
        print(json.dumps(answer, indent=2, ensure_ascii=False))
    else:
        print(command.text(answer))
    return 0


if __name__ == "__main__":
    run_command(main)
