"""Settings: what an operator may change, read once at start from environment variables.

Not the command line (`__main__`), whose arguments win over these. A value that can't be used stops the start
with `SettingsError`, which names the variable, what was found and what was expected.

| variable | meaning | default |
|---|---|---|
| SPADES_TABLES_DIR | directory of manifest.json and the .npy files | tables/data beside the service |
| SPADES_DRAIN_S | seconds between "not ready" and closing the socket on SIGTERM | 0.5 |
| SPADES_GRACE_S | seconds that requests under way may take after that | 10 |
| SPADES_QUEUE_MS | milliseconds a request may wait for its turn before it is shed; 0: any time | 50 |
| SPADES_MAX_IN_FLIGHT | requests under way at once (bodies awaited, long answers); more are shed | 1024 |
| SPADES_MAX_CONNECTIONS | open connections; more are answered 503 and closed | 16384 |
| SPADES_READ_S | seconds that a request's head, and then its body, may take to come | 10 |
| SPADES_WRITE_S | seconds that a peer may take nothing of an answer that waits for it | 10 |
| SPADES_IDLE_S | seconds that a connection may stay open between requests | 75 |
| SPADES_ACCESS_LOG | share of requests in the access log, 0..1 | 0.01 |
| SPADES_METRICS_ADDRESS | host:port of a listener of its own for /metrics, which then leaves the main one | none |
| SPADES_API_KEYS_FILE | file of API keys, one `name sha256 [rate]` a line; with it all but health needs a key | none |
| SPADES_KEY_RATE | bids and other requests a second of a key without a rate of its own, in each process; 0: any | 0 |
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from service.bidding.numerals import decimal


class SettingsError(ValueError):
    """A setting's value can't be used."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings; the module's table says what each means. None: the default directory, no such listener, no keys."""

    tables_dir: Path | None = None
    drain_s: float = 0.5
    grace_s: int = 10
    queue_ms: float = 50.0
    max_in_flight: int = 1024
    max_connections: int = 16_384
    read_s: float = 10.0
    write_s: float = 10.0
    idle_s: float = 75.0
    access_log: float = 0.01
    metrics_address: tuple[str, int] | None = None
    api_keys_file: Path | None = None
    key_rate: float = 0.0


def from_environment(environment: Mapping[str, str] | None = None) -> Settings:
    """Settings from ``environment`` (default: the process's); raise `SettingsError` for a wrong value."""
    values = os.environ if environment is None else environment
    default = Settings()
    directory = values.get("SPADES_TABLES_DIR", "")
    keys = values.get("SPADES_API_KEYS_FILE", "")
    return Settings(
        tables_dir=_directory("SPADES_TABLES_DIR", directory) if directory else None,
        drain_s=_number(values, "SPADES_DRAIN_S", "seconds", default.drain_s, 0.0, 300.0),
        grace_s=int(_number(values, "SPADES_GRACE_S", "seconds", default.grace_s, 0.0, 300.0)),
        queue_ms=_number(values, "SPADES_QUEUE_MS", "milliseconds", default.queue_ms, 0.0, 60_000.0),
        max_in_flight=int(_number(values, "SPADES_MAX_IN_FLIGHT", "requests", default.max_in_flight, 1.0, 1e6)),
        max_connections=int(
            _number(values, "SPADES_MAX_CONNECTIONS", "connections", default.max_connections, 1.0, 1e6)
        ),
        read_s=_number(values, "SPADES_READ_S", "seconds", default.read_s, 0.1, 3600.0),
        write_s=_number(values, "SPADES_WRITE_S", "seconds", default.write_s, 0.1, 3600.0),
        idle_s=_number(values, "SPADES_IDLE_S", "seconds", default.idle_s, 0.1, 3600.0),
        access_log=_number(values, "SPADES_ACCESS_LOG", "a share", default.access_log, 0.0, 1.0),
        metrics_address=_address("SPADES_METRICS_ADDRESS", values.get("SPADES_METRICS_ADDRESS", "")),
        api_keys_file=_file("SPADES_API_KEYS_FILE", keys) if keys else None,
        key_rate=_number(values, "SPADES_KEY_RATE", "bids a second", default.key_rate, 0.0, 1e6),
    )


def not_settings(environment: Mapping[str, str] | None = None) -> list[str]:
    """SPADES_ variables that mean nothing here. A warning, no error: an orchestrator may set some of that name itself.

    >>> not_settings({"SPADES_QUEUE_MS": "20", "SPADES_QEUE_MS": "20", "PATH": ""})
    ['SPADES_QEUE_MS']
    """
    known = {f"SPADES_{field.name.upper()}" for field in fields(Settings)}
    values = os.environ if environment is None else environment
    return sorted(name for name in values if name.startswith("SPADES_") and name not in known)


def _directory(name: str, value: str) -> Path:
    path = Path(value)
    if not path.is_dir():
        raise SettingsError(f"{name} is {value!r}, which is no directory; expected one with manifest.json")
    return path


def _file(name: str, value: str) -> Path:
    path = Path(value)
    if not path.is_file():
        raise SettingsError(f"{name} is {value!r}, which is no file; expected one with `name sha256 [rate]` lines")
    return path


def _address(name: str, value: str) -> tuple[str, int] | None:
    """host:port; the host of IPv6 in brackets."""
    if not value:
        return None
    host, _, port = value.rpartition(":")
    if not (host and port.isascii() and port.isdigit() and 0 < int(port) <= 65_535):
        raise SettingsError(f"{name} is {value!r}; expected host:port, such as 127.0.0.1:9464")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _number(values: Mapping[str, str], name: str, unit: str, default: float, least: float, most: float) -> float:
    text = values.get(name, "")
    if not text:
        return default
    try:
        number = decimal(text)
    except ValueError:
        number = float("nan")
    if not least <= number <= most:
        raise SettingsError(f"{name} is {text!r}; expected {unit}, {least:g}..{most:g}, in plain decimal digits")
    return number
