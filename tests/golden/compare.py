"""`make same-answers [BASE=<commit>]`: does the working tree answer as that commit does?

Starts the services of both trees, sends both the same requests (`requests`), and compares:

- the status, and all headers but for the values of `FREE_HEADERS`;
- of an answer its whole JSON; of an error its type, and the pointer and code of each fault, in order.

Not compared: texts of errors, and the contents of /docs, /, /metrics and /openapi.json. The exit code is 0 for the same
answers, 1 for differences, 2 if the comparison could not run.
"""

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from tests.golden.matches import differences_of_matches
from tests.golden.positions import Values, read_positions
from tests.golden.requests import BATCHES, Documents, Source, batch_of, batches, body_of, read_documents
from tests.golden.services import (
    ROOT,
    Answer,
    Connection,
    Request,
    TreeError,
    both_services,
    checked_out,
    default_base,
    git,
)

FREE_HEADERS = ("date", "content-length", "x-request-id", "etag", "last-modified")
FREE_BODIES = ("/", "/docs", "/metrics", "/openapi.json")
_MISSING = "(missing)"


class Difference(NamedTuple):
    """One place in which two answers differ. ``kind``: what the report groups by; ``ask``: a command that shows it."""

    kind: str
    base: Any
    new: Any
    ask: str


def differences_of(request: Request, base: Answer, new: Answer, items: Sequence[Request] = ()) -> list[Difference]:
    """Return the differences between two answers; ``items``: the requests in a batch."""
    route = f"{request.method} {request.path.partition('?')[0]}"
    answers = [_items(answer) for answer in (base, new)]
    alone = len(items) == len(answers[0]) == len(answers[1]) > 0
    places = _places(request, base, new, whole=not alone)
    found = [Difference(f"{route}: {where}", old, now, request.curl()) for where, old, now in places]
    for item, one_base, one_new in zip(items, *answers, strict=True) if alone else ():
        item = item._replace(path=request.path, body=batch_of([item]))
        found += [
            one._replace(kind=one.kind.replace(route, f"{route}, an item"))
            for one in differences_of(item, one_base, one_new)
        ]
    return found


def _items(answer: Answer) -> list[Answer]:
    """Return the answers in the answer to a batch; none if it has another form."""
    items = answer.json.get("answers", []) if isinstance(answer.json, dict) else []
    return [Answer(item["status"], {}, body_of(item["body"])) for item in items if item.keys() == {"status", "body"}]


def _places(request: Request, base: Answer, new: Answer, whole: bool) -> Iterator[tuple[str, Any, Any]]:
    codes = " ".join(sorted({code for _, code in {*_faults(base)} ^ {*_faults(new)}}))
    if base.status != new.status:
        yield f"status {base.status} to {new.status} {codes}".strip(), _shown(base), _shown(new)
        return
    for name in sorted(base.headers.keys() | new.headers.keys()):
        found = base.headers.get(name, _MISSING), new.headers.get(name, _MISSING)
        if found[0] != found[1] and (name not in FREE_HEADERS or _MISSING in found):
            yield f"header {name}", *found
    if not whole or base.body == new.body or request.path in FREE_BODIES:
        return
    if base.status >= 400 and isinstance(base.json, dict) and isinstance(new.json, dict):
        if base.json.get("type") != new.json.get("type"):
            yield "/type", base.json.get("type"), new.json.get("type")
        if _faults(base) != _faults(new):
            yield f"/errors {codes or 'in another order'}", _faults(base), _faults(new)
    else:
        yield from places_of(base.json, new.json)


def _faults(answer: Answer) -> list[tuple[str, str]]:
    errors = answer.json.get("errors", []) if isinstance(answer.json, dict) else []
    return [(error["pointer"], error["code"]) for error in errors]


def _shown(answer: Answer) -> Any:
    return _faults(answer) or (answer.json.get("type") or answer.json if isinstance(answer.json, dict) else answer.json)


