"""Problems: the error answers of the service, as RFC 9457 `application/problem+json`.

This module holds the names and the form of errors; other modules (`endpoints/`, `contract/`) detect them. The OpenAPI
document and GET /problems/{name} are made from `TYPES` and `CODES`. Texts go to callers, so they never hold a stack
trace or a path. A caller's values are quoted and cut short (`quote`).

ProblemError(Exception)          an error answer, with its status, type, faults and headers
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from service.asgi import Reply

MEDIA_TYPE = "application/problem+json"
MAX_FAULTS = 64  # faults listed in one answer, because a hostile body could hold thousands
_QUOTE_CHARS = 60


class ProblemType(NamedTuple):
    """One type of problem: HTTP status, title, and what the caller can do about it."""

    status: int
    title: str
    meaning: str


TYPES: dict[str, ProblemType] = {
    "invalid-json": ProblemType(400, "The body is not JSON", "Send one JSON value in UTF-8; NaN is not JSON."),
    "invalid-deadline": ProblemType(400, "X-Deadline-Ms is not a number", "Milliseconds left, such as 25 or 2.5."),
    "invalid-http": ProblemType(400, "Not HTTP", "The server could not read the request; the connection is closed."),
    "unauthorized": ProblemType(401, "No valid API key", "Send Authorization: Bearer and a key of this service."),
    "not-found": ProblemType(404, "No such path", "The paths are listed in /openapi.json."),
    "method-not-allowed": ProblemType(405, "Method not allowed", "The Allow header lists the allowed methods."),
    "request-timeout": ProblemType(408, "The request came too slowly", "Send it faster; the connection is closed."),
    "body-too-large": ProblemType(413, "The body is too large", "At most 64 KiB; 1 MiB for batches."),
    "unsupported-media-type": ProblemType(
        415, "The form of the body is not supported", "Send plain JSON: no multipart, no Content-Encoding."
    ),
    "invalid-request": ProblemType(422, "The request can't be used", "`errors` lists all faults by JSON pointer."),
    "rate-limited": ProblemType(
        429,
        "Too many requests for this key",
        "Each bid and each request except health checks counts; retry after the seconds in Retry-After.",
    ),
    "headers-too-large": ProblemType(431, "The headers are too large", "At most 32 KiB; the connection is closed."),
    "internal-error": ProblemType(500, "The service failed on this request", "A bug in the service; it is logged."),
    "not-ready": ProblemType(
        503, "Not ready", "The service is starting or stopping, a table file has changed, or a search failed."
    ),
    "overloaded": ProblemType(503, "Over capacity", "Too many requests wait, or all search processes are busy. Retry."),
    "deadline-exceeded": ProblemType(
        504, "The deadline has passed", "X-Deadline-Ms ran out before the answer was made."
    ),
}

CODES: dict[str, str] = {
    "missing-field": "a required field is missing",
    "unknown-field": "there is no field of that name",
    "unsupported-field": "the field exists, but not for this endpoint, or it has no meaning with these rules or fields",
    "wrong-type": "the value has the wrong JSON type",
    "out-of-range": "the value is outside the field's range",
    "too-many-items": "the list or object has too many items",
    "hand-form": "the text of a hand is not four suits with dots between them",
    "hand-size": "a hand, trick or list of exchanged cards has the wrong number of cards",
    "unknown-card": "this variant has no such card",
    "duplicate-card": "a card appears twice, in the hand or in another list",
    "bid-out-of-range": "these rules do not allow this bid",
    "seat-mismatch": "seat differs from the number of previous bids, or it is another seat's turn to play",
    "team-over-limit": "the bids of one side add up to more than 13, or must exceed rules.team_max",
    "team-under-limit": "the bids of one side add up to less than rules.team_min, or can't reach it",
    "illegal-bids": "legal_bids is empty, holds a bid twice, or holds a bid that the rules do not allow",
    "unknown-policy": "there is no such policy, or inference can't use it, or it has no such option",
    "unknown-tables": "no tables of this version are open",
    "unsupported-player": "this server does not run this card player",
    "unsupported-convention": "there is no such convention, or this policy or variant has none",
    "contradiction": "two things that the request says cannot both be true",
    "unsupported-rules": "a rule's value or a combination of rules is not supported; GET /v1/rules lists what is",
}


class Fault(NamedTuple):
    """One fault of a request: a JSON pointer (RFC 6901) to it, its code (a key of `CODES`), and a sentence."""

    pointer: str
    code: str
    detail: str


class ProblemError(Exception):
    """An error answer; ``name`` is a key of `TYPES`."""

    def __init__(
        self, name: str, detail: str, faults: Sequence[Fault] = (), headers: Sequence[tuple[str, str]] = ()
    ) -> None:
        super().__init__(f"{name}: {detail}")
        self.name = name
        self.detail = detail
        self.faults = tuple(faults)
        self.headers = tuple(headers)

    @property
    def status(self) -> int:
        """The HTTP status."""
        return TYPES[self.name].status

    def body(self) -> dict[str, Any]:
        """Return the problem as a dict that can be written as JSON."""
        body: dict[str, Any] = {
            "type": f"/problems/{self.name}",
            "title": TYPES[self.name].title,
            "status": self.status,
            "detail": self.detail,
        }
        if self.faults:
            body["errors"] = [fault._asdict() for fault in self.faults[:MAX_FAULTS]]
        return body


def written(problem: ProblemError) -> Reply:
    """Return the answer for ``problem``."""
    headers = [(b"content-type", MEDIA_TYPE.encode())]
    headers += [(name.encode(), value.encode()) for name, value in problem.headers]
    return problem.status, headers, orjson.dumps(problem.body())


def invalid_request(faults: Sequence[Fault]) -> ProblemError:
    """Return the 422 for a request with one or more ``faults``; only the first `MAX_FAULTS` are listed.

    >>> invalid_request([Fault("/seat", "missing-field", "seat is missing")] * 2).detail
    'seat is missing (the first of 2 faults)'
    """
    detail = faults[0].detail
    if len(faults) > 1:
        left_out = len(faults) - MAX_FAULTS
        listed = f", {left_out} of them not listed" if left_out > 0 else ""
        detail += f" (the first of {len(faults)} faults{listed})"
    return ProblemError("invalid-request", detail, faults)


def method_not_allowed(method: str, allowed: str) -> ProblemError:
    """Return the 405; ``allowed``: the methods of the path, with commas between."""
    detail = f"{method[:20]} is not allowed here; accepted: {allowed}"
    return ProblemError("method-not-allowed", detail, headers=[("allow", allowed)])


def deadline_exceeded() -> ProblemError:
    """Return the 504."""
    return ProblemError("deadline-exceeded", "X-Deadline-Ms ran out before the answer was ready")


def internal_error() -> ProblemError:
    """Return the 500. It does not name the cause, which is only in the log."""
    return ProblemError("internal-error", "this is a bug; the service's log has the cause, by X-Request-ID")


def pointer(*tokens: object) -> str:
    """Return a JSON pointer (RFC 6901) made from field names and indices.

    >>> pointer("rules", "a/b", 0)
    '/rules/a~1b/0'
    """
    return "".join("/" + quote(token).replace("~", "~0").replace("/", "~1") for token in tokens)


def quote(value: object) -> str:
    """Return a caller's value as text, cut short.

    >>> quote("nil"), quote(""), len(quote("x" * 1000))
    ('nil', '""', 60)
    """
    if type(value) is str:
        text = value or '""'
    else:
        text = str(value) if isinstance(value, (int, float, type(None))) else type(value).__name__
    return text if len(text) <= _QUOTE_CHARS else text[: _QUOTE_CHARS - 1] + "…"
