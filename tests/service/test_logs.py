"""The logs: lines of JSON, the queue and the thread that writes, what the decision log holds, and its files."""

import json
import logging
import multiprocessing
import random
import re
import subprocess
from pathlib import Path
from select import PIPE_BUF
from threading import Event

import orjson
import pytest

from service.logs import (
    MAX_QUEUED,
    DecisionLog,
    JsonFormatter,
    LineQueue,
    LineTarget,
    LineWriter,
    Logs,
    RotatingFile,
    _writes,
)
from service.settings import Settings, SettingsError
from spades.contract.examples import RESULTS_REQUEST
from tests.one_set import served
from tests.patience import wait_until
from tests.servers import START_S

ASKED = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [3, 1], "seat": 2, "scores": {"us": 120, "them": 95}}


def _logs(**settings) -> Logs:
    return Logs(Settings(**settings), lambda _: None, lambda _: None)


# ---- lines ----------------------------------------------------------------------------------------------------------


def test_every_line_of_a_server_is_json(serve):
    with serve(stdout=subprocess.DEVNULL, SPADES_NO_SUCH="1") as server:
        server.process.terminate()
        server.process.wait(START_S)
        lines = [json.loads(line) for line in [*server.log, *server.process.stderr]]
    assert all({"time", "level", "logger", "message"} <= line.keys() for line in lines)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"]) for line in lines)
    assert lines[0]["level"] == "warning"
    assert "SPADES_NO_SUCH" in lines[0]["message"]
    assert any("running on http" in line["message"] for line in lines)


def test_a_record_with_a_stack_trace_is_one_line():
    try:
        raise ValueError("half \ud800 of a pair")
    except ValueError as error:
        record = logging.LogRecord("service", logging.ERROR, "", 0, "%s failed", ("/bid\n",), (ValueError, error, None))
    line = JsonFormatter().format(record)
    assert "\n" not in line
    fields = json.loads(line)
    assert (fields["level"], fields["logger"], fields["message"]) == ("error", "service", "/bid\n failed")
    assert fields["exception"].startswith("ValueError: half")


# ---- the queue and the thread ---------------------------------------------------------------------------------------


class Flaky(LineTarget):
    """A target that fails at the first write and then at random, until `well`. It keeps what it has written."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = random.Random(seed)
        self.written = ""
        self.writes = 0
        self.well = False

    def emit(self, record: logging.LogRecord) -> None:
        self.writes += 1
        if not self.well and (self.writes == 1 or self._random.random() < 0.5):
            self.written += record.msg[:5]  # cut short
            try:
                raise OSError(28, "No space left on device")
            except OSError:
                self.handleError(record)
        else:
            self.written += record.msg + "\n"


def _write(lines: LineQueue, number: int) -> None:
    lines.handle(logging.makeLogRecord({"name": "service.access", "levelname": "INFO", "msg": str(number)}))


@pytest.mark.parametrize("seed", range(5))
def test_each_line_is_written_or_counted(seed, monkeypatch, caplog):
    monkeypatch.setattr("service.logs._GATHER_S", 0.001)
    counted: list[int] = []
    lines, target = LineQueue(counted.append), Flaky(seed)
    writer = LineWriter("access log", lines, target)
    writer.start()
    for number in range(100):
        _write(lines, number)
        if number % 7 == seed:
            before = target.writes
            wait_until(lambda: target.writes > before)  # noqa: B023
    target.well = True
    _write(lines, 100)
    writer.stop()
    whole, reported = [], 0
    for line in target.written.splitlines():
        if line.endswith("}"):
            fields = json.loads(line)
            whole.append(int(fields["message"]))
            reported += fields.get("dropped", 0)
    assert whole == sorted(set(whole))
    assert whole[-1] == 100
    assert sum(counted) == 101 - len(whole) == reported > 0
    assert caplog.messages
    assert set(caplog.messages) == {
        "the access log can't be written (No space left on device); lines are dropped until it can"
    }
    assert len(caplog.messages) < 100


class Hanging(LineTarget):
    """A target whose writes hang until `go_on`."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.go_on.wait()


def test_a_write_that_hangs_delays_nobody(monkeypatch):
    unregistered: list[object] = []
    monkeypatch.setattr("service.logs.atexit.unregister", unregistered.append)
    counted: list[int] = []
    lines, target = LineQueue(counted.append), Hanging()
    writer = LineWriter("access log", lines, target)
    writer.start()
    for number in range(2 * MAX_QUEUED):
        _write(lines, number)
    assert MAX_QUEUED / 2 < sum(counted) <= MAX_QUEUED
    writer.stop()  # returns although the write does not
    assert unregistered == [logging.shutdown]  # it would wait for the write
    target.go_on.set()


# ---- the decision log -----------------------------------------------------------------------------------------------


@pytest.fixture
def logged(tmp_path):
    """A service with a decision log, and a function that stops the log and returns its records."""
    path = tmp_path / "decisions.jsonl"
    service = served(decision_log=path)
    service.state.logs.start()

    def records() -> list[dict]:
        service.state.logs.stop()
        return [orjson.loads(line) for line in path.read_bytes().splitlines()]

    return service, records


