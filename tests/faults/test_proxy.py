"""The service behind nginx: both see the same requests, whatever a client sends.

nginx keeps its connections to the service open and uses them for all clients. If the two saw the end of a request at
different bytes, one client's bytes could become another client's request or answer.
"""

import json
import os
import shutil
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from loadtest.servers import stop
from tests.faults.conftest import BODY, free_port, new_keys_file, read_answers, request_bytes
from tests.faults.wire_cases import UPGRADE, framing_cases, upgrade_cases
from tests.patience import LIMIT_S, PATIENT, get, wait_until
from tests.service.conftest import ROOT, START_S, serve_command

pytestmark = pytest.mark.skipif(
    shutil.which("nginx") is None, reason="SKIPPED: nginx is not installed (.ci/run installs it)"
)

# The first server reads a body before it passes the request on, as nginx does by default. The second passes on a body
# as it arrives, and the fields that ask for another protocol.
_NGINX = """daemon off; master_process off; pid {directory}/pid; error_log {directory}/error.log;
events {{ worker_connections 256; }}
http {{
  log_format requests '$http_x_request_id $upstream_status'; access_log {directory}/access.log requests;
  client_body_temp_path {directory}/body; proxy_temp_path {directory}/proxy;
  fastcgi_temp_path {directory}/f; uwsgi_temp_path {directory}/u; scgi_temp_path {directory}/s;
  client_header_timeout 5s; client_body_timeout 1s; proxy_read_timeout {patience_s:.0f}s;
  proxy_next_upstream off;
  map $http_upgrade $connection_field {{ "" ""; default "$http_connection"; }}
  upstream service {{ server 127.0.0.1:{service}; keepalive 4; }}
  server {{
    listen 127.0.0.1:{whole};
    location / {{ proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection ""; }}
  }}
  server {{
    listen 127.0.0.1:{streamed};
    location / {{
      proxy_pass http://service; proxy_http_version 1.1; proxy_request_buffering off; proxy_buffering off;
      proxy_set_header Upgrade $http_upgrade; proxy_set_header HTTP2-Settings $http_http2_settings;
      proxy_set_header Connection $connection_field; proxy_set_header Host $http_host;
    }}
  }}
}}
"""


@dataclass(frozen=True)
class Proxied:
    """The two ports of nginx, the logs of nginx and of the service, and an empty key."""

    ports: dict[str, int]  # by kind: whole, streamed
    proxy_log: Path
    service_log: Path
    secret: str

    def smuggled(self) -> Counter[str]:
        """Return the ids of hidden requests that the service has executed and nginx has not passed on."""
        executed = (json.loads(line)["request_id"] for line in self.service_log.read_text().splitlines())
        lines = (line.rsplit(" ", 1) for line in self.proxy_log.read_text("latin-1").splitlines())
        forwarded = (name for name, status in lines if status != "-")
        more = Counter(executed)
        more.subtract(forwarded)
        return Counter({name: count for name, count in more.items() if name.startswith("smuggled-")})


@pytest.fixture(scope="module", params=["plain", "keys"])
def proxied(request, tmp_path_factory) -> Iterator[Proxied]:
    work = tmp_path_factory.mktemp("proxy")
    ports = {kind: free_port() for kind in ("service", "whole", "streamed")}
    settings = {"SPADES_ACCESS_LOG": "1", "SPADES_READ_S": "2", "SPADES_DRAIN_S": "0"}
    secret = ""
    if request.param == "keys":
        path, secret = new_keys_file(work)
        settings["SPADES_API_KEYS_FILE"] = str(path)
    config = work / "nginx.conf"
    config.write_text(_NGINX.format(directory=work, patience_s=START_S, **ports))
    with ExitStack() as stack:
        log = stack.enter_context((work / "service.log").open("wb"))
        command = [*serve_command(), "--port", str(ports["service"])]
        stack.callback(stop, subprocess.Popen(command, cwd=ROOT, env=os.environ | PATIENT | settings, stdout=log))
        nginx = ["nginx", "-e", str(work / "error.log"), "-p", str(work), "-c", str(config)]
        stack.callback(stop, subprocess.Popen(nginx))

        def up() -> bool:
            try:
                return get(f"http://127.0.0.1:{ports['streamed']}/readyz").status_code == 200
            except httpx.TransportError:
                return False

        wait_until(up, "nginx or the service is not up in time")
        yield Proxied(
            {kind: ports[kind] for kind in ("whole", "streamed")}, work / "access.log", work / "service.log", secret
        )


