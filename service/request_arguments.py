"""Options of the command line for the fields of a request, derived from the contract: one option for each field.

A list is written with commas (3,nil), a list of tricks as KD-2D-QD-6D,4H-5H, and an object as NAME=VALUE,NAME=VALUE. An
option that is not given is left out of the request, so that the answer lists it under `assumed`.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from pydantic import TypeAdapter

from spades.arguments import decimal, integer, rule
from spades.contract.fields import RuleSet, Scores

Schema = Mapping[str, Any]
_FLAT: Final = {"scores": Scores}  # objects whose fields are options themselves
_LONGEST_EXAMPLE: Final = 40  # characters


def add_fields(
    command: argparse.ArgumentParser, model: Any, example: Mapping[str, Any], supplied: tuple[str, ...] = ()
) -> None:
    """Add an argument for each field of the request ``model``; its help has the field's description and an example.

    The command supplies the fields ``supplied`` itself if they are not given.
    """
    schema = TypeAdapter(model).json_schema()
    for name, described in schema["properties"].items():
        required = name in schema.get("required", ()) and name not in supplied
        if name == "rules":
            _add_rules(command)
        elif name in _FLAT:
            add_fields(command, _FLAT[name], example.get(name) or {})
        elif name == "hand":
            nargs = None if required else "?"
            command.add_argument(name, type=_hand, nargs=nargs, help=_help(described, None))
        else:
            forms = list(_forms(described, schema))
            option = f"--{name.replace('_', '-')}"
            text = _help(described, example.get(name), forms)
            command.add_argument(option, type=_reader(forms), metavar=_metavar(forms), required=required, help=text)


def request_of(options: argparse.Namespace, model: Any) -> dict[str, Any]:
    """Return the request that the arguments describe."""
    given = {name: value for name, value in vars(options).items() if value is not None}
    request: dict[str, Any] = {}
    for name in model.__annotations__:
        if name == "rules":
            members = ({"preset": given["preset"]} if "preset" in given else {}) | dict(given["rule"])
        elif name in _FLAT:
            members = {field: given[field] for field in _FLAT[name].__annotations__ if field in given}
        elif name in given:
            request[name] = given[name]
            continue
        else:
            continue
        if members:
            request[name] = members
    return request


def written(value: Any) -> str:
    """Return a value of a request as the command line reads it.

    >>> written([3, "nil"]), written([["KD", "2D"], ["4H"]]), written({"0": ["KD", "4H"], "1": []}), written(True)
    ('3,nil', 'KD-2D,4H', '0=KD-4H,1=', 'true')
    """
    if isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, dict):
        return ",".join(f"{name}={_item(item)}" for name, item in value.items())
    return ",".join(map(_item, value)) if isinstance(value, list) else str(value)


def _item(item: Any) -> str:
    return "-".join(map(str, item)) if isinstance(item, list) else str(item)


def _add_rules(command: argparse.ArgumentParser) -> None:
    preset = TypeAdapter(RuleSet).json_schema()["properties"]["preset"]
    command.add_argument("--preset", metavar="NAME", help=_help(preset, None, list(_forms(preset, {}))))
    change = "change one rule of the preset, such as nil_pass=2; can be repeated"
    command.add_argument("--rule", type=rule, action="append", default=[], metavar="NAME=VALUE", help=change)


def _help(described: Schema, example: Any, forms: list[Schema] | None = None) -> str:
    text = f"{str(described['description']).removesuffix('.')}."
    words = [word for form in forms or () for word in form.get("enum", ())]
    if words:
        text += f" Accepted: {', '.join(words)}."
    if "examples" in described:
        text += f" Example: {written(described['examples'][0])}"
    elif isinstance(example, (list, dict)) and 0 < len(written(example)) <= _LONGEST_EXAMPLE:
        text += f" Example: {written(example)}"
    return text.replace("%", "%%")


def _forms(described: Schema, schema: Schema) -> Iterator[Schema]:
    """Yield the schemas of the values of a field, without null."""
    if "$ref" in described:
        yield from _forms(schema["$defs"][described["$ref"].rpartition("/")[2]], schema)
    elif "anyOf" in described:
        for form in described["anyOf"]:
            yield from _forms(form, schema)
    elif described.get("type") != "null":
        yield described


def _reader(forms: list[Schema]) -> Callable[[str], Any]:
    form = forms[0]
    if form["type"] == "object":
        if "propertyNames" in form:
            return _by_seat
        members = [list(_forms(member, {})) for member in form["properties"].values()]
        return _numbers_by_name if members[0][0]["type"] == "number" else _texts_by_name
    if form["type"] == "array":
        item = form["items"]
        return _tricks if item.get("type") == "array" else _numbers if item.get("type") == "integer" else _words
    scalars: dict[str, Callable[[str], Any]] = {"integer": integer, "boolean": _boolean_or_word, "string": str}
    return scalars[form["type"]]


def _metavar(forms: list[Schema]) -> str | None:
    form = forms[0]
    if form["type"] == "object":
        return "SEAT=A-B,..." if "propertyNames" in form else "NAME=VALUE,..."
    if form["type"] == "array":
        return "A-B-C-D,..." if form["items"].get("type") == "array" else "A,B,..."
    return {"integer": "N", "boolean": "WORD", "string": "TEXT"}[form["type"]]


def _hand(text: str) -> str | list[str]:
    return _words(text) if "," in text else text


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")] if text.strip() else []


def _boolean_or_word(text: str) -> Any:
    return {"true": True, "false": False}.get(text, text)


def _tricks(text: str) -> list[list[str]]:
    return [[card.strip() for card in trick.split("-")] for trick in text.split(",")] if text.strip() else []


def _by_seat(text: str) -> dict[str, list[str]]:
    """Return the lists of an object by seat, as in 0=KD-4H,1=2D."""
    lists = _pairs(text, "each seat once, as in 0=KD-4H,1=2D") if text.strip() else {}
    return {seat: [item.strip() for item in items.split("-") if item.strip()] for seat, items in lists.items()}


def _numbers(text: str) -> list[int]:
    try:
        return [integer(number) for number in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}; accepted: four numbers such as 120,95,40,60") from None


def _numbers_by_name(text: str) -> dict[str, float]:
    expected = "names with numbers such as aggression=0.5,nil_bias=-0.3"
    try:
        return {name: decimal(value) for name, value in _pairs(text, expected).items()}
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}; accepted: {expected}") from None


def _texts_by_name(text: str) -> dict[str, str]:
    return _pairs(text, "each name once, as in partner=weak,left=bis")


def _pairs(text: str, expected: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if not equals or name in found:
            raise argparse.ArgumentTypeError(f"found {part!r}; accepted: {expected}")
        found[name] = value
    return found
