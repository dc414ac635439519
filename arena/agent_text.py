"""The text form of agents, `name(key=value, ...)`, and the spellings that it replaced.

A value may have options of its own, as in ``bis(endgame=off, cards=uct(tricks=5))``. The functions that make agents
declare their options as `Option`, and `read_options` checks a text against them. `arena.agents` has the registry.

Earlier spellings are translated here and nowhere else:

| earlier | now |
|---|---|
| ``bis:endgame=off,tables=FOLDER`` | ``bis(endgame=off, tables=FOLDER)`` |
| ``uct:5,samples=200`` | ``uct(tricks=5, samples=200)`` |
| ``search:deals=64``, ``q@1:net=conv`` | ``search(deals=64)``, ``q@1(net=conv)`` |
| ``blend:0.4`` | ``blend(wrp=0.4)`` |
| ``model:FOLDER,kind=human`` | ``model(folder=FOLDER, kind=human)`` |
| ``public:trickster`` | ``public(bot=trickster)`` |
| ``python:FILE:NAME`` | ``python(file=FILE, name=NAME)`` |
| ``http://HOST/bid?policy=ms`` | ``http(url=http://HOST/bid, policy=ms)`` |

Options in brackets may follow an earlier spelling too: ``http://HOST(cards=on)``.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from arena.errors import AgentError
from spades.arguments import decimal, integer

# By name, the option whose value came first and without its key in the earlier spelling.
_FIRST = {"uct": "tricks", "uct@2": "tricks", "blend": "wrp", "model": "folder", "public": "bot"}
_REQUIRED = object()
T = TypeVar("T")


class AgentText(NamedTuple):
    """The name and the options of an agent, in the order in which they were written."""

    name: str
    options: dict[str, str]  # by key; the value is empty if there is only a key, as in ``bis(tuned)``

    def __str__(self) -> str:
        options = ", ".join(f"{key}={value}" if value else key for key, value in self.options.items())
        return f"{self.name}({options})" if options else self.name

    def without(self, *keys: str) -> "AgentText":
        """Return the text without the options ``keys``."""
        return AgentText(self.name, {key: value for key, value in self.options.items() if key not in keys})


class Option(NamedTuple):
    """An option of an agent."""

    key: str
    read: Callable[[str], Any]  # raises ValueError
    accepted: str  # the values, as errors and help say them
    default: Any = _REQUIRED
    about: str = ""

    @property
    def required(self) -> bool:
        """Return whether a text must have the option."""
        return self.default is _REQUIRED


def parse_text(text: str) -> AgentText:
    """Return the name and the options of a text in the present form or in an earlier one. Raises `AgentError`.

    >>> str(parse_text("uct:5,samples=200")), str(parse_text("bis(endgame=off, cards=uct(tricks=5))"))
    ('uct(tricks=5, samples=200)', 'bis(endgame=off, cards=uct(tricks=5))')
    >>> str(parse_text("python:bots/my_bot.py:Bot")), str(parse_text("http://host:8080(cards=on)"))
    ('python(file=bots/my_bot.py, name=Bot)', 'http(url=http://host:8080, cards=on)')
    """
    head, inside = _head_and_options(text)
    name, pairs = _of_earlier(head)
    if inside is not None:
        pairs += [_pair(part.strip()) for part in split_outside_brackets(inside)] if inside.strip() else []
    elif ":" in head and head.partition(":")[2] == "":
        raise AgentError(f"agent is {text!r}: option is ''; accepted: {name}, or {name}(KEY=VALUE)")
    options: dict[str, str] = {}
    for key, value in pairs:
        if not key or key in options:
            found = f"{key}={value}" if value else key
            raise AgentError(f"{text}: option is {found!r}; accepted: KEY=VALUE, each key at most once")
        options[key] = value
    if not name:
        raise AgentError(f"agent is {text!r}; accepted: a name such as bis, or NAME(KEY=VALUE)")
    return AgentText(name, options)


def read_options(text: AgentText, declared: Iterable[Option]) -> dict[str, Any]:
    """Return the values of the ``declared`` options by key. Raises `AgentError`.

    >>> read_options(parse_text("uct:5"), [whole("tricks", 1, 13), whole("samples", 1, 9000, 500)])
    {'tricks': 5, 'samples': 500}
    """
    known = {option.key: option for option in declared}
    for key, value in text.options.items():
        if key not in known:
            found = f"{key}={value}" if value else key
            accepted = (
                ", ".join(f"{one.key}={one.accepted}" for one in known.values()) or f"{text.name}, without options"
            )
            raise AgentError(f"{text}: option is {found!r}; accepted: {accepted}")
    values = {}
    for key, option in known.items():
        if key not in text.options and option.required:
            raise AgentError(f"{text}: {key} is missing; accepted: {key}={option.accepted}")
        try:
            values[key] = option.read(text.options[key]) if key in text.options else option.default
        except ValueError:
            raise AgentError(f"{text}: {key} is {text.options[key]!r}; accepted: {option.accepted}") from None
    return values


def split_outside_brackets(text: str) -> list[str]:
    """Return the parts of a text between its commas, except those within brackets. Raises `AgentError`.

    >>> split_outside_brackets("uct(tricks=5, c=90),srp")
    ['uct(tricks=5, c=90)', 'srp']
    """
    parts, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            break
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    if depth:
        raise AgentError(f"{text!r} has brackets that do not match; accepted: NAME(KEY=VALUE, ...)")
    return parts


# ---- options ---------------------------------------------------------------------------------------------------------


def whole(key: str, low: int, high: int, default: Any = _REQUIRED, about: str = "") -> Option:
    """Return an option whose value is a whole number from ``low`` to ``high``."""
    return Option(key, _checked(integer, lambda n: low <= n <= high), f"{low} to {high}", default, about)


def share(key: str, default: Any = _REQUIRED, about: str = "") -> Option:
    """Return an option whose value is a probability."""
    return Option(key, _checked(decimal, lambda p: 0 <= p <= 1), "0 to 1", default, about)


def one_of(key: str, values: Iterable[str], default: Any = _REQUIRED, about: str = "") -> Option:
    """Return an option whose value is one of ``values``."""
    accepted = tuple(values)
    return Option(key, _checked(str, accepted.__contains__), ", ".join(accepted), default, about)


def some_text(key: str, accepted: str, default: Any = _REQUIRED, about: str = "") -> Option:
    """Return an option whose value is any text that is not empty, such as a path."""
    return Option(key, _checked(str, bool), accepted, default, about)


def _checked(read: Callable[[str], T], accepts: Callable[[T], bool]) -> Callable[[str], T]:
    """Return ``read``, with a `ValueError` for values that are not accepted."""

    def value(text: str) -> T:
        found = read(text)
        if not accepts(found):
            raise ValueError(text)
        return found

    return value


# ---- the two forms ---------------------------------------------------------------------------------------------------


def _head_and_options(text: str) -> tuple[str, str | None]:
    """Return what is before the brackets that end a text, and what is in them; None: it has no brackets at its end."""
    if not text.endswith(")"):
        if "(" in text and ":" not in text:
            raise AgentError(f"agent is {text!r}; accepted: NAME(KEY=VALUE, ...), with a bracket at the end")
        return text, None
    depth = 0
    for place in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[place], 0)
        if depth == 0:
            return text[:place], text[place + 1 : -1]
    raise AgentError(f"{text!r} has brackets that do not match; accepted: NAME(KEY=VALUE, ...)")


def _of_earlier(head: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the name and the options of a text without brackets, which may be in an earlier spelling."""
    if head.startswith("http:"):
        url, _, query = head.partition("?")
        return "http", [("url", url), *(_pair(part) for part in query.split("&") if part)]
    name, _, rest = head.partition(":")
    if name == "python" and rest:
        file, _, function = rest.rpartition(":")
        return name, [("file", file), ("name", function)]
    parts = rest.split(",") if rest else []
    pairs = [_pair(part) for part in parts]
    if name in _FIRST and parts and (name == "model" or "=" not in parts[0]):
        pairs[0] = (_FIRST[name], parts[0])
    return name, pairs


def _pair(part: str) -> tuple[str, str]:
    key, _, value = part.partition("=")
    return key.strip(), value.strip()


def policy_text(name: str, options: Mapping[str, str]) -> str:
    """Return a policy text of `spades.policies`: ``bis:tuned,offset=1``."""
    listed = ",".join(f"{key}={value}" if value else key for key, value in options.items())
    return f"{name}:{listed}" if listed else name
