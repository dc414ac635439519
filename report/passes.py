"""Figures of the pass: nils made and points by the choice of cards."""

from typing import Any

import numpy as np

from arena.engine.passing import CHOSEN, HIGHEST, RANDOM
from arena.engine.rounds import BATCH, Batch
from arena.engine.simulate import player_rows, policy_rows, tables_for
from report.figures import query
from report.reads import arrays_of_policy
from report.setup import Setup
from spades.legal import NIL
from spades.policies import parse_policy
from spades.rules import Rules, make_rules

WAYS = {"as the service": CHOSEN, "the highest cards": HIGHEST, "any cards": RANDOM}
NUMBERS = (0, 2, 4)  # cards that are passed
ROUNDS = 20  # for each pair of the report


def _arrays(setup: Setup) -> set[str]:
    policy = parse_policy("bis:tuned")
    rules = [make_rules("classic", {"nil_pass": number}) for number in NUMBERS]
    return {name for one in rules for name in arrays_of_policy(policy, one, setup.opened.arrays)}


@query(_arrays)
def passes(setup: Setup) -> dict[str, Any]:
    """Return nils made and points, by the way in which the cards are chosen."""
    rows = []
    for number in NUMBERS:
        rules = make_rules("classic", {"nil_pass": number})
        for of_nil, nil_way in WAYS.items():
            for of_partner, partner_way in WAYS.items():
                if number == 0 and (nil_way, partner_way) != (CHOSEN, CHOSEN):
                    continue
                if CHOSEN not in (nil_way, partner_way) and nil_way != partner_way:
                    continue
                rows.append((number, of_nil, of_partner, *_figures(setup, rules, nil_way, partner_way)))
    return {"rows": rows}


def _figures(setup: Setup, rules: Rules, nil_way: int, partner_way: int) -> tuple[str, ...]:
    # Seats 0 and 2 choose in these ways, the others as the service. Only rounds in which one of the two bids nil count.
    policy = parse_policy("bis:tuned")
    policies, players = policy_rows([policy]), player_rows("srp", "srp")
    profiles = tables_for(setup.tables, rules, [policy])
    n, made, points, squares = 0, 0, 0, 0
    for first in range(0, ROUNDS * setup.pairs, BATCH):
        batch = Batch(rules, np.arange(first, min(first + BATCH, ROUNDS * setup.pairs)))
        batch.deal(setup.seed, players)
        batch.bid(policies, profiles)
        nils = batch.rounds["bids"][:, [0, 2]] == NIL
        batch.drop(nils[:, 0] == nils[:, 1])
        batch.states["passer"][:, [0, 2]] = np.where(nils, nil_way, partner_way)
        batch.finish()
        rounds, own = batch.rounds[batch.active], nils[batch.active]
        gained = rounds["points"][:, 0].astype(np.int64)
        n, points, squares = n + len(rounds), points + int(gained.sum()), squares + int((gained**2).sum())
        made += int((rounds["tricks"][:, [0, 2]][own] == 0).sum())
    half = 1.96 * np.sqrt(max(squares / n - (points / n) ** 2, 0.0) / n)
    return f"{n:,.0f}", f"{100 * made / n:.1f}", f"{points / n:.1f} ± {half:.1f}"
