"""The section about the pass: nils made and points by the choice of cards, and what a bidder wins by the rule."""

from typing import Any

import numpy as np

from arena.engine.deal import Deals, deal_round, prepare_state, seat_players
from arena.engine.game import Lineup, bid_seat, play_out, score_of_side
from arena.engine.jit import round_loop
from arena.engine.passing import CHOSEN, HIGHEST, RANDOM
from arena.engine.simulate import player_rows, policies_by_chair, tables_for
from arena.markdown import table
from report.setup import Setup, by_points, percent
from spades.legal import NIL
from spades.play import PlayState
from spades.policies import parse_policy
from spades.rules import Rules, make_rules

WAYS = {"as the service": CHOSEN, "the highest cards": HIGHEST, "any cards": RANDOM}
ROUNDS = 20  # for each pair of the report


def _passed(
    states: list[PlayState], deals: Deals, rules: Rules, lineup: Lineup, profiles: Any, ways: Any, sums: Any
) -> None:
    # Side 0 chooses as `ways` (nil bidder, partner) say, the other side as the service. sums (4,): rounds in which side
    # 0 has one nil, nils made, points of that side in these rounds, their squares.
    state = prepare_state(states, rules)
    for number in range(deals.first, deals.last):
        deal_round(state, deals.seed, number, 0)
        seat_players(state, lineup.players)
        for seat in range(4):
            state.bid[seat] = bid_seat(state, seat, rules, lineup.policies[seat], profiles)
        if (state.bid[0] == NIL) == (state.bid[2] == NIL):
            continue
        nil_seat = 0 if state.bid[0] == NIL else 2
        for seat in range(4):
            state.passer[seat] = CHOSEN
        state.passer[nil_seat] = ways[0]
        state.passer[2 - nil_seat] = ways[1]
        play_out(state)
        points, _ = score_of_side(state, 0, 0, rules)
        sums[0] += 1.0
        sums[1] += 1.0 if state.taken[nil_seat] == 0 else 0.0
        sums[2] += points
        sums[3] += points * points


passed = round_loop(_passed)


def passes(setup: Setup) -> str:
    """Return two tables: nils made and points by the way in which the cards are chosen, and matches."""
    rows = []
    for number in (0, 2, 4):
        rules = make_rules("classic", {"nil_pass": number})
        for of_nil, nil_way in WAYS.items():
            for of_partner, partner_way in WAYS.items():
                if number == 0 and (nil_way, partner_way) != (CHOSEN, CHOSEN):
                    continue
                if CHOSEN not in (nil_way, partner_way) and nil_way != partner_way:
                    continue
                rows.append((number, of_nil, of_partner, *_figures(setup, rules, nil_way, partner_way)))
    head = "cards | nil bidder gives | partner gives | rounds with a nil | nils made, % | points of the side, ± 95%"
    matches = []
    for preset in ("pass-2", "pass-4"):
        result = setup.match("bis", "bis:rules=ignore", rules=make_rules(preset))
        matches.append((preset, percent(result), by_points(result)))
    known = table("preset | `bis` against `bis:rules=ignore`, wins, % | points per round", matches)
    return f"{table(head, rows)}\n\n{known}"


def _figures(setup: Setup, rules: Rules, nil_way: int, partner_way: int) -> tuple[str, ...]:
    policy = parse_policy("bis:tuned")
    lineup = Lineup(policies_by_chair(policy, policy), player_rows("srp", "srp"))
    sums = np.zeros(4)
    ways = np.array([nil_way, partner_way])
    profiles = tables_for(setup.tables, rules, [policy])
    passed(setup.seed, 0, ROUNDS * setup.pairs, rules, lineup, profiles, ways, sums)
    n, made, points, squares = sums
    half = 1.96 * np.sqrt(max(squares / n - (points / n) ** 2, 0.0) / n)
    return f"{n:,.0f}", f"{100 * made / n:.1f}", f"{points / n:.1f} ± {half:.1f}"
