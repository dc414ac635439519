"""The summary at the top of docs/strength.md: the main rows of the other sections.

The summary plays no match. Its results file, beside the page, keeps one result for each of its matches. A run replaces
those that its other sections have played or read, and keeps the rest. So the summary always shows what the page shows,
also after a run with `--only`.
"""

import json
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from arena.agents import player_version
from arena.markdown import table
from arena.store import write_atomically
from report import blind_nil, cutthroat
from report.components import RB_OF_PAPER
from report.paper import NO_ENDGAME_200, SINGLE_CURVE, SRP_WINS, TABLE_2
from report.results import measured
from report.setup import LONG, PAPER, Pairing, Setup
from spades.rules import PRESETS, Rules, overrides_of
from spades.strength import Measured, read_rows, results_text

NOT_MEASURED = "not measured"

# The sections of the page that play the matches: title in the summary, heading on the page, and name of the figures.
SOURCES = {
    "bidders": ("bis-against-the-rule-based-bidders", "opponents"),
    "winprob": ("winprob", "winprob"),
    "public bots": ("against-public-bots", "public"),
    "components": ("what-each-component-of-bis-is-worth", "ablations"),
    "conventions": ("big-5-and-big-6", "conventions"),
    "blind nil": ("blind-nil", "blind-nil"),
    "cutthroat": ("cutthroat", "cutthroat"),
    "variants": ("mirror-whiz-suicide-and-jokers", "variants"),
    "levels": ("levels-and-style", "levels"),
    "card players": ("the-card-players", "players"),
    "search": ("search-for-cards", "search"),
}


class Row(NamedTuple):
    """A row of the summary: the names of both sides, its matches, the section that plays them, the paper's figure."""

    first: str
    against: str
    matches: tuple[Pairing, ...]
    section: str
    paper: float | None = None


_SRP = "srp", "srp"
_IGNORES, _IGNORING = "bis:variant=ignore", "`bis` that ignores the variant"
_BLIND = "`bis:tuned` with blind nil, goal 500"


def _row(
    section: str, first: str, against: str, a: str, *b: str, rules: Rules = PAPER, paper: float | None = None
) -> Row:
    return Row(first, against, tuple(Pairing(a, opponent, _SRP, rules) for opponent in b), section, paper)


_RB, _MS, _IO = (TABLE_2[b, "srp"].win_rate for b in ("rb", "ms", "io"))
_ENDGAME, _CURVES = NO_ENDGAME_200.win_rate, SINGLE_CURVE.win_rate
_BOTS = "public:trickster", "public:cards_with_cats", "public:jus144tice"
_VARIANTS = (Pairing("bis", _IGNORES, _SRP, PRESETS[name]) for name in ("jokers", "suicide", "whiz"))
_LEVELS = (Pairing(f"winprob:level={level}", "winprob", _SRP, PAPER) for level in (4, 3, 2, 1))
_CUTTHROAT = Pairing("bis", _IGNORES, ("solo", "solo"), cutthroat.RULES)
_SRP_V_WRP = Pairing(RB_OF_PAPER, RB_OF_PAPER, ("srp", "wrp"), PAPER)
_SEARCH_V_SRP = Pairing("bis", "bis", ("search:deals=256", "srp"), PAPER)

