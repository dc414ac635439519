"""The endpoints, types and versions that the clients write down, against the contract."""

import re
import tomllib
from typing import NamedTuple, get_type_hints

import pytest
from spades_client import AsyncClient, Client, LocalBid, models, operations
from spades_client.operations import Operation

from clients.csharp_types import csharp_types
from clients.generate import CSHARP_TYPES, ROOT, TYPESCRIPT, contract

CSHARP = ROOT / "clients" / "csharp" / "Runtime" / "SpadesClient.cs"


class Endpoint(NamedTuple):
    """An endpoint as a client knows it: HTTP method, path, and the names of the schemas."""

    method: str
    path: str
    request: str
    answer: str


@pytest.fixture(scope="module")
def document():
    return contract()


@pytest.fixture(scope="module")
def endpoints(document):
    """By operation id, what programs call: not what pages and probes do, and `/bid` only with its version."""
    found = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if path.startswith("/v1/") or path == "/version":
                answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
                request = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
                names = [schema["$ref"].rpartition("/")[2] if schema else "" for schema in (request, answer)]
                found[operation["operationId"]] = Endpoint(method.upper(), path, *names)
    return found


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_the_python_client_has_every_endpoint(document, endpoints, kind):
    found = {}
    for name, operation in vars(operations).items():
        if isinstance(operation, Operation):
            hints = get_type_hints(getattr(kind, name.lower()))
            request, answer = hints.get("request"), hints["return"]
            names = request.__name__ if request else "", "BidAnswer" if answer is LocalBid else answer.__name__
            found[name.lower()] = Endpoint(operation.method, operation.path, *names)
            assert operation.field in document["components"]["schemas"][names[1]]["required"], name
    assert found == endpoints


def test_the_typescript_client_has_every_endpoint(document, endpoints):
    source = (TYPESCRIPT / "src" / "operations.ts").read_text()
    schema = r'Schemas\["(\w+)"\]'
    posts = re.findall(rf'(\w+): post<{schema}, {schema}>\("([\w/]+)", "(\w+)"', source)
    gets = re.findall(rf'(\w+): get<{schema}>\("([\w/]+)", "(\w+)"', source)
    found = {name: Endpoint("POST", path, request, answer) for name, request, answer, path, _ in posts}
    found |= {name: Endpoint("GET", path, "", answer) for name, answer, path, _ in gets}
    for *_, answer, _, field in (*posts, *gets):
        assert field in document["components"]["schemas"][answer]["required"], answer
    assert {re.sub("([A-Z])", r"_\1", name).lower(): endpoint for name, endpoint in found.items()} == endpoints


def test_the_typescript_client_has_a_method_for_every_endpoint(endpoints):
    source = (TYPESCRIPT / "src" / "client.ts").read_text()
    schema = r'(?:Schemas\["(\w+)"\]|LocalBid)'
    head = rf"^  (?:async )?(\w+)\((?:request: {schema}, )?options\?: CallOptions\): Promise<{schema}> \{{$"
    call = r".*?\.call\(operations\.(\w+), (request|undefined),"
    found = {}
    for name, request, answer, operation, body in re.findall(head + call, source, re.MULTILINE | re.DOTALL):
        assert (operation, body) == (name, "request" if request else "undefined")
        found[re.sub("([A-Z])", r"_\1", name).lower()] = request, answer or "BidAnswer"
    assert found == {name: (endpoint.request, endpoint.answer) for name, endpoint in endpoints.items()}


def test_the_csharp_client_has_every_endpoint(document, endpoints):
    source = CSHARP.read_text()
    head = r"public (?:async )?Task<(\w+)> (\w+)\(\s*(?:(\w+) request, )?"
    found = {}
    for answer, name, request, method, path, field in re.findall(
        head + r'.*?Call<\1>\(\s*"(\w+)", "([\w/]+)", "(\w+)"', source, re.DOTALL
    ):
        found[re.sub("(?<!^)([A-Z])", r"_\1", name).lower()] = Endpoint(method, path, request, answer)
        assert field in document["components"]["schemas"][answer]["required"], name
    assert found == endpoints


def test_the_csharp_types_are_up_to_date(document):
    assert csharp_types(document["components"]["schemas"]) == CSHARP_TYPES.read_text(), "run make clients"


def test_the_clients_have_the_version_of_the_contract(document):
    """tests/deploy/test_release.py compares those of the packages in other languages."""
    python = tomllib.loads((ROOT / "clients" / "python" / "pyproject.toml").read_text())["project"]["version"]
    assert python == document["info"]["version"]


def test_the_python_models_have_every_field(document):
    """A quick look; `make test-clients` compares the whole file with what the generator makes."""
    for name, schema in document["components"]["schemas"].items():
        found = getattr(models, name)
        assert set(found.__annotations__) == set(schema["properties"]), f"{name}: run make clients"
        required = {field for field, text in found.__annotations__.items() if "NotRequired" not in str(text)}
        assert required == set(schema.get("required", [])), f"{name}: run make clients"
