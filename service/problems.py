"""Problems: every error answer of the service, as RFC 9457 `application/problem+json`.

Not where errors are found (that is `api/`), only what they are called and how they look. `TYPES` and `CODES`
are the catalogue: the OpenAPI document and GET /problems/{name} are made from it. Texts go to callers, so they
never hold a stack trace or a path; values a caller sent are quoted cut short (`quote`).

ProblemError(Exception)          an error answer on its way out, with its status, type, faults and headers
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from service.asgi import Reply

MEDIA_TYPE = "application/problem+json"
MAX_FAULTS = 64  # faults told in one answer: a hostile body could hold thousands
_QUOTE_CHARS = 60


class ProblemType(NamedTuple):
    """One type of problem: HTTP status, title and what it means to a caller."""

    status: int
    title: str
    meaning: str


TYPES: dict[str, ProblemType] = {
    "invalid-json": ProblemType(400, "The body is not JSON", "Send one JSON value in UTF-8; NaN is not JSON."),
    "invalid-deadline": ProblemType(400, "X-Deadline-Ms is not a number", "Milliseconds left, such as 25 or 2.5."),
    "invalid-http": ProblemType(400, "Not HTTP", "The server could not read the request; the connection is closed."),
    "unauthorized": ProblemType(401, "No valid API key", "Send Authorization: Bearer and a key of this service."),
    "not-found": ProblemType(404, "No such path", "The paths are listed in /openapi.json."),
    "method-not-allowed": ProblemType(405, "Method not allowed", "The Allow header names what is."),
    "request-timeout": ProblemType(408, "The request came too slowly", "The connection is closed; send it whole."),
    "body-too-large": ProblemType(413, "The body is too large", "64 KiB for one bid, 1 MiB for /v1/bids."),
    "unsupported-media-type": ProblemType(
        415, "The body comes in a form that is not read", "Plain JSON: no multipart, no Content-Encoding."
    ),
    "invalid-request": ProblemType(422, "The request can't be used", "`errors` names every fault by JSON pointer."),
    "rate-limited": ProblemType(
        429,
        "Too many requests for this key",
        "Bids count, and requests to all routes but health; Retry-After: seconds.",
    ),
    "headers-too-large": ProblemType(431, "The headers are too large", "32 KiB in all; the connection is closed."),
    "internal-error": ProblemType(500, "The service failed on this request", "A fault of the service; logged there."),
    "not-ready": ProblemType(503, "Not ready", "The tables are not mapped, or changed on disk, or it is stopping."),
    "overloaded": ProblemType(503, "Over capacity", "Shed unread, so that others are answered in time; retry."),
    "deadline-exceeded": ProblemType(504, "The deadline has passed", "X-Deadline-Ms ran out before the bid was made."),
}

CODES: dict[str, str] = {
    "missing-field": "a required field is not there",
    "unknown-field": "a field of that name does not exist",
    "unsupported-field": "the field is known, but of no use in this version or with these rules",
    "wrong-type": "the value has another JSON type than the field",
    "out-of-range": "the value is outside the field's range",
    "too-many-items": "the list or object holds more than is taken",
    "hand-size": "the hand has not 13 cards, or a PBN text not four suits",
    "unknown-card": "no such card in this variant",
    "duplicate-card": "the card stands twice in the hand",
    "bid-out-of-range": "not a bid that could have been made under these rules",
    "seat-mismatch": "seat differs from the number of previous bids",
    "team-over-limit": "the bids of one side sum over 13, or can only sum over rules.team_max",
    "team-under-limit": "the bids of one side sum, or can only sum, to less than rules.team_min",
    "illegal-bids": "legal_bids is empty, holds a bid twice, or one that can't be made",
    "unknown-policy": "no such policy, or an option it does not have",
    "unsupported-convention": "no such convention, or one that this policy or variant has none of",
    "unsupported-rules": "a rule value, or a combination of them, that is not supported; GET /v1/rules lists what is",
}


class Fault(NamedTuple):
    """One fault of a request: where (JSON pointer, RFC 6901), which code of `CODES`, and a sentence."""

    pointer: str
    code: str
    detail: str


class ProblemError(Exception):
    """An error answer on its way out; ``name`` is a key of `TYPES`."""

    def __init__(
        self,
        name: str,
        detail: str,
        faults: Sequence[Fault] = (),
        headers: Sequence[tuple[str, str]] = (),
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
        """The problem as a JSON-ready dict."""
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
    """The answer that says ``problem``."""
    headers = [(b"content-type", MEDIA_TYPE.encode())]
    headers += [(name.encode(), value.encode()) for name, value in problem.headers]
    return problem.status, headers, orjson.dumps(problem.body())


def invalid_request(faults: Sequence[Fault]) -> ProblemError:
    """The 422 of a request with ``faults``, at least one; beyond `MAX_FAULTS` they are only counted."""
    if len(faults) == 1:
        detail = faults[0].detail
    else:
        left_out = len(faults) - MAX_FAULTS
        detail = f"{len(faults)} faults" + (f", {left_out} of them not listed" if left_out > 0 else "")
    return ProblemError("invalid-request", detail, faults)


def internal_error() -> ProblemError:
    """The 500: says nothing of the cause, which is in the log only."""
    return ProblemError("internal-error", "the request was well-formed as far as read; the service's log has the cause")


def pointer(*tokens: object) -> str:
    """A JSON pointer (RFC 6901) from field names and indices.

    >>> pointer("rules", "a/b", 0)
    '/rules/a~1b/0'
    """
    return "".join("/" + quote(token).replace("~", "~0").replace("/", "~1") for token in tokens)


def quote(value: object) -> str:
    """A caller's value as text, cut short.

    >>> quote("nil"), quote(""), len(quote("x" * 1000))
    ('nil', '""', 60)
    """
    if type(value) is str:
        text = value or '""'
    else:
        text = str(value) if isinstance(value, (int, float, type(None))) else type(value).__name__
    return text if len(text) <= _QUOTE_CHARS else text[: _QUOTE_CHARS - 1] + "…"
