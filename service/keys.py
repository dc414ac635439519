"""API keys: which callers are accepted, and at which rate.

An API key is a random text (`new_key`) that a caller sends as `Authorization: Bearer`. The operator's key file holds
only SHA-256 hashes, one `name sha256 [rate]` per line. A hash without salt or stretching is enough, because keys have
256 random bits and no person chooses them.

A key is looked up by a keyed hash of its SHA-256 hash, with a secret of this process, and then compared in constant
time, so that the time of a look-up reveals nothing about the keys. Each process has one token bucket per key.
"""

import hashlib
import hmac
import os
import re
import secrets
import stat
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from service.settings import SettingsError

PREFIX = "spades_"
MAX_RATE = 1e6  # bids per second
_LINE = re.compile(r"([A-Za-z0-9._-]{1,64})\s+([0-9a-f]{64})(?:\s+([0-9]+(?:\.[0-9]+)?))?")
_EXPECTED = "`name sha256 [bids per second]`, as `python -m service key NAME` prints it"


class NewKey(NamedTuple):
    """A new key: ``secret`` is for the caller, ``line`` for the key file."""

    secret: str
    line: str


class Bucket:
    """A token bucket: it gains ``rate`` tokens per second and holds at most ``most`` (default: ``rate``, at least 1).

    >>> bucket = Bucket(2.0, clock=iter([0.0, 0.0, 0.0, 0.0, 0.5]).__next__)
    >>> [bucket.take() for _ in range(4)]
    [0.0, 0.0, 0.5, 0.0]
    """

    def __init__(self, rate: float, clock: Callable[[], float] = monotonic, most: float | None = None) -> None:
        self._rate = rate
        self._clock = clock
        self._most = max(1.0, rate) if most is None else most
        self._tokens = self._most
        self._filled_at = clock()  # s

    def take(self) -> float:
        """Take one token and return 0; if there is none, take nothing and return the seconds until there is one."""
        now = self._clock()
        self._tokens = min(self._most, self._tokens + (now - self._filled_at) * self._rate)
        self._filled_at = now
        if self._tokens < 1.0:
            return (1.0 - self._tokens) / self._rate
        self._tokens -= 1.0
        return 0.0

    def debit(self, tokens: int) -> None:
        """Take tokens even if there are too few; later calls of `take` wait until they have been gained."""
        self._tokens -= tokens


class Key(NamedTuple):
    """A key of the file: its name for the log, and its bucket (None: no limit)."""

    name: str
    digest: bytes
    bucket: Bucket | None


class Keys:
    """The keys of one file."""

    def __init__(self, keys: list[Key]) -> None:
        self._secret = secrets.token_bytes(32)
        self._keys = {self._keyed_hash(key.digest): key for key in keys}

    def find(self, authorization: bytes | None) -> Key | None:
        """Return the key in the value of an Authorization header, or None."""
        if authorization is None or len(authorization) > 512 or authorization[:7].lower() != b"bearer ":
            return None
        digest = hashlib.sha256(authorization[7:].strip()).digest()
        key = self._keys.get(self._keyed_hash(digest))
        return key if key is not None and hmac.compare_digest(key.digest, digest) else None

    def _keyed_hash(self, digest: bytes) -> bytes:
        return hashlib.blake2b(digest, key=self._secret, digest_size=32).digest()


def new_key(name: str, rate: float | None = None) -> NewKey:
    """Make a key with a ``rate`` in bids per second (0: no limit); raise `ValueError` for a wrong name or rate."""
    if rate is not None and not 0.0 <= rate <= MAX_RATE:
        raise ValueError(f"rate is {rate:g}; accepted: 0..{MAX_RATE:g} bids per second")
    secret = PREFIX + secrets.token_urlsafe(32)
    line = f"{name} {hashlib.sha256(secret.encode()).hexdigest()}"
    if rate is not None:
        line += f" {rate:.6f}".rstrip("0").rstrip(".")  # the file format has no exponents
    if "\n" in name or not _LINE.fullmatch(line):
        raise ValueError(f"name is {name!r}; accepted: 1 to 64 letters, digits, '.', '_' or '-'")
    return NewKey(secret, line)


def read_keys(path: Path, default_rate: float) -> Keys:
    """Return the keys in the file ``path``; empty lines and # comments are ignored. ``default_rate`` 0: no limit.

    Raises `SettingsError` if the file can't be read, has a wrong line or is writable by every user.
    """
    keys: dict[bytes, Key] = {}
    try:
        with path.open(encoding="utf-8") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise SettingsError(f"{path}: can't be read ({why}); expected: lines of the form {_EXPECTED}") from None
    if mode & stat.S_IWOTH:
        raise SettingsError(
            f"{path}: mode is {mode:04o}, so every user can add a key; expected: no write permission for others, "
            "such as 0640"
        )
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        match = _LINE.fullmatch(text)
        if match is None:  # not quoted, because it may hold a secret by mistake
            raise SettingsError(f"{path} line {number}: wrong form; expected: {_EXPECTED}")
        name, digest = match[1], bytes.fromhex(match[2])
        if digest in keys:
            raise SettingsError(
                f"{path} line {number}: repeats the key of {keys[digest].name}; expected: each key once"
            )
        rate = default_rate if match[3] is None else float(match[3])
        keys[digest] = Key(name, digest, Bucket(rate) if rate else None)
    if not keys:
        raise SettingsError(f"{path}: no keys found; expected: lines of the form {_EXPECTED}")
    return Keys(list(keys.values()))
