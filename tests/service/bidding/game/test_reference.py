"""The page about the rules says what the declarations say."""

import re

from service.bidding.game.rules import FIELDS, PRESETS, VARIANTS
from tests.reference_update import PAGE, SECTIONS, updated


def test_the_page_is_up_to_date():
    page = PAGE.read_text(encoding="utf-8")
    assert updated(page) == page, "run python -m tests.reference_update"
    assert re.findall(r"<!-- table: (\S+) -->", page) == list(SECTIONS)


def test_everything_is_on_it():
    tables = {name: make() for name, make in SECTIONS.items()}
    for name, listed in (("fields", FIELDS), ("presets", PRESETS), ("policies", VARIANTS)):
        assert [line.split("`")[1] for line in tables[name].splitlines()[2:]] == list(listed)
