"""Errors of the client.

SpadesError(Exception)
    NoAnswer                 the deadline passed, or the connection failed
    ProblemError             the service answered with a problem (RFC 9457)
        InvalidRequest       422: the request has faults, all of them in `faults`
        Unavailable          429 and 5xx: the same request may succeed later
"""

from typing import Any, cast

import httpx

from spades_client.models import FaultItem


class SpadesError(Exception):
    """There is no answer that can be used. ``temporary``: the same request may succeed later."""

    temporary = False


class NoAnswer(SpadesError):
    """The deadline passed, or the connection failed. `__cause__` is the error of httpx, if there was one."""

    temporary = True


class ProblemError(SpadesError):
    """The service answered with a problem. Programs should use `status`, `type` and the codes of `faults`."""

    def __init__(self, status: int, problem: dict[str, Any], retry_after_s: float | None = None) -> None:
        self.status = status
        self.type = str(problem.get("type", "about:blank"))
        self.title = str(problem.get("title", ""))
        self.detail = str(problem.get("detail", ""))
        self.faults = _faults_of(problem)
        self.retry_after_s = retry_after_s
        faults = "; ".join(f"{fault['pointer']}: {fault['detail']}" for fault in self.faults)
        super().__init__(f"{status} {self.title}: {faults or self.detail}")


class InvalidRequest(ProblemError):
    """The request has faults. Each of `faults` has a `pointer` into the request, a `code` and a `detail`.

    The `detail` names what was found and what is accepted.
    """


class Unavailable(ProblemError):
    """The service cannot answer now: too much work, not ready, the key's rate is used up, or the deadline passed."""

    temporary = True


def _faults_of(problem: dict[str, Any]) -> list[FaultItem]:
    """Return the faults that a problem lists; a proxy's ``errors`` may have another form."""
    errors = problem.get("errors")
    if not isinstance(errors, list):
        return []
    fields = {"pointer", "code", "detail"}
    return [cast(FaultItem, fault) for fault in errors if isinstance(fault, dict) and fields <= fault.keys()]


def error_of(response: httpx.Response) -> ProblemError:
    """Return the error that an answer other than 200 means; a proxy's answer need not be a problem."""
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        problem = {"title": response.reason_phrase, "detail": f"not an answer of the service: {response.text[:200]!r}"}
    seconds = response.headers.get("Retry-After", "")
    retry_after_s = float(seconds) if seconds.isdigit() else None
    status = response.status_code
    kind = InvalidRequest if status == 422 else Unavailable if status == 429 or status >= 500 else ProblemError
    return kind(status, problem, retry_after_s)
