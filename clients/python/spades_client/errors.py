"""Errors of the client.

SpadesError(Exception)
    NoAnswer                 the deadline passed, the connection failed, or a 200 is not an answer of the service
    ProblemError             another status than 200
        InvalidRequest       422: the request has faults, all of them in `faults`
        Unavailable          not the caller's fault: 429, 5xx, 404, a redirect, or a proxy's answer
"""

from typing import Any, cast

import httpx2

from spades_client.models import FaultItem


class SpadesError(Exception):
    """There is no answer that can be used. ``temporary``: the same request may succeed later."""

    temporary = False


class NoAnswer(SpadesError):
    """The deadline passed, the connection failed, or a 200 is not an answer of the service.

    `__cause__` is the error of httpx2, if there was one.
    """

    temporary = True


class ProblemError(SpadesError):
    """The answer has another status than 200. Programs should use `status`, `type` and the codes of `faults`."""

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
    """The service cannot answer now, or something between answered: any status that is not the caller's fault."""

    temporary = True


def _faults_of(problem: dict[str, Any]) -> list[FaultItem]:
    """Return the faults that a problem lists; a proxy's ``errors`` may have another form."""
    errors = problem.get("errors")
    if not isinstance(errors, list):
        return []
    fields = {"pointer", "code", "detail"}
    return [cast(FaultItem, fault) for fault in errors if isinstance(fault, dict) and fields <= fault.keys()]


def error_of(response: httpx2.Response) -> ProblemError:
    """Return the error that an answer other than 200 means.

    The caller must mend a 401, and the service's own problems below 500, except 404, 408 and 429. All other answers are
    `Unavailable`: a redirect, a wrong path, or a page of a proxy.
    """
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        problem = {"title": response.reason_phrase, "detail": f"not an answer of the service: {response.text[:200]!r}"}
    seconds = response.headers.get("Retry-After", "")
    retry_after_s = float(seconds) if seconds.isdigit() else None
    status = response.status_code
    of_the_service = str(problem.get("type")).startswith("/problems/")
    if status == 401 or (of_the_service and 400 <= status < 500 and status not in (404, 408, 429)):
        kind = InvalidRequest if status == 422 else ProblemError
    else:
        kind = Unavailable
    return kind(status, problem, retry_after_s)
