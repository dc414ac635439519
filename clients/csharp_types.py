"""The C# classes of the contract's requests and answers, for Newtonsoft.Json (`make clients`)."""

import textwrap
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]
REFUSED = "RefusedItem"
VALUE_TYPES = {"number": "double", "boolean": "bool"}
LARGEST_INT = 2**31 - 1
HEADER = """\
// The contract's requests and answers. `make clients` makes this file from the OpenAPI document.

using System.Collections.Generic;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Spades
{
"""


def csharp_types(schemas: dict[str, Schema]) -> str:
    """Return the source of one class for each schema that a request, an answer or a problem contains.

    Enums are strings, so that a value of a later version can be read. A choice of types is an object, except an item of
    a batch: it is a `BatchItem` of SpadesClient.cs.
    """
    used = [name for name in schemas if name.endswith(("Request", "Answer")) or name == "Problem"]
    for name in used:
        used += [other for other in _references(schemas[name]) if other not in used]
    classes = [
        _class(name, schema, schemas)
        for name, schema in schemas.items()
        if name in used and schema["properties"].keys() != {"status", "body"}  # an item of a batch
    ]
    return HEADER + "\n".join(classes) + "}\n"


def _references(value: Any) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(_references, value))
    if not isinstance(value, dict):
        return set()
    return {_target(value)} if "$ref" in value else _references(list(value.values()))


def _class(name: str, schema: Schema, schemas: dict[str, Schema]) -> str:
    lines = [*_summary(schema.get("description", ""), 4), f"    public sealed partial class {name}", "    {"]
    for field, found in schema["properties"].items():
        required = field in schema.get("required", ())
        lines += _summary(_meaning(found), 8)
        lines += [
            f'        [JsonProperty("{field}")]',
            f"        public {_type(found, schemas, required)} {_pascal(field)} {{ get; set; }}",
        ]
    lines += [
        *_summary("Fields of later versions; in a request, fields to send as null.", 8),
        "        [JsonExtensionData]",
        "        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();",
        "    }",
    ]
    return "\n".join(lines) + "\n"


def _type(schema: Schema, schemas: dict[str, Schema], required: bool = True) -> str:
    """Return the C# type of a schema. ``required``: a value type need not be able to be null."""
    if "$ref" in schema:
        return _target(schema)
    if "anyOf" in schema:
        options = [option for option in schema["anyOf"] if option != {"type": "null"}]
        if len(options) == 1:
            return _type(options[0], schemas, required=required and len(schema["anyOf"]) == 1)
        if options[-1] == {"$ref": f"#/components/schemas/{REFUSED}"}:
            return f"BatchItem<{_type(schemas[_target(options[0])]['properties']['body'], schemas)}>"
        return "object"
    kind = schema.get("type")
    if kind == "array":
        return f"List<{_type(schema['items'], schemas)}>"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"Dictionary<string, {_type(schema['additionalProperties'], schemas)}>"
    if kind == "string":
        return "string"
    if kind == "integer":
        value = "int" if schema.get("maximum", LARGEST_INT + 1) <= LARGEST_INT else "long"
    elif kind in VALUE_TYPES:
        value = VALUE_TYPES[kind]
    else:
        return "object"
    return value if required else value + "?"


def _target(schema: Schema) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _pascal(field: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in field.split("_"))


def _meaning(schema: Schema) -> str:
    """Return the description, and the values of an enum."""
    found = [schema, *schema.get("anyOf", ())]
    values = [value for one in found for value in one.get("enum", [one["const"]] if "const" in one else [])]
    text = schema.get("description", "")
    return f"{text} Values: {', '.join(map(str, values))}.".strip() if values else str(text)


def _summary(text: str, indent: int) -> Iterator[str]:
    """Yield the lines of an XML comment."""
    plain = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if plain:
        start = " " * indent + "/// "
        whole = f"<summary>{plain}</summary>"
        yield from textwrap.wrap(whole, 120, initial_indent=start, subsequent_indent=start, break_on_hyphens=False)
