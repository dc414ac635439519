"""Update the stored bids in tests/vectors: `python -m tests.vectors_update`.

- `bids.json`: the bid of every policy in fixed positions. The positions are made by hand or from a fixed seed, and do
  not depend on the tables.
- `behaviour.json`: requests with the acceptable bids and the reason, written by hand. This command writes only the
  service's bid (`bid`).

If a change of tables, policies or rules changes a bid, these files show it as a diff. Review it, and commit it with the
change.
"""

import json
import random
from pathlib import Path

from spades.bidder import decide
from spades.cards import parse_pbn
from spades.contract.bid_request import read_bid
from spades.policies import parse_policy
from spades.position import Position
from spades.rules import make_rules
from spades.scoring import Standing
from spades.tableset import open_tables
from tests import naive

VECTORS = Path(__file__).with_name("vectors") / "bids.json"
BEHAVIOUR = VECTORS.with_name("behaviour.json")
POLICIES = ("bis", "bis:tuned", "bis:curves=single", "bis:endgame=off", "rb", "rb:nil=5-8-T", "ms", "io")
SEED = 44

# (hand, previous bids, us, them, our bags, preset): positions near each end-of-game rule, and hands from the docs.
BY_HAND: tuple[tuple, ...] = (
    ("AKJ62.AQ.Q.K9543", [], 0, 0, 0, "classic"),
    ("AKJ62.AQ.Q.K9543", [3, 1], 120, 95, 3, "classic"),
    ("432.5432.5432.32", [], 0, 0, 0, "classic"),
    ("432.5432.5432.32", [5, 3], 0, 0, 0, "classic"),
    ("432.5432.5432.32", [0, 4], 0, 0, 0, "classic"),
    ("J3.T862.943.T752", [4, 3, 4], 0, 0, 0, "classic"),
    ("Q3.T862.943.T752", [4, 3, 4], 0, 0, 0, "classic"),
    ("K92.A43.KQ4.J852", [0, 4, 3], 380, 390, 2, "classic"),
    ("K92.A43.KQ4.J852", [4, 3, 3], 200, 440, 2, "classic"),
    ("K92.A43.Q94.J852", [2, 2, 3], 450, 450, 2, "classic"),
    ("T92.943.864.8532", [2, 2, 3], 100, 450, 2, "classic"),
    ("T92.943.864.8532", [3, 4, 3], 440, 100, 2, "classic"),
    ("K92.A43.KQ4.J852", [3, 4, 3], 440, 100, 2, "classic"),
    ("K92.A43.KQ4.J852", [3, 4, 3], 440, 100, 8, "classic"),
    ("AKQJT98765432...", [], 0, 0, 0, "classic"),
    ("...AKQJT98765432", [3], 0, 0, 0, "classic"),
)


def positions() -> list[dict]:
    """Return 60 positions: those made by hand, and random ones, half of them near the goal of the paper's games."""
    fields = ("hand", "previous_bids", "us", "them", "us_bags", "preset")
    found = [dict(zip(fields, values, strict=True)) for values in BY_HAND]
    rng = random.Random(SEED)
    while len(found) < 60:
        deck = [card for card in naive.DECK if len(found) % 3 or card[0] not in "AKQ"]
        near = len(found) % 2 == 0
        found.append(
            {
                "hand": naive.pbn_of(rng.sample(deck, 13)),
                "previous_bids": [rng.choice((0, 1, 2, 3, 3, 4, 4, 5)) for _ in range(len(found) % 4)],
                "us": rng.randrange(90, 190) if near else 0,
                "them": rng.randrange(90, 190) if near else 0,
                "us_bags": rng.randrange(10) if near else 0,
                "preset": "bis-paper",
            }
        )
    return found


def vectors() -> list[dict]:
    """Return the positions with the bid of every policy on the committed tables."""
    tables = open_tables()
    found = positions()
    for row in found:
        position = Position(
            parse_pbn(row["hand"]),
            tuple(row["previous_bids"]),
            Standing(row["us"], row["them"], row["us_bags"], 0),
            make_rules(row["preset"]),
        )
        row["bids"] = {text: decide(position, parse_policy(text), tables, explain=False).bid for text in POLICIES}
    return found


def text_of(rows: list[dict]) -> str:
    """Return JSON with one position per line, so that a changed bid is one changed line."""
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"


def behaviour() -> list[dict]:
    """Return the cases of behaviour.json, each with the service's present bid."""
    tables = open_tables()
    cases = json.loads(BEHAVIOUR.read_text(encoding="utf-8"))
    for case in cases:
        call = read_bid(case["request"])
        case["bid"] = decide(call.position, call.policy, tables, call.legal, explain=False).bid
    return cases


if __name__ == "__main__":
    VECTORS.write_text(text_of(vectors()), encoding="utf-8")
    BEHAVIOUR.write_text(text_of(behaviour()), encoding="utf-8")
    print(f"wrote {VECTORS.name} and {BEHAVIOUR.name}: look at the diff, then commit it with the change that made it")
