"""The undocumented parts of uvicorn that `server.py` and `protocol/` use; a release that changes them fails here."""

import inspect

import pytest
import uvicorn
from uvicorn.server import ServerState


@pytest.mark.parametrize("name", ["connections", "tasks", "total_requests", "default_headers"])
def test_the_server_state_has(name):
    assert hasattr(ServerState(), name), f"uvicorn.server.ServerState.{name} is gone: see service.protocol.connection"


@pytest.mark.parametrize("name", ["handle_exit", "on_tick", "shutdown", "main_loop", "startup"])
def test_the_server_has_the_hook(name):
    assert hasattr(uvicorn.Server, name), f"uvicorn.Server.{name} is gone: see server.DrainingServer"


@pytest.mark.parametrize(
    ("hook", "text"),
    [
        ("startup", "config.http_protocol_class("),
        ("startup", "server_state=self.server_state"),
        ("startup", "self.servers"),
        ("shutdown", "connection.shutdown()"),
        ("shutdown", "self.servers"),
        ("main_loop", "self.on_tick(counter)"),
        ("on_tick", "self.server_state.default_headers"),
    ],
)
def test_the_server_still_calls_it_so(hook, text):
    """Check uvicorn's source, because nothing else shows how it makes and stops connections."""
    source = inspect.getsource(getattr(uvicorn.Server, hook))
    assert text in source, f"uvicorn.Server.{hook} has no {text!r} any more: see server.DrainingServer"


@pytest.mark.parametrize("name", ["started", "should_exit", "force_exit", "server_state", "config"])
def test_a_server_has(name):
    async def app(scope, receive, send):
        raise AssertionError("not called")

    assert hasattr(uvicorn.Server(uvicorn.Config(app)), name), f"uvicorn.Server().{name} is gone: see server.serve"
