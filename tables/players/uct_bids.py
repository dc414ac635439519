"""UCT for a bid, as kernels: the paper's search for a card (ECAI 2020, appendix F.3, Algorithm 2), with bids.

Each iteration deals the unseen cards, all deals equally likely, lets a policy bid for the later seats, and plays the
round with SRP 3 in all seats. The reward is the points of the bidder's side minus those of the other.
"""

from math import log, sqrt
from typing import Any

import numpy as np

from spades.legal import allowed_bids
from spades.options import Policy
from spades.play import ALL_PIECES, PlayState
from spades.rules import Rules
from tables.engine.choose_bid import auction_at
from tables.engine.game import bid_seat, play_out
from tables.engine.scratch import scratch
from tables.engine.states import copy_state
from tables.players.choose_card import SRP3
from tables.players.uct import point_gap
from tables.players.unseen import WAYS, count_deals, deal_unseen, seed_view

MOST_BID = 13
C_POINTS = 200.0  # the constant C, as in `names.C_POINTS`


def uct_bid(
    state: PlayState, sim: PlayState, me: int, rules: Rules, policy: Policy, profiles: Any, samples: int
) -> int:
    """Return the allowed bid 0..13 of seat ``me`` with the highest mean reward in ``samples`` iterations.

    The first iterations try each allowed bid once, so ``samples`` must be at least 14. ``sim`` is working memory;
    ``policy`` bids for the later seats, with ``profiles``, `Tables` by profile.
    """
    allowed = allowed_bids(state.hand[me], auction_at(state, me).partner_bid, rules)
    ways, hands = scratch(WAYS), scratch(4)
    count_deals(state, me, ways)
    tried, points = np.zeros(MOST_BID + 1), np.zeros(MOST_BID + 1)
    for done in range(samples):
        bid = _most_promising(allowed, tried, points, done, C_POINTS)
        seed_view(state, me, int(tried[bid]), sim)
        deal_unseen(state, me, ways, sim)
        for seat in range(4):
            hands[seat] = sim.hand[seat]
        copy_state(state, sim)
        for seat in range(4):
            sim.hand[seat] = hands[seat]
            sim.pieces[seat] = ALL_PIECES
            sim.player[seat] = SRP3
        sim.bid[me] = bid
        for seat in range(me + 1, 4):
            sim.bid[seat] = bid_seat(sim, seat, rules, policy, profiles)
        play_out(sim)
        tried[bid] += 1.0
        points[bid] += point_gap(sim, sim, me)
    return _most_promising(allowed, tried, points, samples, 0.0)


def _most_promising(allowed: int, tried: Any, points: Any, done: int, c_points: float) -> int:
    best, most = 0, -1e9
    for bid in range(MOST_BID + 1):
        if not allowed >> bid & 1:
            continue
        if tried[bid] == 0.0:
            return bid
        worth = points[bid] / tried[bid] + c_points * sqrt(log(done) / tried[bid])
        if worth > most:
            best, most = bid, worth
    return best
