"""The OpenAPI document has every route; its examples match its schemas, and answers match both."""

import jsonschema
import pytest

from service.problems import MEDIA_TYPE, TYPES

# The names of their schemas.
_HOT = {
    "/bid": "Bid",
    "/v1/bid": "Bid",
    "/v1/bids": "Bids",
    "/v1/bid/blind": "Blind",
    "/v1/inference": "Inference",
    "/v1/inferences": "Inferences",
    "/v1/results": "Results",
}


@pytest.fixture(scope="module")
def document(app) -> dict:
    return app.openapi()


def _check(document: dict, schema: dict, value: object) -> None:
    """Raise an error unless ``value`` matches ``schema``, whose references point into ``document``."""
    jsonschema.Draft202012Validator({**schema, "components": document["components"]}).validate(value)


def _operations(document: dict):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def _references(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "$ref":
                yield inner
            else:
                yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def test_it_is_served_as_3_1(call, document):
    assert document["openapi"].startswith("3.1.")
    assert call("GET", "/openapi.json").json() == document


def test_every_route_is_in_it(app, document):
    pages = {"/", "/docs", "/static/{name}", "/openapi.json"}
    assert {path for path, _, _ in _operations(document)} == {route.path for route in app.routes} - pages
    ids = [operation["operationId"] for _, _, operation in _operations(document)]
    assert len(set(ids)) == len(ids)


def test_every_reference_leads_somewhere(document):
    for reference in _references(document):
        _, components, kind, name = reference.split("/")
        assert name in document[components][kind]
    assert "HTTPValidationError" not in document["components"]["schemas"]


@pytest.mark.parametrize("path", _HOT)
def test_posts_are_documented_whole(document, path):
    operation = document["paths"][path]["post"]
    assert set(document["paths"][path]) == {"post"}
    body = operation["requestBody"]
    assert body["required"]
    name = f"{_HOT[path]}Request"
    assert body["content"]["application/json"]["schema"] == {"$ref": f"#/components/schemas/{name}"}
    assert body["content"]["application/json"]["examples"]
    assert operation["parameters"][0]["name"] == "X-Deadline-Ms"
    statuses = ("200", "400", "401", "405", "408", "413", "415", "422", "429", "431", "500", "503", "504")
    assert sorted(operation["responses"]) == list(statuses)
    answer = f"{_HOT[path]}Answer"
    content = operation["responses"]["200"]["content"]["application/json"]
    assert content["schema"] == {"$ref": f"#/components/schemas/{answer}"}


def test_every_answer_has_an_example_that_fits_its_schema(document):
    for path, _, operation in _operations(document):
        for status, response in operation["responses"].items():
            for media_type, content in response["content"].items():
                assert (media_type == MEDIA_TYPE) == (int(status) >= 400), (path, status)
                examples = [item["value"] for item in content.get("examples", {}).values()]
                examples += [content["example"]] if "example" in content else []
                assert examples, (path, status)
                for value in examples:
                    _check(document, content["schema"], value)


def test_problem_examples_cover_every_type(document):
    types = set()
    for _, _, operation in _operations(document):
        for response in operation["responses"].values():
            for content in response["content"].values():
                types |= {item["value"]["type"] for item in content.get("examples", {}).values()}
    assert types == {f"/problems/{name}" for name in TYPES}


@pytest.mark.parametrize("path", ["/bid", "/v1/bid", "/v1/bid/blind", "/v1/inference", "/v1/inferences", "/v1/results"])
def test_request_examples_fit_and_are_answered(call, document, path):
    content = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]
    for item in content["examples"].values():
        _check(document, content["schema"], item["value"])
        assert call("POST", path, json=item["value"]).status_code == 200


def test_unknown_fields_do_not_fit(document, request_body):
    schema = {"$ref": "#/components/schemas/BidRequest"}
    with pytest.raises(jsonschema.ValidationError):
        _check(document, schema, request_body | {"previousBids": []})
    with pytest.raises(jsonschema.ValidationError):
        _check(document, schema, request_body | {"seat": 4})


@pytest.mark.parametrize("policy", ["best", "bis", "rb", "ms", "io"])
@pytest.mark.parametrize("hand", ["AKJ62.AQ.Q.K9543", "3.8643.9752.T742", ".KQJ95.T8642.A73"])
def test_real_answers_fit_their_schema(call, document, policy, hand):
    for previous in ([], [4], [3, 1], [0, 5, 4]):
        request = {"hand": hand, "previous_bids": previous, "seat": len(previous), "policy": policy}
        request["scores"] = {"us": 430, "them": 445}
        for explain in (True, False, "brief"):
            response = call("POST", "/bid", json=request | {"explain": explain})
            assert response.status_code == 200
            _check(document, {"$ref": "#/components/schemas/BidAnswer"}, response.json())


def test_real_answers_elsewhere_fit_theirs(call, document):
    for path in ("/v1/policies", "/v1/rules", "/v1/reasons", "/healthz", "/readyz", "/version"):
        schema = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        _check(document, schema, call("GET", path).json())
