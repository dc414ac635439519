"""A server on loopback that answers as a test's script says."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class StubServer(ThreadingHTTPServer):
    """A server that keeps its requests as (path, content, address)."""

    def __init__(self, script):
        super().__init__(("127.0.0.1", 0), Stub)
        self.script = script
        self.seen: list[tuple] = []


class Stub(BaseHTTPRequestHandler):
    """A handler that answers with ``server.script(path, content)`` -> (status, headers, body or JSON value)."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # otherwise the body waits 40 ms until the client confirms the headers
    server: "StubServer"

    def do_POST(self):
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, content, self.client_address))
        status, headers, body = self.server.script(self.path, content)
        if status == 0:  # close without an answer
            self.close_connection = True
            return
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


@contextmanager
def stub_server(script):
    """Yield a running server, and stop it at the end; ``script``: see `Stub`."""
    server = StubServer(script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
