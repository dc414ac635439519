"""The output of a connection: what is written, and how much of it counts as unsent."""

import pytest

from service.protocol.output import MOST_JOINED_BYTES, Output


class Transport:
    """A transport whose peer has read all but ``left`` bytes."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.left = 0

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def writelines(self, parts: list[bytes]) -> None:
        self.written += parts

    def get_write_buffer_size(self) -> int:
        return self.left


@pytest.mark.parametrize("parts", [[b"x" * 40_000] * 3, [b"{}"], [b"x" * MOST_JOINED_BYTES, b"y"], []])
def test_an_answer_in_parts_is_the_same_bytes(parts):
    joined, apart = Transport(), Transport()
    body = b"".join(parts)
    Output(joined, 0.0).answer(200, [(b"a", b"b")], body, None, close=True)  # type: ignore[arg-type]
    Output(apart, 0.0).answer(200, [(b"a", b"b")], parts, None, close=True)  # type: ignore[arg-type]
    head = b"HTTP/1.1 200 OK\r\na: b\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(body)
    assert b"".join(joined.written) == b"".join(apart.written) == head + body
    assert len(apart.written) == (1 if len(body) <= MOST_JOINED_BYTES else 1 + len(parts))


def test_all_of_an_answer_counts_until_its_last_byte_is_sent():
    transport = Transport()
    output = Output(transport, 0.0)  # type: ignore[arg-type]
    output.answer(200, [], [b"x" * 16_384] * 144, None, close=False)
    transport.left = 6000
    assert output.unsent_bytes > 144 * 16_384