def test_bids_and_results_with_a_round_id_are_logged(call, logged):
    service, records = logged
    body = ASKED | {"round_id": "7f3a-2"}
    answer = call("POST", "/bid", service, json=body).json()
    call("POST", "/v1/bid", service, content=orjson.dumps(body, option=orjson.OPT_INDENT_2))
    call("POST", "/v1/bid", service, content=orjson.dumps(body) + b" " * 5000)
    call("POST", "/v1/bids", service, json={"requests": [body, ASKED, {}, body | {"policy": "rb:nil=5-8-T"}]})
    call("POST", "/bid", service, json=ASKED)
    call("POST", "/bid", service, json=ASKED | {"round_id": None})
    call("POST", "/bid", service, json=body | {"seat": 1})
    result = RESULTS_REQUEST["results"][0]
    call("POST", "/v1/results", service, json={"results": [result, result | {"round_id": None}, {"round_id": "x"}]})
    found = records()
    assert [record.pop("format") for record in found] == [1] * 6
    times = [record.pop("time") for record in found]
    assert all(len(time) == len("2026-11-02T18:03:11Z") for time in times)
    expected = {"record": "decision", "request": body} | {name: answer[name] for name in ("bid", "policy", "tables")}
    assert found[:4] == [expected] * 4
    assert (found[4]["policy"], found[4]["request"]["policy"]) == ("rb:nil=5-8-T", "rb:nil=5-8-T")
    assert found[5] == {"record": "result"} | result


def test_the_log_is_only_its_owners(logged, tmp_path):
    logged[1]()
    assert (tmp_path / "decisions.jsonl").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("value", "detail"),
    [
        (5, "round_id is an integer; accepted: a string"),
        ("", "round_id has 0 characters; accepted: at least 1"),
        ("x" * 129, "round_id has 129 characters; accepted: at most 128"),
    ],
)
def test_a_round_id_of_another_form_is_refused(call, app, value, detail):
    answer = call("POST", "/bid", app, json=ASKED | {"round_id": value})
    assert [(fault["pointer"], fault["detail"]) for fault in answer.json()["errors"]] == [("/round_id", detail)]


def test_a_share_keeps_whole_rounds_in_every_process():
    one, other, half = (DecisionLog(share, lambda _: None) for share in (0.3, 0.3, 0.5))
    rounds = [f"round {number}" for number in range(4000)]
    kept = [round_id for round_id in rounds if one.includes(round_id)]
    assert kept == [round_id for round_id in rounds if other.includes(round_id)]
    assert 1100 < len(kept) < 1300
    assert all(half.includes(round_id) for round_id in kept)  # a larger share keeps the same rounds, and more


def test_without_a_path_or_a_share_there_is_no_log(tmp_path):
    assert _logs().decisions is None
    assert _logs(decision_log=tmp_path / "a", decision_log_share=0.0).decisions is None
    assert not (tmp_path / "a").exists()


def test_a_file_that_cannot_be_opened_stops_the_start():
    with pytest.raises(SettingsError, match=r"^SPADES_DECISION_LOG is '/proc/none.jsonl': .*; accepted: -"):
        _logs(decision_log=Path("/proc/none.jsonl"))


def _open_logs(path: Path) -> None:
    _logs(decision_log=path)


@pytest.mark.slow
def test_each_worker_has_a_file_of_its_own(tmp_path):
    worker = multiprocessing.get_context("spawn").Process(target=_open_logs, args=(tmp_path / "log.jsonl",))
    worker.start()
    worker.join(START_S)
    assert worker.exitcode == 0
    assert [path.name for path in tmp_path.iterdir()] == [f"log-{worker.pid}.jsonl"]


# ---- its files ------------------------------------------------------------------------------------------------------


def _put(file: RotatingFile, *lines: object) -> None:
    file.handle(logging.makeLogRecord({"msg": "\n".join(map(str, lines))}))


def _lines_in(folder: Path) -> dict[str, list[int]]:
    return {path.name: [int(line) for line in path.read_text().split()] for path in sorted(folder.iterdir())}


def test_a_full_file_is_renamed_and_the_oldest_removed(tmp_path):
    file = RotatingFile(tmp_path / "log.jsonl", 10, 2)
    for number in range(10, 22):  # three bytes each, and a file has less than ten
        _put(file, number)
    assert _lines_in(tmp_path) == {"log.1.jsonl": [16, 17, 18], "log.2.jsonl": [13, 14, 15], "log.jsonl": [19, 20, 21]}
    _put(file, 22, 23)  # lines that were queued together stay together
    assert _lines_in(tmp_path)["log.jsonl"] == [22, 23]
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    file.close()


def test_a_file_that_was_moved_away_is_begun_anew(tmp_path):
    path = tmp_path / "log.jsonl"
    file = RotatingFile(path, 1000, 5)
    _put(file, 1)
    path.rename(tmp_path / "moved")
    _put(file, 2)
    assert _lines_in(tmp_path) == {"log.jsonl": [2], "moved": [1]}
    assert path.stat().st_mode & 0o777 == 0o600
    file.close()


def test_a_file_can_be_written_again_after_a_failure(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    file = RotatingFile(folder / "log.jsonl", 1000, 5)
    _put(file, 1)
    folder.rename(tmp_path / "moved")
    _put(file, 2)
    assert isinstance(file.error, FileNotFoundError)
    folder.mkdir()
    _put(file, 3)
    assert _lines_in(folder) == {"log.jsonl": [3]}
    file.close()


def test_lines_are_written_in_pieces_that_a_pipe_takes_whole():
    """Otherwise a line of another worker could come into the middle of one."""
    lines = ["x" * length for length in (1, 4000, 95, 96, 5000, 2)]
    pieces = [*_writes("\n".join(lines))]
    assert b"".join(pieces).decode().splitlines() == lines
    assert all(len(piece) <= PIPE_BUF or piece.count(b"\n") == 1 for piece in pieces)
    assert all(piece.endswith(b"\n") for piece in pieces if piece)
