"""Bids in fixed positions equal those in tests/vectors/bids.json (updated by `python -m tests.vectors_update`)."""

import json

from spades.tableset import open_tables
from tests.vectors_update import POLICIES, VECTORS, positions, text_of, vectors


def test_bids_have_not_changed():
    expected = json.loads(VECTORS.read_text(encoding="utf-8"))
    found = vectors()
    changed = [
        f"{new['hand']} after {new['previous_bids']}: {text} bids {bid}, was {old['bids'].get(text)}"
        for old, new in zip(expected, found, strict=True)
        for text, bid in new["bids"].items()
        if bid != old["bids"].get(text)
    ]
    assert changed == [], "look at each; where they are meant, run python -m tests.vectors_update"
    assert text_of(found) == VECTORS.read_text(encoding="utf-8")


def test_positions_are_worth_keeping():
    rows = json.loads(VECTORS.read_text(encoding="utf-8"))
    assert [{name: row[name] for name in row if name != "bids"} for row in rows] == positions()
    assert len(rows) == 60
    bids = [bid for row in rows for bid in row["bids"].values()]
    assert {0, 1, 2, 3, 4, 5} <= set(bids)
    for one, other in (("bis", "bis:tuned"), ("bis", "bis:endgame=off"), ("rb", "rb:nil=5-8-T"), ("bis", "rb")):
        assert any(row["bids"][one] != row["bids"][other] for row in rows), (one, other)
    assert all(set(row["bids"]) == set(POLICIES) for row in rows)


def test_mean_bids_are_bids():
    mean_bids = open_tables().arrays["mean_bids"]
    assert (mean_bids >= 0).all()
    assert (mean_bids <= 13).all()
