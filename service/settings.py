"""Settings: values that an operator may change, read from environment variables once at start.

Each field of `Settings` is one variable: `queue_ms` is SPADES_QUEUE_MS. An unset or empty variable means the default.
Command line arguments override settings. An unusable value stops the start with `SettingsError`.
"""

import hashlib
import os
import re
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from spades.arguments import decimal

_PREFIX = "SPADES_"
# Settings of earlier versions, and what replaces them.
_GONE: Final = {
    "SPADES_MAX_CONNECTIONS": "a proxy limits connections (deploy/nginx)",
    "SPADES_READ_S": "a proxy limits how slowly requests may come (deploy/nginx)",
    "SPADES_WRITE_S": "a proxy limits how slowly answers may be read (deploy/nginx)",
    "SPADES_SHADOW": "there are no shadow tables any more",
}
_HASHES = 2**64


class SettingsError(ValueError):
    """A setting has a value that can't be used."""


class Canary(NamedTuple):
    """The version of the tables that answer a ``share`` of the callers, 0 to 1."""

    version: str
    share: float

    def serves(self, caller: str) -> bool:
        """Return whether the canary answers ``caller``: always the same, in every process and on every machine.

        Another version serves other callers. A greater share keeps the callers of a smaller one.
        """
        digest = hashlib.sha256(f"{self.version}:{caller}".encode()).digest()
        return int.from_bytes(digest[:8], "big") < self.share * _HASHES


def read_canary(value: str | Canary | None) -> Canary | None:
    """Read VERSION:SHARE; raise `ValueError` with what is accepted.

    >>> read_canary("2026.11.9+fedcf0a0:0.05")
    Canary(version='2026.11.9+fedcf0a0', share=0.05)
    """
    if not isinstance(value, str):
        return value
    version, _, share = value.rpartition(":")
    try:
        read = Canary(version, decimal(share))
    except ValueError:
        read = Canary("", -1.0)
    if not read.version or not 0.0 <= read.share <= 1.0:
        raise ValueError("VERSION:SHARE with a share from 0 to 1, such as 2026.11.9+fedcf0a0:0.05")
    return read


def _number(unit: str, least: float, most: float, kind: type[float] = float) -> BeforeValidator:
    """Return a validator for a plain decimal number of ``unit`` from ``least`` to ``most``; int drops its fraction."""

    def read(value: str | float) -> float:
        try:
            number = decimal(value) if isinstance(value, str) else value
        except ValueError:
            number = float("nan")
        if not least <= number <= most:
            raise ValueError(f"{unit}, {least} to {most}, as a plain decimal number")
        return kind(number)

    return BeforeValidator(read)


def _directory(value: str | Path) -> Path:
    if not Path(value).is_dir():
        raise ValueError("a directory with manifest.json, or with one such directory for each version")
    return Path(value)


def _version(value: str) -> str:
    if not re.fullmatch(r"[\w.+-]{1,128}", value):
        raise ValueError("the version of a table set, such as 2026.11.9+fedcf0a0")
    return value


def _file(value: str | Path) -> Path:
    if not Path(value).is_file():
        raise ValueError("a file with lines of the form `name sha256 [rate]`")
    return Path(value)


def _log_file(value: str | Path) -> Path:
    path = Path(value)
    if str(path) != "-" and (path.is_dir() or not path.parent.is_dir()):
        raise ValueError("- for standard output, or a file in a directory that exists")
    return path


def _address(value: str | tuple[str, int] | None) -> tuple[str, int] | None:
    """Read host:port; an IPv6 host is in brackets."""
    if not isinstance(value, str):
        return value
    host, _, port = value.rpartition(":")
    if not (host and port.isascii() and port.isdigit() and 0 < int(port) <= 65_535):
        raise ValueError("host:port, such as 127.0.0.1:9464")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _switch(value: str | bool) -> bool:
    if value not in (True, False, "0", "1"):
        raise ValueError("0 or 1")
    return value in (True, "1")