def places_of(base: Any, new: Any, where: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where two JSON values differ, without indices. 1, 1.0 and true are different; the order of members is free.

    >>> list(places_of({"a": [1, 2], "b": 1}, {"b": 1.0, "a": [1, 3]}))
    [('/a/#', 2, 3), ('/b', 1, 1.0)]
    """
    if isinstance(base, dict) and isinstance(new, dict):
        for name in [*base, *(name for name in new if name not in base)]:
            yield from places_of(base.get(name, _MISSING), new.get(name, _MISSING), f"{where}/{name}")
    elif isinstance(base, list) and isinstance(new, list) and len(base) == len(new):
        for pair in zip(base, new, strict=True):
            yield from places_of(*pair, f"{where}/#")
    elif type(base) is not type(new) or base != new:
        yield where or "(the whole answer)", base, new


def compare_services(ports: tuple[int, int], positions: Sequence[Values], count: int, seed: int) -> list[Difference]:
    """Send the requests to both services and return the differences; print what was asked."""
    documents = read_documents(ports[0])
    connections = [Connection(port) for port in ports]
    found: list[Difference] = []
    asked: list[tuple[Request, Answer]] = []

    def ask(request: Request, items: Sequence[Request] = ()) -> None:
        for connection in connections:  # both before their answers, so that the services work at the same time
            connection.send(request)
        base, new = (connection.receive() for connection in connections)
        found.extend(differences_of(request, base, new, items))
        asked.append((request, base))

    for request in tqdm(list(Source(positions, documents, seed).requests(count)), "requests", disable=None):
        ask(request)
    for request, items in tqdm(list(batches(asked, list(BATCHES))), "batches", disable=None):
        ask(request, items)
    print_coverage(asked, documents)
    return found


def print_coverage(asked: Sequence[tuple[Request, Answer]], documents: Documents) -> None:
    """Print how many requests of each path and status there were, and what none of them covered."""
    posted = [(request.path.partition("?")[0], answer.status) for request, answer in asked if request.method == "POST"]
    counts = Counter(posted)
    print(f"{len(asked):,} requests")
    for path in sorted({path for path, status in counts if status == 200}):
        statuses = sorted((status, count) for (one, status), count in counts.items() if one == path)
        print(f"  {path}: {', '.join(f'{count:,} with {status}' for status, count in statuses)}")
    accepted = " ".join(
        (request.body or b"").decode(errors="replace") for request, answer in asked if answer.status == 200
    )
    names = {*documents.presets, *documents.rules, *documents.policies}
    names |= {option.partition("=")[0] for options in documents.policies.values() for option in options}
    codes = {code for _, answer in asked for _, code in _faults(answer)}
    missing = [name for name in sorted(names) if not re.search(rf"\b{name}\b", accepted)]
    missing += sorted({*documents.codes} - codes)
    if missing:
        print(f"No request covered: {', '.join(missing)}")


def report(found: Iterable[Difference], ignore: Sequence[str]) -> int:
    """Print the differences by kind, each with its smallest example; return the exit code."""
    by_kind: dict[str, list[Difference]] = {}
    for difference in found:
        by_kind.setdefault(difference.kind, []).append(difference)
    ignored = [kind for kind in by_kind if any(re.search(pattern, kind) for pattern in ignore)]
    left = sorted((kind for kind in by_kind if kind not in ignored), key=lambda kind: -len(by_kind[kind]))
    for kind in ignored:
        print(f"ignored: {len(by_kind[kind]):,} times {kind}")
    for kind in left:
        smallest = min(by_kind[kind], key=lambda difference: len(difference.ask))
        print(f"\n{len(by_kind[kind]):,} times {kind}: {str(smallest.base)[:200]} became {str(smallest.new)[:200]}")
        print(f"  {smallest.ask[:4000]}")
    total = sum(len(by_kind[kind]) for kind in left)
    print(
        f"\n{total:,} differences of {len(left)} kinds; --ignore hides those that are meant"
        if left
        else "\nSame answers"
    )
    return 1 if left else 0


def compare(base: Path, options: argparse.Namespace) -> int:
    """Compare a tree with the working tree; return the exit code."""
    started = time.monotonic()
    found: list[Difference] = []
    if options.requests:
        with both_services(base, ROOT) as ports:
            found += compare_services(ports, read_positions(), options.requests, options.seed)
    if options.arena:
        found += [Difference(*one) for one in differences_of_matches(base)]
    print(f"{time.monotonic() - started:.0f} s")
    return report(found, options.ignore)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden.compare", description=__doc__.partition("\n")[0])
    parser.add_argument("--base", metavar="COMMIT", help="default: the commit of main that this branch started from")
    parser.add_argument("--requests", type=int, default=10_000, help="how many (default %(default)s); 0: none")
    parser.add_argument("--seed", type=int, default=1, help="of the derived requests (default %(default)s)")
    parser.add_argument(
        "--ignore", action="append", default=[], metavar="REGEX", help="kinds of differences that are meant; repeatable"
    )
    parser.add_argument("--arena", action="store_true", help="play matches too; compiling takes minutes")
    options = parser.parse_args(arguments)
    try:
        base = options.base or default_base()
        print(f"Base: {git('log', '-1', '--format=%h %s', base)}", flush=True)
        with checked_out(base) as tree:
            return compare(tree, options)
    except (TreeError, ConnectionError) as error:
        print(f"same-answers: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
