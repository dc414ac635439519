"""Write the tables of two pages of docs/reference from the declarations: `python -m tests.reference_update`.

Each table stands between ``<!-- table: name -->`` and ``<!-- end -->``; the text around is written by hand.
tests/spades/test_reference.py fails if a page is not up to date.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from arena.markdown import table
from service.settings import Settings
from spades.cards import CARD_CODES, CARD_NAMES, DECKS
from spades.policies import BEST, decider_of
from spades.rules import FIELDS, PRESETS, VARIANTS, Rules, overrides_of
from spades.winprob import WON_VARIANTS

_REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
PAGES = (_REFERENCE / "rules.md", _REFERENCE / "settings.md")
HIGHEST = 6  # trumps of a deck that are listed


def fields() -> str:
    """Return the table of the rules."""
    rows = []
    for name, rule in FIELDS.items():
        fixed = ", ".join(VARIANTS[variant] for variant in rule.fixed_in)
        rows.append((f"`{name}`", rule.values.supported, json.dumps(rule.json_default), rule.meaning, fixed or "-"))
    return table("field | accepted | classic | meaning | fixed in", rows)


def presets() -> str:
    """Return the table of the presets."""
    rows = []
    for name, rules in PRESETS.items():
        differs = ", ".join(f"`{field}` {json.dumps(value)}" for field, value in overrides_of(rules).items())
        rows.append((f"`{name}`", differs or "-", decider(rules)))
    return table("preset | differs from classic in | `best` is", rows)


def decks() -> str:
    """Return the table of the decks."""
    rows = []
    for number, deck in enumerate(DECKS):
        spades = sorted((code for code in CARD_NAMES[number] if code >> 4 == 3), reverse=True)
        trumps = " ".join(CARD_NAMES[number][code] for code in spades[:HIGHEST])
        sides = " ".join(
            f"{sum(name[1] == s and code < 48 for name, code in CARD_CODES[number].items())}{s}" for s in "HDC"
        )
        value = f"`{deck.name}`" if number else "null"
        rows.append((value, f"{trumps} ...", len(spades), sides, " ".join(deck.removed) or "-", deck.meaning))
    return table("`deck` | trumps from the highest | spades | other suits | not dealt | meaning", rows)


def settings() -> str:
    """Return the table of the settings; what is accepted is what the service says about a wrong value."""
    rows = []
    for name, field in Settings.model_fields.items():
        default = "none" if field.default is None else f"{field.default:g}"
        rows.append((f"`SPADES_{name.upper()}`", default, _accepted(name), str(field.description)))
    return table("variable | default | accepted | meaning", rows)


def _accepted(setting: str) -> str:
    try:
        Settings(**{setting: "?/?"})  # type: ignore[arg-type]  # nor a path in a folder that exists
    except ValidationError as error:
        return str(error.errors()[0]["ctx"]["error"]).removesuffix(", as a plain decimal number")
    raise AssertionError(f"{setting} accepts any text; write here what it is")


def decider(rules: Rules) -> str:
    """Return the policy that decides for `best`."""
    return f"`{decider_of(BEST, rules.variant in WON_VARIANTS)}`"


SECTIONS: dict[str, Callable[[], str]] = {
    "fields": fields,
    "presets": presets,
    "decks": decks,
    "settings": settings,
}


def updated(page: str) -> str:
    """Return ``page`` with all its tables made again; raises `KeyError` for an unknown name."""
    return re.sub(
        r"<!-- table: (\S+) -->.*?<!-- end -->",
        lambda found: f"<!-- table: {found[1]} -->\n{SECTIONS[found[1]]()}\n<!-- end -->",
        page,
        flags=re.DOTALL,
    )


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(updated(path.read_text(encoding="utf-8")), encoding="utf-8")