class Settings(BaseSettings):
    """All settings. The fields' descriptions are the reference for operators."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, env_ignore_empty=True, frozen=True)

    tables_dir: Annotated[Path, BeforeValidator(_directory)] | None = Field(
        default=None,
        description="Directory of the tables, or of several versions; unset: the tables that come with the service.",
    )
    tables_version: Annotated[str, BeforeValidator(_version)] | None = Field(
        default=None,
        description="Version of the tables that answer if a request names none; required if there are several.",
    )
    canary: Annotated[Canary | None, NoDecode, BeforeValidator(read_canary)] = Field(
        default=None, description="VERSION:SHARE: the tables that answer this share of the callers."
    )
    drain_s: Annotated[float, _number("seconds", 0, 300)] = Field(
        default=0.5, description='Seconds between "not ready" and closing the socket after SIGTERM.'
    )
    grace_s: Annotated[int, _number("seconds", 0, 300, int)] = Field(
        default=10, description="Seconds that requests in progress may take after that."
    )
    queue_ms: Annotated[float, _number("milliseconds", 0, 60_000)] = Field(
        default=250.0,
        description="Milliseconds that the event loop may be behind before requests are refused; 0: no limit.",
    )
    max_in_flight: Annotated[int, _number("requests", 1, 1_000_000, int)] = Field(
        default=1024, description="Requests in progress at once (unfinished bodies, long answers); more are refused."
    )
    idle_s: Annotated[float, _number("seconds", 0.1, 3600)] = Field(
        default=75.0,
        description="Seconds that a connection may stay open between requests; more than a proxy keeps it.",
    )
    behind_proxy: Annotated[bool, BeforeValidator(_switch)] = Field(
        default=False,
        description="1: only a proxy such as deploy/nginx connects; then httptools reads requests, also beyond "
        "loopback.",
    )
    access_log: Annotated[float, _number("a share", 0, 1)] = Field(
        default=0.01, description="Share of requests in the access log."
    )
    decision_log: Annotated[Path, BeforeValidator(_log_file)] | None = Field(
        default=None,
        description="File for bids with their hands, and results, as JSON Lines; -: standard output; unset: no log.",
    )
    decision_log_share: Annotated[float, _number("a share", 0, 1)] = Field(
        default=1.0,
        description="Share of rounds in the decision log; all records of a round are kept, or none.",
    )
    decision_log_mib: Annotated[int, _number("MiB", 1, 1_000_000, int)] = Field(
        default=100,
        description="Size at which the decision log's file NAME.jsonl becomes NAME.1.jsonl and a new one is begun. "
        "Each of several workers has a file of its own, NAME-PID.jsonl.",
    )
    decision_log_files: Annotated[int, _number("files", 1, 10_000, int)] = Field(
        default=9, description="Older files of the decision log that are kept."
    )
    search_processes: Annotated[int, _number("processes", 0, 64, int)] = Field(
        default=0,
        description="Processes that search for cards, in each worker; 0: no searches. The image has "
        "1; elsewhere they need numba and tqdm.",
    )
    metrics_address: Annotated[tuple[str, int] | None, NoDecode, BeforeValidator(_address)] = Field(
        default=None,
        description="host:port of a separate listener for /metrics; the main listener then has no /metrics.",
    )
    tracing: Annotated[bool, BeforeValidator(_switch)] = Field(
        default=False,
        description="1: a span of OpenTelemetry for each request, configured by the OTEL_ variables; needs the extra "
        "`otel`.",
    )
    api_keys_file: Annotated[Path, BeforeValidator(_file)] | None = Field(
        default=None,
        description=("File of API keys; if set, all routes but those of health and of the pages require a key."),
    )
    key_rate: Annotated[float, _number("bids a second", 0, 1_000_000)] = Field(
        default=0.0,
        description="Bids and other requests per second, in each process, for a key without its own rate; 0: no limit.",
    )


def from_environment() -> Settings:
    """Read the settings from the process's environment; raise `SettingsError` for the first unusable value."""
    try:
        return Settings()
    except ValidationError as error:
        fault = error.errors()[0]
        accepted = fault.get("ctx", {}).get("error", fault["msg"])
        raise SettingsError(f"{_variable(str(fault['loc'][0]))} is {fault['input']!r}; accepted: {accepted}") from None


def unknown_settings() -> list[str]:
    """Return a warning for each SPADES_ variable that is not a setting. It is no error: an orchestrator may set it."""
    known = {_variable(field) for field in Settings.model_fields}
    unknown = sorted(name for name in os.environ if name.startswith(_PREFIX) and name not in known)
    whys = [(name, _GONE.get(name, "there is no such setting")) for name in unknown]
    return [f"{name} is set, but {why}; docs/reference/settings.md lists the settings" for name, why in whys]


def _variable(field: str) -> str:
    return _PREFIX + field.upper()
