"""BIS near the end of the game: the bid and the rules of 5,000 positions against a slow reference implementation."""

import random
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from spades.bidder import decide
from spades.bis.estimates import GRID
from spades.cards import parse_pbn
from spades.manifest import Manifest
from spades.policies import parse_policy
from spades.position import Position, auction_after
from spades.rules import describe, make_rules
from spades.scoring import Standing
from spades.tables import BIG5_PROFILE, BIG6_PROFILE, PARTNERSHIP_PROFILE, SEQUENCES
from spades.tableset import TableSet
from tests import naive
from tests.conftest import view

POSITIONS = 5000
SEED = 20
NEAR_POINTS = 150
LEAST_TIMES = 20  # a rule that applies in fewer positions is hardly tested
PROFILES = {"none": PARTNERSHIP_PROFILE, "big5": BIG5_PROFILE, "big6": BIG6_PROFILE}
RULES = (
    "opponents-nil",
    "complete-to-14",
    "close-race",
    "desperate-nil",
    "regular-wins-too",
    "last-seat-one-less",
    "big5-signal",
    "big5-refusal",
    "big5-answer",
    "big6-signal",
    "big6-refusal",
    "big6-answer",
    "certain-tricks",
    "ten-for-200",
    "legal-bids",
)
GAMES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("bis-paper", {}),
    ("bis-paper", {"blind_nil": True}),
    ("bis-paper", {"bags": False}),
    ("bis-paper", {"bag_limit": 5, "bag_penalty": 50}),
    ("classic", {}),
    ("classic", {"blind_nil": True}),
    ("classic", {"lose": -100, "blind_nil": True}),
    ("classic", {"ten_for_200": True}),
    ("bis-paper", {"ten_for_200": True}),
)


@cache
def given_tables(convention):
    """Return (factors by seat and sum of bids, nil probabilities and mean bids by sequence).

    Few different values, so that a score or a probability is often exactly at a limit.
    """
    rng = np.random.default_rng(SEED + PROFILES[convention])
    factor = rng.integers(-16, 9, (4, 40)) / 16
    p_nil = rng.choice([0.125, 0.25, naive.NIL_FLOOR, 0.4375, 0.5, 0.5625, 0.625, 0.6875, 0.8125], SEQUENCES)
    mean_bids = rng.integers(3, 10, (SEQUENCES, 3)) / 2
    return factor, p_nil, mean_bids


@pytest.fixture(scope="module")
def table_set(neutral):
    """Tables with the given values. A success curve is the same for every nil value of a sequence."""
    plain = list(neutral.plain_settings.rows)
    for convention, profile in PROFILES.items():
        factor, p_nil, mean_bids = given_tables(convention)
        curves = np.repeat(p_nil[:, None], GRID + 1, axis=1)
        plain[profile] = plain[profile]._replace(factor=view(factor), curves=view(curves), mean_bids=view(mean_bids))
    manifest = Manifest("test+0", "test", "0", MappingProxyType({}), MappingProxyType({}))
    return TableSet(Path(), manifest, MappingProxyType({}), tuple(plain), (neutral.arrays,))


def draw_hand(rng):
    """Return a hand: any, one with five to ten spades, or one without high cards, from which a nil is likely."""
    kind = rng.randrange(5)
    if kind > 1:
        return naive.pbn_of(rng.sample(naive.DECK, 13))
    deck = rng.sample(naive.DECK, 52)
    spades = [card for card in deck if card[1] == "S"]
    others = [card for card in deck if card[1] != "S"]
    if kind == 0:
        length = rng.randrange(5, 11)
        return naive.pbn_of(spades[:length] + others[: 13 - length])
    low = [card for card in others if card[0] not in "AKQ"]
    excluded = rng.choice(("A", "AKQ", "AKQJT"))
    few = [card for card in spades if card[0] not in excluded][: rng.randrange(4)]
    return naive.pbn_of(few + low[: 13 - len(few)])


def draw_bids(rng, seat, rules, convention):
    usual = [0, 1, 2, 3, 3, 3, 4, 4, 5, 6, 7]
    bids = [rng.choice([*usual, naive.BLIND_NIL] if rules["blind_nil"] else usual) for _ in range(seat)]
    if seat > 1 and rng.random() < 0.02:
        bids[seat - 2] = rng.randrange(8, 14)
    if seat > 1 and convention != "none" and rng.random() < 0.3:
        bids[seat - 2] = rng.choice((5, 6))
    return tuple(bids)


def draw_scores(rng, rules):
    """Return the two scores, each near the goal or near the losing goal, in the same or in different places."""
    near_goal = (rules["win"] - NEAR_POINTS, rules["win"] - 1)
    losing = rules["lose"] if rules["lose"] is not None else -200
    near_loss = (losing + 1, losing + NEAR_POINTS)
    us, them = (rng.randint(*rng.choice((near_goal, near_goal, near_goal, near_loss))) for _ in range(2))
    if rng.random() < 0.4:  # a race, and often a level one
        us = max(us - us % 5, near_loss[0] + 4)
        them = min(max(us + rng.randrange(-40, 60, 5), near_loss[0]), near_goal[1])
    return us, them


def draw_position(rng, seat):
    rules: Any = describe(make_rules(*rng.choice(GAMES)))
    convention = rng.choice(("none", "big5", "big6", "auto"))
    previous = draw_bids(rng, seat, rules, convention)
    us, them = draw_scores(rng, rules)
    limit = rules["bag_limit"]
    bags = rng.choice((rng.randrange(limit), limit - 3, limit - 2, limit - 1)) if rules["bags"] else 0
    legal = tuple(sorted(rng.sample(range(14), rng.randrange(1, 14)))) if rng.random() < 0.05 else ()
    drawn = naive.BisPosition(
        draw_hand(rng),
        previous,
        us,
        them,
        bags,
        rules,
        convention,
        rng.random() < 0.7,
        legal,
        factor=Fraction(0),
        p_nil=0.0,
        mean_bids={},
    )
    factor, p_nil, mean_bids = given_tables(naive.convention_in_force(drawn))
    total = sum(bid for bid in previous if bid != naive.BLIND_NIL)
    after: dict[int, list[float]] = {bid: [] for bid in range(14)}
    if seat < 3:
        for bid in after:
            after[bid] = mean_bids[auction_after((*previous, bid)).sequence, : 3 - seat].tolist()
    return drawn._replace(
        factor=Fraction(factor[seat, total]),
        p_nil=float(p_nil[auction_after(previous).sequence]),
        mean_bids=after,
    )


def found_by_the_service(position, table_set):
    """Return (bid, steps) like `naive.bis`."""
    rules = make_rules("classic", position.rules)
    policy = parse_policy(f"bis:convention={position.convention},certain={'on' if position.certain else 'off'}")
    where = Position(
        parse_pbn(position.pbn), position.previous, Standing(position.us, position.them, position.us_bags, 0), rules
    )
    made: Any = decide(where, policy, table_set, position.legal or None)
    return made.bid, [(step["rule"], step["before"], step["after"]) for step in made.explanation["adjustments"]]


def test_5000_positions_near_the_end_of_the_game(table_set):
    rng = random.Random(SEED)
    times: Counter[str] = Counter()
    for number in range(POSITIONS):
        position = draw_position(rng, number % 4)
        expected = naive.bis(position)
        assert found_by_the_service(position, table_set) == expected, position
        times.update(rule for rule, _, _ in expected[1])
    assert set(times) <= set(RULES)
    assert min(times[rule] for rule in RULES) >= LEAST_TIMES, times
