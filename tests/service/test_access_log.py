"""The access log counts its lines: each is written completely or counted as dropped, however the stream fails."""

import errno
import random
import time

import orjson
import pytest

from service.access_log import AccessLog, Answered
from tests.patience import wait_until


class Flaky:
    """A stream that fails, then fails or writes only a part of its input, and at the end writes everything."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.taken = b""
        self.writes = 0
        self.well = False

    def write(self, data: bytes, /) -> int | None:
        kind = 3 if self.well else self._random.randrange(4)
        self.writes += 1
        if kind == 0 or self.writes == 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        if kind == 1:
            return None
        count = len(data) if kind == 3 else self._random.randint(1, len(data))
        self.taken += data[:count]
        return count


def _write(log: AccessLog, number: int) -> None:
    log.write(Answered("POST", "/bid", 200, 0.001, b"%d" % number, None, "me"))


@pytest.mark.parametrize("seed", range(20))
def test_each_line_is_written_whole_or_counted(seed, caplog):
    stream = Flaky(seed)
    counted: list[int] = []
    log = AccessLog(1.0, counted.append, stream)
    for number in range(300):
        _write(log, number)
        if number % 7 == seed % 7:
            time.sleep(0.001)
    wait_until(lambda: caplog.records)  # some line has failed
    stream.well = True
    _write(log, 300)
    log.close()
    whole, told = [], 0
    for line in stream.taken.splitlines():
        try:
            fields = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue  # cut short, and counted
        whole.append(int(fields["request_id"]))
        told += fields.get("dropped", 0)
    assert whole == sorted(set(whole))
    assert whole[-1] == 300
    assert sum(counted) == 301 - len(whole) == told
    assert 0 < len(caplog.records) <= 300
    assert not any(record.exc_info for record in caplog.records)
    assert caplog.messages[0].startswith("the access log can't be written (")


def test_one_warning_for_each_outage(caplog):
    class Switched:
        full = True
        writes = 0

        def write(self, data: bytes, /) -> int:
            self.writes += 1
            if self.full:
                raise OSError(errno.ENOSPC, "No space left on device")
            return len(data)

    stream = Switched()
    log = AccessLog(1.0, stream=stream)
    for full in (True, False, True):
        stream.full = full
        for number in range(5):
            before = stream.writes
            _write(log, number)
            wait_until(lambda: stream.writes > before)  # noqa: B023
    log.close()
    assert (
        caplog.messages
        == ["the access log can't be written (No space left on device); lines are dropped until it can"] * 2
    )
