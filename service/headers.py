"""The header fields of a request, as ASGI gives them."""

from collections.abc import Collection


def join_headers(headers: Collection[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Return the headers by name; the values of a repeated name are joined by commas (RFC 9110, section 5.3).

    >>> join_headers([(b"host", b"a"), (b"accept", b"x"), (b"accept", b"y")])
    {b'host': b'a', b'accept': b'x, y'}
    """
    fields = dict(headers)
    if len(fields) == len(headers):
        return fields
    values: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        values.setdefault(name, []).append(value)
    return {name: b", ".join(repeated) for name, repeated in values.items()}
