"""Real servers on loopback: the worked hand, connections, limits, stopping, damaged tables."""

import json
import re
import shutil
import signal
import socket
import time
from contextlib import contextmanager

import httpx
import pytest

from service.keys import new_key
from spades.tableset import DEFAULT_DIRECTORY
from tests.patience import LIMIT_S, get, post, wait_until
from tests.servers import START_S, refused_start

_WORKED = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [], "seat": 0}
_BODY = json.dumps(_WORKED).encode()


@contextmanager
def _connection(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=LIMIT_S) as connection:
        yield connection


def _refuses(server) -> bool:
    """Return whether the server has closed its socket."""
    try:
        with socket.create_connection(("127.0.0.1", server.port), timeout=LIMIT_S):
            return False
    except ConnectionRefusedError:
        return True


def _head(path: str, *headers: str) -> bytes:
    return "\r\n".join([f"POST {path} HTTP/1.1", "Host: service", *headers, "", ""]).encode()


def _response(connection: socket.socket) -> tuple[int, bytes]:
    """Read one response by its Content-Length; return status and body."""
    data = b""
    while b"\r\n\r\n" not in data:
        received = connection.recv(65536)
        assert received, data
        data += received
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    while len(body) < length:
        body += connection.recv(65536)
    return int(head.split()[1]), body


def test_the_worked_hand(server):
    """ECAI 2020, Fig. 1, with the figures in docs/explanation/how-bis-bids.md: 2 + 2.30 + .99 + .68 = 5.97."""
    answer = post(f"{server.url}/bid", json=_WORKED).raise_for_status().json()
    regular, nil = answer["explanation"]["regular"], answer["explanation"]["nil"]
    assert regular["side_high"] == pytest.approx({"H": 0.9908, "D": 0.0, "C": 0.6767}, abs=5e-5)
    assert regular["spade_high"] == 2
    assert regular["ruffs"] == pytest.approx(2.3034, abs=1e-4)
    assert regular["estimate"] - regular["previous_bids_factor"] == pytest.approx(5.971, abs=5e-4)
    assert nil["cnil"] == pytest.approx({"S": 0.0, "H": 0.0084, "D": 0.5714, "C": 1.0}, abs=0.006)
    assert nil["value"] == 0
    assert answer["bid"] == regular["takes"] == 6


def test_one_connection_for_many_requests(server):
    with httpx.Client(base_url=server.url, timeout=LIMIT_S) as client:
        for _ in range(3):
            response = client.post("/bid", json=_WORKED)
            assert response.status_code == 200
            assert "connection" not in response.headers
    with _connection(server) as connection:
        for _ in range(3):
            connection.sendall(_head("/bid", f"Content-Length: {len(_BODY)}") + _BODY)
            assert _response(connection)[0] == 200


def test_pipelined_requests_are_answered_in_order(server):
    request = _head("/bid", f"Content-Length: {len(_BODY)}") + _BODY
    with _connection(server) as connection:
        connection.sendall(request + b"GET /healthz HTTP/1.1\r\nHost: service\r\n\r\n")
        assert _response(connection)[0] == 200


def test_head_leaves_the_connection_usable(server):
    with httpx.Client(base_url=server.url, timeout=LIMIT_S) as client:
        for path in ("/healthz", "/readyz", "/metrics"):
            head = client.head(path)
            assert (head.status_code, head.content) == (200, b"")
            assert int(head.headers["content-length"]) > 0
        assert client.post("/bid", json=_WORKED).status_code == 200


def test_what_is_no_http_is_answered(server):
    with _connection(server) as connection:
        connection.sendall(b"\x16\x03\x01 TLS, perhaps\r\n\r\n")
        assert b"".join(iter(lambda: connection.recv(1024), b"")).startswith(b"HTTP/1.1 400 ")


def test_a_declared_oversize_is_refused_before_it_comes(server):
    with _connection(server) as connection:
        connection.sendall(_head("/bid", "Content-Length: 100000000"))
        status, body = _response(connection)
        assert status == 413
        assert json.loads(body)["type"] == "/problems/body-too-large"


def test_a_chunked_oversize_is_refused_before_its_end(server):
    with _connection(server) as connection:
        connection.sendall(_head("/bid", "Transfer-Encoding: chunked"))
        for _ in range(9):  # 72 KiB, without the last chunk
            connection.sendall(b"2000\r\n" + b" " * 0x2000 + b"\r\n")
        status, body = _response(connection)
        assert status == 413
        assert json.loads(body)["status"] == 413


def test_the_connection_is_of_use_after_a_413(server):
    with _connection(server) as connection:
        connection.sendall(_head("/bid", "Content-Length: 70000") + b" " * 70_000)
        assert _response(connection)[0] == 413
        connection.sendall(_head("/bid", f"Content-Length: {len(_BODY)}") + _BODY)
        assert _response(connection)[0] == 200


