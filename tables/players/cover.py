"""COVER: a card player that plays as SRP 3, except that it gives up a nil of partner that it cannot save.

SRP covers partner's nil until partner has won a trick. COVER plays the round out on random deals that fit what it
knows. If the nil fails on nearly all of them although it is covered, COVER plays as if it had failed already.
"""

from typing import Any

import numpy as np

from spades.play import ALL_PIECES, PlayState, nil_alive, play_card, srp3
from tables.engine.scratch import scratch
from tables.engine.states import copy_state
from tables.players.unseen import PLACE_COUNTS, seed_view
from tables.players.weighted_deals import MOST_UNSEEN, draw_deal, sum_deals


def cover_or_give_up(state: PlayState, sim: PlayState, me: int, weights: Any, deals: int, lost_percent: int) -> int:
    """Return the card that COVER plays from seat ``me``.

    ``deals``: most deals that are played out; ``lost_percent``: give up the nil if it fails on at least this percentage
    of them; ``weights`` and ``sim``: as in `tables.players.search.try_cards`.
    """
    card = srp3(state, me)
    partner = me ^ 2
    if nil_alive(state, me) or not nil_alive(state, partner):
        return card
    copy_state(state, sim)
    sim.taken[partner] = 1
    other = srp3(sim, me)
    sums = np.zeros((MOST_UNSEEN + 1, PLACE_COUNTS, PLACE_COUNTS))
    if other == card or sum_deals(state, me, weights, sums) <= 0.0:
        return card
    hands = scratch(4)
    failed = 0
    for done in range(deals):
        seed_view(state, me, done, sim)
        draw_deal(state, me, weights, sums, sim)
        for seat in range(4):
            hands[seat] = sim.hand[seat]
        copy_state(state, sim)
        for seat in range(4):
            sim.hand[seat] = hands[seat]
            sim.pieces[seat] = ALL_PIECES
        play_card(sim, me, card)
        for _ in range(4 * state.hand[me].bit_count() - state.trick_size - 1):
            seat = (sim.leader + sim.trick_size) & 3
            play_card(sim, seat, srp3(sim, seat))
            if sim.taken[partner]:
                failed += 1
                break
        if 100 * (failed + deals - done - 1) < lost_percent * deals:
            return card
    return other
