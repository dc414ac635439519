"""UCT(n): SRP, but sampling decides the last n tricks (ECAI 2020, appendix F.3, Alg. 2), as kernels.

SRP 3 plays the tricks before the last n and the rest of each iteration. So this is version 2 of the player; version 1
was built on SRP 1.

One iteration deals the unseen cards (`unseen`). It first plays the card with the greatest mean + C sqrt(ln N / n): the
mean of the card's rewards, the number n of its iterations, and the number N of all iterations so far. Then SRP plays
the rest of the round in every seat, including ours ("play card (heuristic)" in Alg. 2). Only the first card is chosen
by this formula: updating other nodes, as the listing does, changes no later choice. The reward is the points of our
side in the round minus those of the other side, under the rules of the game, starting from the current bags. After the
last iteration the card with the greatest mean is played. Of equal means, SRP's card comes first, then the lowest. C and
the means are in points.

The k-th iteration of every card uses the same deal, so that the means differ because of the cards rather than the
deals (common random numbers). The iterations of one card are independent, as the formula requires.

The budget is a number of samples per decision, not a time. The seed depends only on what the seat sees, so that a
decision can be repeated. UCT reads neither the other hands, which it samples, nor the other players: all seats play as
SRP with all pieces.
"""

import math
from typing import Any

from arena.engine.jit import register
from arena.engine.states import new_states, scratch
from arena.players.unseen import WAYS, count_deals, deal_unseen, seed_view
from spades.cards import lowest
from spades.play import (
    SRP_3_COUNT,
    SRP_3_PIECES,
    PlayState,
    legal_cards,
    play_card,
    srp3,
    write_rules,
    written_rules,
)
from spades.scoring import score_side

# A seat's ``pieces`` hold SRP's bits, then n (4 bits), samples per decision (20 bits) and C in points (20 bits).
TRICKS_SHIFT, SAMPLES_SHIFT, C_SHIFT = SRP_3_COUNT, SRP_3_COUNT + 4, SRP_3_COUNT + 24
MOST_SAMPLES = MOST_C = (1 << 20) - 1
MOST_CARDS = 13
# An arm is a card that can be played. The array of arms has cards, then numbers of iterations, then sums of rewards.
N_ARM, TOTAL_ARM = MOST_CARDS, 2 * MOST_CARDS


def packed(tricks: int, samples: int, c_points: int) -> int:
    """Return the ``pieces`` of a UCT player that uses SRP with all pieces; ``tricks`` is the n of UCT(n)."""
    return SRP_3_PIECES | tricks << TRICKS_SHIFT | samples << SAMPLES_SHIFT | c_points << C_SHIFT


def uct(state: PlayState, me: int) -> int:
    """Return the card that UCT plays from seat ``me``; its options are in ``state.pieces``."""
    hand = state.hand[me]
    legal = legal_cards(hand, state.trick_size, state.trick[0], state.broken)
    if legal & (legal - 1) == 0 or hand.bit_count() > state.pieces[me] >> TRICKS_SHIFT & 15:
        return srp3(state, me)
    arms = scratch(3 * MOST_CARDS)
    states = new_states(1)
    n_arms = _open_arms(arms, legal, srp3(state, me))
    search(state, me, arms, n_arms, states)
    best = 0
    for arm in range(1, n_arms):
        # Compare the means in whole numbers. An arm without iterations is never better.
        if (
            arms[N_ARM + arm]
            and arms[TOTAL_ARM + arm] * arms[N_ARM + best] > arms[TOTAL_ARM + best] * arms[N_ARM + arm]
        ):
            best = arm
    return int(arms[best])


def search(state: PlayState, me: int, arms: Any, n_arms: int, states: list[PlayState]) -> None:
    """Run the iterations of one decision.

    ``arms`` starts with ``n_arms`` cards; the function fills in their iterations and sums of rewards. ``states`` holds
    one state to play on.
    """
    samples = state.pieces[me] >> SAMPLES_SHIFT & MOST_SAMPLES
    c_points = float(state.pieces[me] >> C_SHIFT & MOST_C)
    ways = scratch(WAYS)
    count_deals(state, me, ways)
    sim = states[0]
    sim.deck = state.deck
    write_rules(sim, written_rules(state))
    for seat in range(4):
        sim.pieces[seat] = SRP_3_PIECES
    plays = 4 * state.hand[me].bit_count() - state.trick_size - 1
    for done in range(samples):
        arm = done if done < n_arms else _most_promising(arms, n_arms, done, c_points)
        _copy_public(state, sim)
        seed_view(state, me, arms[N_ARM + arm], sim)
        deal_unseen(state, me, ways, sim)
        play_card(sim, me, arms[arm])
        for _ in range(plays):
            seat = (sim.leader + sim.trick_size) & 3
            play_card(sim, seat, srp3(sim, seat))
        arms[N_ARM + arm] += 1
        arms[TOTAL_ARM + arm] += point_gap(state, sim, me)


def point_gap(state: PlayState, sim: PlayState, me: int) -> int:
    """Return the points of ``me``'s side minus the other side's in the finished round ``sim``.

    Bids, bags and rules come from ``state``.
    """
    rules = written_rules(state)
    us = me & 1
    them = 1 - us
    ours, _ = score_side(state.bid[us], sim.taken[us], state.bid[us + 2], sim.taken[us + 2], state.bags[us], rules)
    theirs, _ = score_side(
        state.bid[them], sim.taken[them], state.bid[them + 2], sim.taken[them + 2], state.bags[them], rules
    )
    return int(ours - theirs)


def _copy_public(state: PlayState, sim: PlayState) -> None:
    # Copy what every player at the table sees: neither hands nor the random generator.
    for seat in range(4):
        sim.bid[seat] = state.bid[seat]
        sim.taken[seat] = state.taken[seat]
        sim.void[seat] = state.void[seat]
        sim.trick[seat] = state.trick[seat]
        sim.followed[seat] = state.followed[seat]
        sim.signalled[seat] = state.signalled[seat]
    for side in range(2):
        sim.score[side] = state.score[side]
        sim.bags[side] = state.bags[side]
    sim.played = state.played
    sim.trick_size = state.trick_size
    sim.leader = state.leader
    sim.winner = state.winner
    sim.best_card = state.best_card
    sim.broken = state.broken


def _open_arms(arms: Any, legal: int, preferred: int) -> int:
    arms[0] = preferred
    n = 1
    legal &= ~(1 << preferred)
    while legal:
        arms[n] = lowest(legal)
        legal &= legal - 1
        n += 1
    return n


def _most_promising(arms: Any, n_arms: int, done: int, c_points: float) -> int:
    log = math.log(done)
    best = 0
    best_f = -math.inf
    for arm in range(n_arms):
        times = arms[N_ARM + arm]
        f = arms[TOTAL_ARM + arm] / times + c_points * math.sqrt(log / times)
        if f > best_f:
            best_f = f
            best = arm
    return best


register(__name__, arrays=(uct, search))
