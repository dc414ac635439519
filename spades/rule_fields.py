"""The declaration of one field of `Rules`, and the check that a declaration is complete.

`rules.Rules` holds one `Rule` for each field. All code that needs the fields reads them from `rules.FIELDS`. This
module has no game logic and no values of particular fields.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, ClassVar, TypeAlias, get_type_hints

_UNDECIDED: Any = object()


@dataclass(frozen=True)
class Flag:
    """The values true and false, stored as 1 and 0."""

    json_type: ClassVar[str] = "boolean"
    expected: ClassVar[str] = "true or false"
    supported: ClassVar[str] = "true, false"

    def number_of(self, value: object) -> int | None:
        """Return the number that is stored for a JSON value, or None if the value is not accepted."""
        return int(value) if isinstance(value, bool) else None

    def json_of(self, number: int) -> bool:
        """Return the JSON value of a stored number: the inverse of `number_of`."""
        return bool(number)


@dataclass(frozen=True)
class Integer:
    """Integers from ``low`` to ``high``. If ``null`` is given, JSON null is also accepted and stored as that number."""

    low: int
    high: int
    null: int | None = None
    json_type: ClassVar[str] = "integer"

    @property
    def expected(self) -> str:
        """The accepted values, for an error message."""
        return f"an integer {self.low}..{self.high}" + ("" if self.null is None else " or null")

    @property
    def supported(self) -> str:
        """The accepted values, for the catalogue."""
        return f"{self.low}..{self.high}" + ("" if self.null is None else ", null")

    def number_of(self, value: object) -> int | None:
        """Return the number that is stored for a JSON value, or None if the value is not accepted."""
        if value is None:
            return self.null
        return value if type(value) is int and self.low <= value <= self.high else None

    def json_of(self, number: int) -> int | None:
        """Return the JSON value of a stored number: the inverse of `number_of`."""
        return None if number == self.null else number


@dataclass(frozen=True)
class Word:
    """A closed list of words, stored as the index of the word. If ``null`` is given, JSON null stands for that word."""

    words: tuple[str, ...]
    null: str | None = None
    json_type: ClassVar[str] = "string"

    @property
    def expected(self) -> str:
        """The accepted values, for an error message."""
        return f"one of {self.supported}"

    @property
    def supported(self) -> str:
        """The accepted values, for the catalogue."""
        return ", ".join((*self.json_words, *(("null",) if self.null else ())))

    @property
    def json_words(self) -> tuple[str, ...]:
        """The words that JSON values use: all but the one that stands for null."""
        return tuple(word for word in self.words if word != self.null)

    def number_of(self, value: object) -> int | None:
        """Return the number that is stored for a JSON value, or None if the value is not accepted."""
        if value is None and self.null is not None:
            return self.words.index(self.null)
        return self.words.index(value) if isinstance(value, str) and value in self.json_words else None

    def json_of(self, number: int) -> str | None:
        """Return the JSON value of a stored number: the inverse of `number_of`."""
        word = self.words[number]
        return None if word == self.null else word


Values: TypeAlias = Flag | Integer | Word


@dataclass(frozen=True, kw_only=True)
class Rule:
    """The declaration of one field of `Rules`. Its name, type and default are in `Rules` itself."""

    values: Values = field(
        default=_UNDECIDED,
        metadata={"question": "which JSON values it takes: Flag(), Integer(low, high) or Word(words)"},
    )
    meaning: str = field(default=_UNDECIDED, metadata={"question": "what it means, as a plain sentence for callers"})
    fixed_in: tuple[int, ...] = field(
        default=_UNDECIDED,
        metadata={"question": "the variants in which only the rule's default is accepted, () if there are none"},
    )
    seen_by_ignore: bool = field(
        default=_UNDECIDED,
        metadata={
            "question": "True if a policy with rules=ignore sees its value, False if that policy sees the default"
        },
    )
    games_column: int | None = field(
        default=_UNDECIDED,
        metadata={
            "question": "its column in the table `games` (the next free one) if it changes a win table, else None"
        },
    )
    only_with: str | None = None  # name of a flag; if that flag is off, the value has no effect
    name: str = ""  # set by `fields_of`, as is the default
    default: int = 0

    @property
    def json_default(self) -> object:
        """The default as a JSON value."""
        return self.values.json_of(self.default)


def fields_of(rules_class: type) -> Mapping[str, Rule]:
    """Return the `Rule` of each field of a named tuple, by name and in field order.

    Raises `TypeError` if a declaration is incomplete or wrong. The message names the field and what to decide.
    """
    defaults: Mapping[str, int] = rules_class._field_defaults  # type: ignore[attr-defined]
    found: dict[str, Rule] = {}
    for name, hint in get_type_hints(rules_class, include_extras=True).items():
        where = f"{rules_class.__name__}.{name}"
        rules = [rule for rule in getattr(hint, "__metadata__", ()) if isinstance(rule, Rule)]
        rule = rules[0] if rules else Rule()
        questions = [
            f"{attribute.name} ({attribute.metadata['question']})"
            for attribute in fields(rule)
            if attribute.metadata and getattr(rule, attribute.name) in (_UNDECIDED, "")  # "": an empty meaning
        ]
        if questions:
            raise TypeError(f"{where}: declare it as Annotated[int, Rule(...)] and decide {'; '.join(questions)}")
        if name not in defaults:
            raise TypeError(f"{where} has no default; give it the value of games that do not use the rule")
        rule = replace(rule, name=name, default=defaults[name])
        unknown_word = isinstance(rule.values, Word) and rule.default not in range(len(rule.values.words))
        if unknown_word or rule.values.number_of(rule.json_default) != rule.default:
            raise TypeError(
                f"{where}: the default is {rule.default}; accepted: a number that is stored for {rule.values.expected}"
            )
        found[name] = rule
    _check_columns(rules_class.__name__, found)
    return MappingProxyType(found)


def _check_columns(owner: str, found: Mapping[str, Rule]) -> None:
    taken: dict[int, str] = {}
    for rule in found.values():
        if rule.only_with is not None:
            flag = found.get(rule.only_with)
            if flag is None or flag.values != Flag() or flag.games_column is None:
                raise TypeError(
                    f"{owner}.{rule.name}: only_with is {rule.only_with!r}; accepted: a flag that changes a win table"
                )
        if rule.games_column in taken:
            raise TypeError(
                f"{owner}.{rule.name}: games_column is {rule.games_column}, which is the column of "
                f"{taken[rule.games_column]}; accepted: the next free column or None"
            )
        if rule.games_column is not None:
            taken[rule.games_column] = rule.name
    for column in range(len(taken)):
        if column not in taken:
            last = max(taken)
            raise TypeError(f"{owner}.{taken[last]}: games_column is {last}; accepted: {column}, the next free column")