def test_chunked_bodies_are_read(server):
    with _connection(server) as connection:
        connection.sendall(_head("/bid", "Transfer-Encoding: chunked"))
        connection.sendall(b"%x\r\n%b\r\n" % (20, _BODY[:20]))
        time.sleep(0.05)
        connection.sendall(b"%x\r\n%b\r\n0\r\n\r\n" % (len(_BODY) - 20, _BODY[20:]))
        assert _response(connection)[0] == 200


def test_a_caller_that_leaves_harms_nobody(server):
    with _connection(server) as connection:
        connection.sendall(_head("/bid", f"Content-Length: {len(_BODY)}") + _BODY[:10])
    assert post(f"{server.url}/bid", json=_WORKED).status_code == 200


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_with_exit_code_0(serve, stop):
    with serve() as running, httpx.Client(base_url=running.url, timeout=LIMIT_S) as client:
        assert client.get("/readyz").status_code == 200
        running.process.send_signal(stop)
        _, log = running.process.communicate(timeout=START_S)
        assert running.process.returncode == 0, log
        assert "Traceback" not in log


def test_sigterm_says_not_ready_then_drains(serve):
    settings = {"SPADES_DRAIN_S": "5", "SPADES_GRACE_S": "300"}
    with serve(**settings) as running, httpx.Client(base_url=running.url, timeout=LIMIT_S) as client:
        with _connection(running) as under_way:
            under_way.sendall(_head("/bid", f"Content-Length: {len(_BODY)}") + _BODY[:10])
            assert client.post("/bid", json=_WORKED).status_code == 200
            running.process.send_signal(signal.SIGTERM)
            wait_until(lambda: client.get("/readyz").status_code == 503)
            assert client.get("/healthz").status_code == 200
            assert client.post("/bid", json=_WORKED).status_code == 200
            wait_until(lambda: _refuses(running))  # requests in progress may end
            under_way.sendall(_BODY[10:])
            assert _response(under_way)[0] == 200
        assert running.process.wait(START_S) == 0


def test_broken_tables_stop_the_start(tmp_path):
    directory = tmp_path / "data"
    shutil.copytree(DEFAULT_DIRECTORY, directory)
    content = bytearray((directory / "cnil.npy").read_bytes())
    content[-1] ^= 1
    (directory / "cnil.npy").write_bytes(content)
    (line,) = refused_start(SPADES_TABLES_DIR=str(directory))
    assert re.search(r"cnil\.npy: found .*; expected ", json.loads(line)["message"])


TWO_WORKERS = ("--workers", "2")


@pytest.mark.parametrize("arguments", [pytest.param((), marks=pytest.mark.long), TWO_WORKERS])
def test_several_table_sets_without_a_default_stop_the_start(made_sets, arguments):
    lines = refused_start(*arguments, SPADES_TABLES_DIR=str(made_sets[0]))
    listed = ", ".join(made_sets[1])
    text = f"SPADES_TABLES_VERSION is not set; expected one of {listed}"
    assert [json.loads(line)["message"] for line in lines] == [text]


def test_a_restart_reads_the_roles_again(serve, folder, made_sets):
    one, two, _ = made_sets[1]
    folder.link(one, two)
    for default in (one, two):
        folder.releases(default=default)
        with serve(SPADES_TABLES_DIR=str(folder.path)) as running:
            assert get(f"{running.url}/readyz").json() == {"status": "ready", "tables": default}


@pytest.mark.parametrize(
    ("fault", "arguments"),
    [
        ("empty", ()),
        ("anyone can write it", TWO_WORKERS),
        pytest.param("empty", TWO_WORKERS, marks=pytest.mark.long),
        pytest.param("anyone can write it", (), marks=pytest.mark.long),
    ],
)
def test_a_key_file_that_is_no_good_stops_the_start(tmp_path, fault, arguments):
    path = tmp_path / "keys"
    path.write_text("" if fault == "empty" else new_key("me").line)
    path.chmod(0o600 if fault == "empty" else 0o646)
    (line,) = refused_start(*arguments, SPADES_API_KEYS_FILE=str(path))
    message = json.loads(line)["message"]
    assert message.startswith(f"{path}: {'no keys found' if fault == 'empty' else 'mode is 0646'}")


@pytest.mark.parametrize(
    ("name", "value", "arguments"),
    [
        ("SPADES_DECISION_LOG", "/proc/log.jsonl", ()),
        pytest.param("SPADES_DECISION_LOG", "/proc/log.jsonl", TWO_WORKERS, marks=pytest.mark.long),
        ("PROMETHEUS_MULTIPROC_DIR", "/no/such/folder", TWO_WORKERS),  # one worker does not use it
    ],
)
def test_what_a_worker_would_refuse_stops_the_start(name, value, arguments):
    (line,) = refused_start(*arguments, **{name: value})
    assert json.loads(line)["message"].startswith(f"{name} is {value!r}")
