"""`round_id` and `game`: the caller's names for a round and its game. They only tie records of the decision log."""

from typing import Annotated, Any, Final

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema

from service.contract.faults import json_type, refusal

MAX_ID_CHARS: Final = 128


def _read(value: Any, info: ValidationInfo) -> str | None:
    """Return the text, None for null; raise `ValidationError` for anything else."""
    if value is None or (type(value) is str and 0 < len(value) <= MAX_ID_CHARS):
        return value
    accepted = f"a text of 1 to {MAX_ID_CHARS} characters"
    if type(value) is str:
        raise refusal(((), "out-of-range", f"{info.field_name} has {len(value)} characters; accepted: {accepted}"))
    raise refusal(((), "wrong-type", f"{info.field_name} is {json_type(value)}; accepted: {accepted}"))


def _schema(description: str) -> WithJsonSchema:
    text = {"type": "string", "minLength": 1, "maxLength": MAX_ID_CHARS}
    return WithJsonSchema({"anyOf": [text, {"type": "null"}], "description": description})


RoundId = Annotated[
    str | None,
    PlainValidator(_read),
    _schema(
        "The caller's name for the round, the same in all requests and results of a round and in no other. It is used "
        "only if the operator has set a decision log. It must not name a person."
    ),
]
GameId = Annotated[
    str | None,
    PlainValidator(_read),
    _schema("The caller's name for the game, the same in all its rounds, for the decision log."),
]
