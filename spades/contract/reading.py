"""What all readers of requests share: fields as pydantic reads them, the items of a batch, the limit of fields."""

from typing import Any, Final

from pydantic import ValidationError, WithJsonSchema

from spades.contract.canonical import in_canonical_form
from spades.contract.faults import Fault, RequestError, faults_in, json_type
from spades.contract.rules import Context
from spades.rules import Rules

MAX_KEYS: Final = 64  # maximum number of fields in a request, including those in its objects
_OBJECTS: Final = ("scores", "rules", "style", "players")  # fields of a request that are objects


def read_fields(data: Any, validate: Any) -> tuple[dict[str, Any], Rules]:
    """Return the fields of a request as ``validate`` reads them, and the rules in force. Raises `RequestError`.

    It is for requests without a policy that bids.
    """
    if type(data) is not dict:
        raise RequestError([Fault("", "wrong-type", f"the request is {json_type(data)}; accepted: an object")])
    context = Context()
    try:
        return validate(data, context=context), context.rules
    except ValidationError as error:
        check_field_count(data)
        if (respelled := in_canonical_form(data)) is not None:
            return read_fields(respelled, validate)
        raise RequestError(faults_in(error)) from None


def items_schema(model: str, most: int) -> WithJsonSchema:
    """Return the schema of a batch's items, which `read_batch` does not read: up to ``most`` of ``model``."""
    return WithJsonSchema({"type": "array", "items": {"$ref": f"#/components/schemas/{model}"}, "maxItems": most})


def read_batch(data: Any, validate: Any, field: str = "requests") -> list[Any]:
    """Return the unread items of ``field`` in the body of a batch, as ``validate`` reads it. Raises `RequestError`."""
    if type(data) is not dict:
        raise RequestError([Fault("", "wrong-type", f"the body is {json_type(data)}; accepted: an object")])
    check_field_count(data)
    try:
        return validate(data)[field]  # type: ignore[no-any-return]
    except ValidationError as error:
        raise RequestError(faults_in(error)) from None


def check_field_count(data: Any) -> None:
    """Refuse a request with more than MAX_KEYS fields; for large bodies, before the fields are read."""
    if type(data) is not dict:
        return
    if len(data) <= MAX_KEYS:
        fields = len(data)
        for value in data.values():
            if type(value) is dict:
                fields += len(value)
        if fields <= MAX_KEYS:
            return
    sizes = {"": len(data)}
    sizes |= {f"/{name}": len(data[name]) for name in _OBJECTS if type(data.get(name)) is dict}
    for where, size in sizes.items():
        if size > MAX_KEYS:
            detail = f"{size} fields; accepted: at most {MAX_KEYS}"
            raise RequestError([Fault(where, "too-many-items", detail)])
    if sum(sizes.values()) > MAX_KEYS:
        detail = f"{sum(sizes.values())} fields, those of {', '.join(_OBJECTS)} included; accepted: at most {MAX_KEYS}"
        raise RequestError([Fault("", "too-many-items", detail)])
