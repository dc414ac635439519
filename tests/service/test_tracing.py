"""SPADES_TRACING: a span for each request, named by its route, that continues the caller's trace."""

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from service.app import create_app
from service.settings import SettingsError
from tests.one_set import served
from tests.patience import patient

_TRACE = "0af7651916cd43dd8448eb211c80319c"
_PARENT = "b7ad6b7169203331"


def test_a_request_is_a_span_of_the_callers_trace(call, request_body):
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    service = served(tracing=True)
    headers = {"traceparent": f"00-{_TRACE}-{_PARENT}-01"}
    assert call("POST", "/bid", service, json=request_body, headers=headers).status_code == 200
    assert call("GET", "/problems/not-ready", service).status_code == 200
    bid, problem = exporter.get_finished_spans()
    assert (bid.name, problem.name) == ("POST /bid", "GET /problems/{name}")
    assert bid.parent is not None
    assert (f"{bid.parent.trace_id:032x}", f"{bid.parent.span_id:016x}") == (_TRACE, _PARENT)
    assert problem.parent is None


def test_without_the_extra_the_start_says_so(monkeypatch):
    monkeypatch.setattr("service.app.find_spec", lambda _: None)
    with pytest.raises(SettingsError, match="the extra `otel` is not installed"):
        create_app(patient(tracing=True))