def _talk(port: int, data: bytes, last: bytes, cut: int = 0, pause_s: float = 0.03) -> bytes:
    """Send ``data`` in two pieces; read to the answer with the id ``last`` or the end."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if cut:
                connection.sendall(data[:cut])
                time.sleep(pause_s)
            connection.sendall(data[cut:])
            while b"x-request-id: %b\r\n" % last not in received or not received.endswith(b"}"):
                piece = connection.recv(1 << 20)
                if not piece:
                    break
                received += piece
        except (ConnectionError, TimeoutError):
            pass
    return received


def _health(name: bytes) -> bytes:
    return b"GET /healthz HTTP/1.1\r\nHost: service\r\nX-Request-ID: %b\r\n\r\n" % name


_CASES = [*framing_cases(), *upgrade_cases()]


@pytest.mark.parametrize("kind", ["whole", "streamed"])
@pytest.mark.parametrize("pause_s", [None, 0.0, 0.0002, 0.03])
def test_nginx_and_the_service_agree_on_every_request(proxied, kind, pause_s):
    """After each hostile case, ordinary requests get their own answers.

    Bodies follow their heads at once or after ``pause_s``, because nginx passes on what it has. If the answer may be
    sent before the body arrives, the attack is repeated.
    """
    port = proxied.ports[kind]
    before = proxied.smuggled()

    def attack(number):
        data = _CASES[number].numbered(number)
        cut = 0 if pause_s is None else data.find(b"\r\n\r\n") + 4
        is_race = pause_s is not None and pause_s < 0.001 and _CASES[number].name.startswith("upgrade")
        for _ in range(5 if is_race else 1):
            last = b"next-%d" % number
            _talk(port, data + _health(last), last, cut, pause_s or 0.0)
        wrong = []
        for turn in range(3):
            name = b"after-%d-%d" % (number, turn)
            answers = read_answers(_talk(port, _health(name), name))
            if [(status, headers.get("x-request-id")) for status, headers, _ in answers] != [(200, name.decode())]:
                wrong.append((_CASES[number].name, answers))
        return wrong

    with ThreadPoolExecutor(8) as pool:
        wrong = [found for case in pool.map(attack, range(len(_CASES))) for found in case]
    time.sleep(0.5)  # for a hidden request that is still being executed

    def smuggled() -> set[str]:
        """Return the cases of which the service executed a request, but nginx (which logs later) did not send it."""
        return {_CASES[int(name[-3:])].name for name in proxied.smuggled() - before}

    wait_until(lambda: not smuggled(), smuggled)
    assert wrong == [], "a stranger's answer"


@pytest.mark.parametrize("kind", ["whole", "streamed"])
def test_an_upgrade_through_nginx_gets_its_answer(proxied, kind):
    port = proxied.ports[kind]
    authorization = f"Authorization: Bearer {proxied.secret}" if proxied.secret else "A: b"
    expected = read_answers(_talk(port, request_bytes(BODY, authorization, "X-Request-ID: plain"), b"plain"))[0]
    assert expected[0] == 200
    head = b"POST /bid HTTP/1.1\r\nHost: service\r\nX-Request-ID: first\r\n%b\r\n" % authorization.encode() + UPGRADE
    length = head + b"Content-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
    chunks = head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)
    for data in (length, chunks):
        answers = read_answers(_talk(port, data + _health(b"second"), b"second"))
        assert [(status, headers["x-request-id"]) for status, headers, _ in answers] == [
            (200, "first"),
            (200, "second"),
        ]
        assert answers[0][2] == expected[2]


@pytest.mark.parametrize("kind", ["whole", "streamed"])
def test_trailers_through_nginx_have_no_effect(proxied, kind):
    key = f"Authorization: Bearer {proxied.secret}\r\n".encode() if proxied.secret else b""
    body = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n" % (len(BODY), BODY)
    trailers = b"X-Deadline-Ms: 0\r\nContent-Length: 5\r\nHost: other\r\nX-Request-ID: trailed\r\n"
    for before, after, status in ((key, b"", 200), (b"", key, 401 if key else 200)):
        head = b"POST /bid HTTP/1.1\r\nHost: service\r\nX-Request-ID: first\r\n" + before
        data = head + body + trailers + after + b"\r\n" + _health(b"second")
        answers = read_answers(_talk(proxied.ports[kind], data, b"second"))
        found = [(answer, headers["x-request-id"]) for answer, headers, _ in answers]
        assert found == [(status, "first"), (200, "second")]
