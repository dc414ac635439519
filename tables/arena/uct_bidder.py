"""A bidder that chooses bids by UCT: `--a python:tables/arena/uct_bidder.py:bid` in the arena.

The paper says that UCT would have to search a huge space for a bid (ECAI 2020, section 5.1). This measures it.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from spades.cards import parse_card
from spades.legal import NO_BID, deck_of
from spades.play import write_rules
from spades.policies import parse_policy
from spades.rules import Rules, make_rules
from spades.tables import Tables
from spades.tableset import open_tables
from tables.engine.deal import write_pass_rules
from tables.engine.jit import entry
from tables.engine.simulate import kernel_tables, numba_typed, tables_for
from tables.engine.states import STATE
from tables.players.uct_bids import uct_bid

SAMPLES = 2_000  # for one bid
POLICY = numba_typed(parse_policy("bis"))  # of the later seats


def bid(request: Mapping[str, Any]) -> int:
    """Return the bid for a request of POST /v1/bid, as the arena makes them."""
    rules = make_rules(request["rules"]["preset"], {k: v for k, v in request["rules"].items() if k != "preset"})
    seat, scores, bids = request["seat"], request["scores"], request["previous_bids"]
    states = np.zeros(2, STATE)
    state = states[0]
    state["deck"] = np.uint64(deck_of(rules)).astype(np.int64)
    state["hand"][seat] = sum(1 << parse_card(name) for name in request["hand"])
    state["bid"] = [*bids, *[NO_BID] * (4 - len(bids))]
    for name, side in (("us", seat & 1), ("them", 1 - (seat & 1))):
        state["score"][side], state["bags"][side] = scores[name], scores[f"{name}_bags"]
    write_game_rules(states, rules)
    return int(search(states, seat, rules, POLICY, _tables(rules), SAMPLES))


@lru_cache
def _tables(rules: Rules) -> tuple[Tables, ...]:
    return tables_for(kernel_tables(open_tables().arrays), rules, [POLICY])


def _write_game_rules(states: Any, rules: Rules) -> None:
    write_rules(states[0], rules)
    write_pass_rules(states[0], rules)


def _search(states: Any, me: int, rules: Rules, policy: Any, profiles: Any, samples: int) -> int:
    return uct_bid(states[0], states[1], me, rules, policy, profiles, samples)


write_game_rules, search = entry(_write_game_rules), entry(_search)