ROWS = (
    _row("bidders", "`bis`", "`rb` (nil ranks fitted to our engine)", "bis", "rb", paper=_RB),
    _row("bidders", "`bis`", "`rb:nil=5-8-T` (the paper's nil ranks)", "bis", "rb:nil=5-8-T", paper=_RB),
    _row("bidders", "`bis`", "`ms`", "bis", "ms", paper=_MS),
    _row("bidders", "`bis`", "`io`", "bis", "io", paper=_IO),
    _row("bidders", "`bis:tuned`", "`rb`", "bis:tuned", "rb"),
    _row("winprob", "`winprob`", "`bis`", "winprob", "bis"),
    _row("winprob", "`winprob`", "`bis:tuned`", "winprob", "bis:tuned"),
    _row("winprob", "`winprob`", "`bis`, goal 500", "winprob", "bis", rules=LONG),
    _row("winprob", "`winprob`", "`rb` / `ms` / `io`", "winprob", "rb", "ms", "io"),
    _row("public bots", "`winprob`", "`public:trickster` / `cards_with_cats` / `jus144tice`", "winprob", *_BOTS),
    _row("components", "`bis`", "`bis` without end-of-game rules", "bis", "bis:endgame=off", paper=_ENDGAME),
    _row("components", "`bis`", "`bis` with one success curve", "bis", "bis:curves=single", paper=_CURVES),
    _row("conventions", "`bis` with Big 5", "`bis`", "bis:convention=big5", "bis"),
    _row("blind nil", _BLIND, "`bis:tuned` without", "bis:tuned,blind=on", "bis:tuned", rules=blind_nil.RULES_TO_500),
    Row("`bis` in cutthroat, goal 300", _IGNORING, (_CUTTHROAT,), "cutthroat"),
    Row("`bis` in jokers / suicide / whiz, preset's goals", _IGNORING, tuple(_VARIANTS), "variants"),
    Row("`winprob` at level 4 / 3 / 2 / 1", "`winprob` at level 5", tuple(_LEVELS), "levels"),
    Row("SRP plays the cards, RB bids", "WRP plays the cards, RB bids", (_SRP_V_WRP,), "card players", SRP_WINS),
    Row("`search@1:deals=256` plays the cards, BIS bids", "SRP plays the cards, BIS bids", (_SEARCH_V_SRP,), "search"),
)


def summary(setup: Setup) -> str:
    """Return the versions and the table of the summary, and write its results to the results file."""
    kept = read_rows(setup.results) if setup.results is not None and setup.results.exists() else []
    known = {_key(row.a, row.b, row.players, row.rules): row for row in kept}
    found: dict[Pairing, Measured] = {}
    for pairing in (pairing for row in ROWS for pairing in row.matches):
        players = map(player_version, pairing.players)
        if pairing in setup.seen:
            found[pairing] = measured(setup.seen[pairing])
        elif (key := _key(pairing.a, pairing.b, players, overrides_of(pairing.rules))) in known:
            found[pairing] = known[key]
    if setup.results is not None:
        write_atomically(setup.results, results_text(found.values()).encode())
    return conditions(found) + "\n\n" + _rates(found)


def conditions(found: dict[Pairing, Measured]) -> str:
    """Return the versions of tables and card players. The most frequent comes first; the others name their sections."""
    tables = _versions(found, lambda result: [result.tables])
    return f"Tables: {tables}. Card players: {_versions(found, lambda result: result.players)}."


def _versions(found: dict[Pairing, Measured], versions_of: Callable[[Measured], list[str]]) -> str:
    sections: dict[str, list[str]] = {}  # by version, one for each time
    section_of = {pairing: row.section for row in ROWS for pairing in row.matches}
    for pairing, result in found.items():
        for version in versions_of(result):
            sections.setdefault(version, []).append(section_of[pairing])
    first, *others = sorted(sections, key=lambda version: -len(sections[version])) or [NOT_MEASURED]
    return "; ".join([first, *(f"{version} ({', '.join(dict.fromkeys(sections[version]))})" for version in others)])


def _rates(found: dict[Pairing, Measured]) -> str:
    rows = []
    before = None
    for row in ROWS:
        rates = " / ".join(str(found[pairing]) if pairing in found else NOT_MEASURED for pairing in row.matches)
        link = "" if row.section == before else f"[{row.section}](#{SOURCES[row.section][0]})"
        rows.append((row.first, row.against, rates, "-" if row.paper is None else str(row.paper), link))
        before = row.section
    return table("first bidder | against | wins, % | paper | section", rows)


def _key(a: str, b: str, players: Iterable[str], rules: dict[str, object]) -> str:
    # Without the versions of the players, so that a result stays in the summary until its match is played again.
    return json.dumps([a, b, [re.sub("@[0-9]+", "", player) for player in players], rules], sort_keys=True)
