"""The header fields of a request, as ASGI gives them."""

from collections.abc import Iterable


def join_headers(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Return the headers by name; the values of a repeated name are joined by commas (RFC 9110, section 5.3).

    >>> join_headers([(b"host", b"a"), (b"accept", b"x"), (b"accept", b"y")])
    {b'host': b'a', b'accept': b'x, y'}
    """
    pairs = [*headers]
    fields = dict(pairs)
    if len(fields) == len(pairs):
        return fields
    values: dict[bytes, list[bytes]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return {name: b", ".join(repeated) for name, repeated in values.items()}
