"""The pages about the rules and the settings say what the declarations say."""

import re

from tests.reference_update import PAGES, SECTIONS, updated


def test_the_pages_are_up_to_date():
    pages = [path.read_text(encoding="utf-8") for path in PAGES]
    assert [updated(page) for page in pages] == pages, "run python -m tests.reference_update"
    assert re.findall(r"<!-- table: (\S+) -->", "".join(pages)) == list(SECTIONS)
