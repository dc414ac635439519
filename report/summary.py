"""A short page of results: a template in report/templates, with tables of the rows that the appendix summarizes.

The short pages are committed, the appendix is not. So a short page names sections of the appendix in code, and links to
them only on the site, where the appendix lies beside it.
"""

import re
from collections.abc import Mapping

from arena.markdown import table
from report.page import APPENDIX, Page, filled
from spades.manifest import Manifest

_LAST_COLUMNS = "tables | section"


def summary_page(template: str, appendix: Mapping[str, Page], shipped: Manifest, *, linked: bool) -> str:
    """Return the short page of a template; ``appendix``: its pages by name, after their texts were made."""
    names = {
        "summary": lambda name, columns: _summary(name, appendix[name], columns, shipped, linked),
        "chapters": lambda name: [_reference(name, title, linked=linked) for title in appendix[name].chapters],
        "shipped": shipped,
    }
    return filled(template, names)


def _summary(name: str, page: Page, columns: str, shipped: Manifest, linked: bool) -> str:
    # The summarized rows; missing cells at the end are dashes. Each row has the tables and the section of its figures.
    width = columns.count("|") + 1
    rows = []
    for section, cells in page.summary:
        record = page.records[section]
        star = "\\*" if record.changed_in(shipped) else ""
        tables = f"{record.tables.partition('+')[0]}{star}"
        link = _reference(name, page.headings[section], f"`{section}`", linked=linked)
        rows.append((*cells, *["-"] * (width - len(cells)), tables, link))
    return table(f"{columns} | {_LAST_COLUMNS}", rows)


def _reference(name: str, heading: str, text: str = "", *, linked: bool) -> str:
    # The text, or the heading, as a link to the heading if the appendix lies beside the page.
    anchor = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
    return f"[{text or heading}]({APPENDIX}/{name}.md#{anchor})" if linked else text or heading
