"""Keys: who may ask, and how much.

Not TLS nor user accounts: an API key is a random text (`new_key`) that a caller sends as `Authorization: Bearer`. The
file that the operator writes holds SHA-256 sums only, one `name sha256 [rate]` a line. A sum without salt or stretching
is enough because keys have 256 random bits and are not chosen by people.

A key is looked up by a keyed hash of its sum, made with a secret of this process, and then compared in constant time:
what a look-up takes says nothing of the keys. Rates are token buckets, one a key, in each process.
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
MAX_RATE = 1e6  # bids a second
_LINE = re.compile(r"([A-Za-z0-9._-]{1,64})\s+([0-9a-f]{64})(?:\s+([0-9]+(?:\.[0-9]+)?))?")
_EXPECTED = "`name sha256 [bids a second]`, as `python -m service key NAME` prints it"


class NewKey(NamedTuple):
    """A key just made: ``secret`` for the caller, ``line`` for the file."""

    secret: str
    line: str


class Bucket:
    """A token bucket: ``rate`` tokens a second, at most ``most`` in store (default: a second's worth, one at least).

    >>> bucket = Bucket(2.0, clock=iter([0.0, 0.0, 0.0, 0.0, 0.5]).__next__)
    >>> [bucket.take() for _ in range(4)]
    [0.0, 0.0, 0.5, 0.0]
    """

    def __init__(self, rate: float, clock: Callable[[], float] = monotonic, most: float | None = None) -> None:
        self._rate = rate
        self._clock = clock
        self._most = max(1.0, rate) if most is None else most
        self._tokens = self._most
        self._filled_at = clock()  # seconds

    def take(self) -> float:
        """Take one token; the seconds to wait for it where there is none (then nothing is taken)."""
        now = self._clock()
        self._tokens = min(self._most, self._tokens + (now - self._filled_at) * self._rate)
        self._filled_at = now
        if self._tokens < 1.0:
            return (1.0 - self._tokens) / self._rate
        self._tokens -= 1.0
        return 0.0

    def debit(self, tokens: int) -> None:
        """Take tokens that may not be there: what is asked for next waits for them."""
        self._tokens -= tokens


class Key(NamedTuple):
    """A key that is known: its name for the log and its bucket (None: no limit)."""

    name: str
    digest: bytes
    bucket: Bucket | None


class Keys:
    """The keys of one file."""

    def __init__(self, keys: list[Key]) -> None:
        self._secret = secrets.token_bytes(32)
        self._keys = {self._mark(key.digest): key for key in keys}

    def find(self, authorization: bytes | None) -> Key | None:
        """The key of an Authorization header's value, or None."""
        if authorization is None or len(authorization) > 512 or authorization[:7].lower() != b"bearer ":
            return None
        digest = hashlib.sha256(authorization[7:].strip()).digest()
        key = self._keys.get(self._mark(digest))
        return key if key is not None and hmac.compare_digest(key.digest, digest) else None

    def _mark(self, digest: bytes) -> bytes:
        return hashlib.blake2b(digest, key=self._secret, digest_size=32).digest()


def new_key(name: str, rate: float | None = None) -> NewKey:
    """Make a key; raise `ValueError` for a name or a rate (bids a second; 0: any) that the file can't hold."""
    if rate is not None and not 0.0 <= rate <= MAX_RATE:
        raise ValueError(f"rate is {rate:g}; expected bids a second, 0..{MAX_RATE:g}")
    secret = PREFIX + secrets.token_urlsafe(32)
    line = f"{name} {hashlib.sha256(secret.encode()).hexdigest()}"
    if rate is not None:
        line += f" {rate:.6f}".rstrip("0").rstrip(".")  # the file has no exponents
    if "\n" in name or not _LINE.fullmatch(line):
        raise ValueError(f"name is {name!r}; expected 1..64 letters, digits, '.', '_' or '-'")
    return NewKey(secret, line)


def read_keys(path: Path, default_rate: float) -> Keys:
    """The keys of the file ``path``; empty lines and # comments are left out. ``default_rate`` 0: no limit.

    Raises `SettingsError` for a file that can't be read, has a fault or can be written by everyone.
    """
    keys: dict[bytes, Key] = {}
    try:
        with path.open(encoding="utf-8") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "no UTF-8"
        raise SettingsError(f"{path}: can't be read ({why}); expected lines of {_EXPECTED}") from None
    if mode & stat.S_IWOTH:
        raise SettingsError(
            f"{path}: mode is {mode:04o}, so that any user can add a key; expected no write permission for others, "
            "such as 0640"
        )
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        found = _LINE.fullmatch(text)
        if found is None:  # the line itself is not quoted: it may hold a secret put in by mistake
            raise SettingsError(f"{path} line {number}: found something else, expected {_EXPECTED}")
        name, digest = found[1], bytes.fromhex(found[2])
        if digest in keys:
            raise SettingsError(f"{path} line {number}: found the key of {keys[digest].name} again, expected another")
        rate = default_rate if found[3] is None else float(found[3])
        keys[digest] = Key(name, digest, Bucket(rate) if rate else None)
    if not keys:
        raise SettingsError(f"{path}: found no key, expected lines of {_EXPECTED}")
    return Keys(list(keys.values()))
