"""Bids by UCT."""

import pytest

from spades.cards import spades_of
from spades.policies import parse_policy
from spades.rules import make_rules
from tables.engine.jit import entry
from tables.engine.simulate import kernel_tables, numba_typed, tables_for
from tables.engine.states import new_states
from tables.players.uct_bids import MOST_BID, uct_bid
from tests.conftest import committed_tables
from tests.tables.players.test_search import RULES, a_round, records_of


def _bid(state, sims, me, rules, policy, profiles, samples):
    return uct_bid(state, sims[0], me, rules, policy, profiles, samples)


@pytest.mark.parametrize("me", [0, 3])
def test_it_finds_the_bid_of_a_strong_hand(me):
    policy = numba_typed(parse_policy("bis"))
    tables = tables_for(kernel_tables(committed_tables().arrays), RULES, [policy])
    state, _ = a_round(2, 0)
    state.hand[me] = 0x1FFF << 48  # all spades win all tricks
    for seat in range(me, 4):
        state.bid[seat] = -1
    for seat in range(me):
        state.bid[seat] = 0
    found = [uct_bid(state, new_states(1)[0], me, make_rules("classic"), policy, tables, 40) for _ in range(2)]
    assert found[0] == found[1]
    assert 10 <= found[0] <= MOST_BID


def test_it_bids_only_what_the_rules_allow():
    policy, rules = numba_typed(parse_policy("rb")), make_rules("whiz")
    tables = tables_for(kernel_tables(committed_tables().arrays), rules, [policy])
    state, _ = a_round(2, 0)
    for seat in range(4):
        state.bid[seat] = -1
    for me in (0, 3):
        bid = uct_bid(state, new_states(1)[0], me, rules, policy, tables, 14)
        assert bid in (0, spades_of(state.hand[me]).bit_count())


@pytest.mark.compiled
def test_plain_python_and_compiled_code_bid_the_same():
    compiled, policy = entry(_bid), numba_typed(parse_policy("bis"))
    tables = tables_for(kernel_tables(committed_tables().arrays), RULES, [policy])
    for me in range(4):
        state, _ = a_round(me, 0)
        for seat in range(me, 4):
            state.bid[seat] = -1
        records = records_of(state)
        bid = uct_bid(state, new_states(1)[0], me, RULES, policy, tables, 20)
        assert bid == compiled(records[0], records[1:], me, RULES, policy, tables, 20)
