"""The decision log: what is logged, which rounds are kept, and files that are renamed when they are full."""

from pathlib import Path

import orjson
import pytest

from service.app import create_app
from service.decision_log import DecisionLog, decision_log
from service.line_log import STANDARD_OUTPUT
from service.rotating_file import RotatingFile
from service.settings import Settings, SettingsError
from spades.contract.examples import RESULTS_REQUEST
from tests.conftest import committed_tables
from tests.one_set import one_set
from tests.patience import patient

ASKED = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [3, 1], "seat": 2, "scores": {"us": 120, "them": 95}}


@pytest.fixture
def logging(tmp_path):
    """A service with a decision log, and a function that closes the log and returns its records."""
    path = tmp_path / "decisions.jsonl"
    service = create_app(patient(decision_log=path))
    service.state.serve(one_set(committed_tables()))

    def records() -> list[dict]:
        service.state.close_logs()
        return [orjson.loads(line) for line in path.read_bytes().splitlines()]

    return service, records


def test_bids_and_results_with_a_round_id_are_logged(call, logging):
    service, records = logging
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


def test_the_log_is_only_its_owners(logging, tmp_path):
    logging[1]()
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
    one, other = (DecisionLog(STANDARD_OUTPUT, 0.3, lambda _: None) for _ in range(2))
    rounds = [f"round {number}" for number in range(4000)]
    kept = [round_id for round_id in rounds if one.includes(round_id)]
    assert kept == [round_id for round_id in rounds if other.includes(round_id)]
    assert 1100 < len(kept) < 1300
    half = DecisionLog(STANDARD_OUTPUT, 0.5, lambda _: None)
    assert all(half.includes(round_id) for round_id in kept)  # a larger share keeps the same rounds, and more


def test_without_a_path_or_a_share_there_is_no_log(tmp_path):
    assert decision_log(Settings(), lambda _: None) is None
    assert decision_log(Settings(decision_log=tmp_path / "a", decision_log_share=0.0), lambda _: None) is None
    assert not (tmp_path / "a").exists()


def test_a_file_that_cannot_be_opened_stops_the_start():
    with pytest.raises(SettingsError, match=r"^SPADES_DECISION_LOG is '/proc/none.jsonl': .*; accepted: -"):
        decision_log(Settings(decision_log=Path("/proc/none.jsonl")), lambda _: None)


# ---- the file -------------------------------------------------------------------------------------------------------


def lines_in(folder: Path) -> dict[str, list[int]]:
    return {path.name: [int(line) for line in path.read_text().split()] for path in sorted(folder.iterdir())}


def test_a_full_file_is_renamed_and_the_oldest_removed(tmp_path):
    file = RotatingFile(tmp_path / "log.jsonl", 10, 2)
    for number in range(10, 22):  # three bytes each: three lines in a file
        assert file.write(b"%d\n" % number) == 3
    assert lines_in(tmp_path) == {"log.1.jsonl": [16, 17, 18], "log.2.jsonl": [13, 14, 15], "log.jsonl": [19, 20, 21]}
    assert file.write(b"1234567890123\n") == 14  # too long for any file
    assert lines_in(tmp_path)["log.jsonl"] == [1234567890123]
    file.close()


def test_without_older_files_a_full_one_is_removed(tmp_path):
    file = RotatingFile(tmp_path / "log", 4, 0)
    for number in range(10, 13):
        file.write(b"%d\n" % number)
    assert lines_in(tmp_path) == {"log": [12]}
    file.close()


def test_several_processes_append_to_one_file(tmp_path):
    """Each has opened the file by itself, as processes do; no line is lost or written twice."""
    files = [RotatingFile(tmp_path / "log.jsonl", 100, 100) for _ in range(3)]
    for number in range(1000, 1300):
        files[number % 3].write(b"%d\n" % number)
    found = lines_in(tmp_path)
    assert sorted(number for numbers in found.values() for number in numbers) == [*range(1000, 1300)]
    assert len(found) == 15
    assert all(len(numbers) == 20 for numbers in found.values())
    for file in files:
        file.close()


def test_a_line_is_never_divided_between_files(tmp_path):
    file = RotatingFile(tmp_path / "log.jsonl", 10, 5)
    for part in (b"1111\n", b"22", b"22222222\n", b"3\n"):
        file.write(part)
    assert lines_in(tmp_path) == {"log.1.jsonl": [1111, 2222222222], "log.jsonl": [3]}
    file.close()


def test_a_file_that_was_moved_away_is_begun_anew(tmp_path):
    path = tmp_path / "log.jsonl"
    file = RotatingFile(path, 1000, 5)
    file.write(b"1\n")
    path.rename(tmp_path / "moved")
    file.write(b"2\n")
    assert lines_in(tmp_path) == {"log.jsonl": [2], "moved": [1]}
    file.close()
