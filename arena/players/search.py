"""SEARCH: a card player that tries each of its cards on deals that fit what it knows, as kernels.

The weights of the deals come from card inference (`spades.inference`), so the deals fit the bids too. On each
deal every card is tried: SRP plays the rest of the round in all seats, and the worth of the result is the win
probability after the round, from the win table. All cards are tried on the same deals, so that differences between
their means come from the cards and not from the deals.

SEARCH plays SRP's card unless another is better by more than SURE standard errors. After every LOOK deals, it leaves
out cards that are worse than the best so far by more than WORSE standard errors. Touching cards (`spades.play.tricks`)
count as one card.

The versions differ in their plan. SEARCH 1 compares all cards with the card of SRP 3, which it never leaves out.
SEARCH 3 lets SRP 4 play the rest, and near the end of the round perfect players (`last_tricks`). It compares each card
with the best one so far, and draws deals as long as they are likely to improve the choice enough for their time.

The seed of the deals depends only on what the seat sees, so that a decision can be repeated.
"""

from math import exp, sqrt
from typing import Any, NamedTuple

import numpy as np

from arena.engine.jit import register
from arena.engine.results import win_probability_after_round
from arena.engine.states import scratch
from arena.players.last_tricks import ENDS, PLIES, PLY_CELLS, WINDOW_CELLS, bound_ends, exact_worth
from arena.players.unseen import MOST_UNSEEN, PLACE_COUNTS, draw_deal, seed_view, sum_deals
from spades.play import (
    ALL_PIECES,
    PlayState,
    cards_between,
    copy_state,
    legal_cards,
    open_cards,
    play_card,
    srp3,
    srp4,
)
from spades.rules import Rules
from spades.winprob import WinTableSlice

LOOK = 16  # deals
WORSE = 3.0  # standard errors of the mean gain
SURE = 0.3  # standard errors of the mean gain
MOST_CARDS = 13
# Columns of the row of a card: 1 if the row has a card, the card, the number of deals on which it was tried, and the
# sums over these deals of its win probability, of its gain over SRP's card, and of the gain's square. After SRP's card
# was left out, the last two stay as they are. For a card that SEARCH 3 leaves out: how far it was behind the best one,
# and the row of that.
PLAYABLE, CARD, DEALS, WORTH, GAIN, SQUARES, BEHIND, BETTER = range(8)
CELLS = 8
# SEARCH 3 stops if the next deal raises the win probability by less than this for each card that is played on it. With
# USUAL_DEALS, this takes 1.06 to 1.08 times as long as SEARCH 1 (fastest of four runs, 1,475 decisions).
LEAST_RISE = 9e-8
USUAL_DEALS = 256
MORE = 4  # SEARCH 3 draws at most this many times as many deals as SEARCH 1
EXACT_PLAYS = 18  # SEARCH 3 plays the rest of the round perfectly from here on: cards left to play
DENSITY_AT_0 = 0.3989422804014327  # of the standard normal distribution


class Value(NamedTuple):
    """What decides the worth of a finished round: the rules, and the win table of their game."""

    rules: Rules
    win_slice: WinTableSlice
    win: Any  # the array of the win table


class Plan(NamedTuple):
    """How a version of SEARCH decides."""

    most_deals: int  # on which a card is tried
    srp: int  # version of SRP that plays the rest of the round: 3 or 4
    exact_plays: int  # the rest is played perfectly if at most this many cards are left to play
    # See LEAST_RISE. 0: compare with SRP's card, and stop only if no other card is left. Below 0: try every card on all
    # deals.
    least_rise: float


def try_cards(state: PlayState, sim: PlayState, me: int, weights: Any, plan: Plan, value: Value, tried: Any) -> int:
    """Return the card that SEARCH plays from seat ``me``, and write a row for each card to ``tried``.

    ``sim`` is working memory. ``weights`` (64, 3): of each card for the next three seats. ``tried`` (MOST_CARDS, CELLS)
    holds zeros; its first row becomes that of SRP's card. If no deal fits the weights, return SRP's card.
    """
    return compare_cards(state, sim, me, srp_of(state, me, plan.srp), weights, plan, value, tried)


def compare_cards(
    state: PlayState, sim: PlayState, me: int, preferred: int, weights: Any, plan: Plan, value: Value, tried: Any
) -> int:
    """Return the best card of seat ``me``, compared with the card ``preferred``; the others: as for `try_cards`.

    If the plan tries every card on all deals, ``tried`` has the same number of deals for each card, also if there is
    only one; 0 if no deal fits the weights.
    """
    every = plan.least_rise < 0.0
    legal = legal_cards(state.hand[me], state.trick_size, state.trick[0], state.broken)
    cards = scratch(MOST_CARDS)
    n = open_cards(cards, legal, preferred, cards_between(state, me))
    for i in range(n):
        tried[i, PLAYABLE] = 1.0
        tried[i, CARD] = cards[i]
    if n == 1 and not every:
        return preferred
    sums = np.zeros((MOST_UNSEEN + 1, PLACE_COUNTS, PLACE_COUNTS))
    if sum_deals(state, me, weights, sums) <= 0.0:
        return preferred
    plays = 4 * state.hand[me].bit_count() - state.trick_size
    exact = plays <= plan.exact_plays
    bounds = np.zeros((ENDS if exact else 1, 2))
    plies = scratch(PLIES * PLY_CELLS if exact else 1)
    windows = np.zeros((PLIES if exact else 1, WINDOW_CELLS))
    if exact:
        copy_state(state, sim)
        bound_ends(sim, me, value, bounds)
        if bounds[0, 0] == bounds[0, 1]:  # all ends of the round are worth the same
            if every:
                for i in range(n):
                    tried[i, DEALS] = plan.most_deals
                    tried[i, WORTH] = plan.most_deals * bounds[0, 0]
            return preferred
    worths = np.zeros(MOST_CARDS)
    differences = np.zeros((MOST_CARDS, MOST_CARDS))  # sums of the squares of the differences between two cards
    active = (1 << n) - 1
    hands = scratch(4)
    done = 0
    while done < plan.most_deals:
        seed_view(state, me, done, sim)
        draw_deal(state, me, weights, sums, sim)
        for seat in range(4):
            hands[seat] = sim.hand[seat]
        if exact:
            copy_state(state, sim)
            for seat in range(4):
                sim.hand[seat] = hands[seat]
        for i in range(n):
            if active >> i & 1:
                if exact:
                    worths[i] = exact_worth(sim, me, cards[i], bounds, plies, windows)
                else:
                    worths[i] = worth_of(state, sim, me, cards[i], hands, plan.srp, value)
        _add_deal(tried, differences, worths, n, active)
        done += 1
        if done % LOOK == 0 and not every:
            if plan.least_rise == 0.0:
                active = _still_good(tried, n, active, done)
                if active == 1:
                    return preferred
            else:
                active = _still_best(tried, differences, n, active, done)
                rise = _rise(tried, differences, n, active, done)
                if rise < plan.least_rise * plays * active.bit_count():
                    break
    return int(cards[_best(tried, n, active, done)])


def srp_of(state: PlayState, seat: int, version: int) -> int:
    """Return the card of ``version`` (3 or 4) of SRP."""
    return srp4(state, seat) if version == 4 else srp3(state, seat)


def worth_of(state: PlayState, sim: PlayState, me: int, card: int, hands: Any, version: int, value: Value) -> float:
    """Return the win probability of ``me``'s side after the round if ``me`` plays ``card`` and SRP plays the rest.

    ``hands`` (4,): the hands of the deal, before ``card``. ``version``: of SRP.
    """
    copy_state(state, sim)
    for seat in range(4):
        sim.hand[seat] = hands[seat]
        sim.pieces[seat] = ALL_PIECES
    play_card(sim, me, card)
    for _ in range(4 * state.hand[me].bit_count() - state.trick_size - 1):
        seat = (sim.leader + sim.trick_size) & 3
        play_card(sim, seat, srp_of(sim, seat, version))
    return win_probability_after_round(sim, me, value.rules, value.win_slice, value.win)


def _add_deal(tried: Any, differences: Any, worths: Any, n: int, active: int) -> None:
    # Add the ``worths`` of the active cards on one deal to their rows and to the differences.
    for i in range(n):
        if active >> i & 1:
            tried[i, DEALS] += 1.0
            tried[i, WORTH] += worths[i]
            if active & 1:
                gain = worths[i] - worths[0]
                tried[i, GAIN] += gain
                tried[i, SQUARES] += gain * gain
            for j in range(i):
                if active >> j & 1:
                    differences[i, j] += (worths[i] - worths[j]) * (worths[i] - worths[j])


# ---- SEARCH 1 --------------------------------------------------------------------------------------------------------


def _error(tried: Any, i: int, deals: int) -> float:
    # Return the standard error of card i's mean gain.
    mean = tried[i, GAIN] / deals
    return sqrt(max(tried[i, SQUARES] / deals - mean * mean, 0.0) / deals)


def _still_good(tried: Any, n: int, active: int, deals: int) -> int:
    # Return the set ``active`` of row numbers without the cards that are surely worse than the best. SRP's card, row 0,
    # has gain 0 and stays.
    best = 0.0
    for i in range(1, n):
        if active >> i & 1:
            best = max(best, tried[i, GAIN] / deals)
    for i in range(1, n):
        if active >> i & 1 and tried[i, GAIN] / deals + WORSE * _error(tried, i, deals) < best:
            active &= ~(1 << i)
    return active


# ---- SEARCH 3 --------------------------------------------------------------------------------------------------------


def _still_best(tried: Any, differences: Any, n: int, active: int, deals: int) -> int:
    # Return the set ``active`` without the cards that are surely worse than the best. Of two cards that had the same
    # worth on every deal, the first stays.
    best = _most_worth(tried, n, active)
    for i in range(n):
        if i != best and active >> i & 1:
            gain = (tried[best, WORTH] - tried[i, WORTH]) / deals
            error = _error_between(tried, differences, i, best, deals)
            if gain > WORSE * error or (error == 0.0 and i > 0):
                active &= ~(1 << i)
                tried[i, BEHIND], tried[i, BETTER] = gain, best
            elif error == 0.0:
                active &= ~(1 << best)
                best = 0
    return active


def _rise(tried: Any, differences: Any, n: int, active: int, deals: int) -> float:
    # Return by how much one more deal is likely to raise the worth of the best card. If the true gain over a card is
    # normal with mean g and standard error s, the choice loses s f(g / s) - g F(-g / s) on average (f: density, F:
    # distribution). Its derivative by s is f(g / s), and s falls by s / 2n with the next deal.
    best = _most_worth(tried, n, active)
    rise = 0.0
    for i in range(n):
        if i != best and active >> i & 1:
            error = _error_between(tried, differences, i, best, deals)
            if error > 0.0:
                z = (tried[best, WORTH] - tried[i, WORTH]) / deals / error
                rise += error * DENSITY_AT_0 * exp(-z * z / 2.0)
    return rise / (2.0 * deals)


def _most_worth(tried: Any, n: int, active: int) -> int:
    # Return the active row with the greatest worth.
    best = -1
    for i in range(n):
        if active >> i & 1 and (best < 0 or tried[i, WORTH] > tried[best, WORTH]):
            best = i
    return best


def _error_between(tried: Any, differences: Any, i: int, j: int, deals: int) -> float:
    # Return the standard error of the mean difference between cards i and j.
    mean = (tried[i, WORTH] - tried[j, WORTH]) / deals
    square = differences[i, j] if i > j else differences[j, i]
    return sqrt(max(square / deals - mean * mean, 0.0) / deals)


# ---- the choice ------------------------------------------------------------------------------------------------------


def _best(tried: Any, n: int, active: int, deals: int) -> int:
    # Return the row of the card to play.
    if not active & 1:
        return _most_worth(tried, n, active)
    best = 0
    most = 0.0
    for i in range(1, n):
        if active >> i & 1:
            gain = tried[i, GAIN] / deals
            if gain > most and gain > SURE * _error(tried, i, deals):
                best, most = i, gain
    return best


register(__name__, arrays=(compare_cards,))


def review_plan(deals: int) -> Plan:
    """Return the plan of a review: every card is tried on the same ``deals``, as SEARCH 3 tries it."""
    return Plan(most_deals=deals, srp=4, exact_plays=EXACT_PLAYS, least_rise=-1.0)


def plan_of(version: int, deals: int) -> Plan:
    """Return the plan of ``version`` (1 or 3) of SEARCH; with the same ``deals``, both take about the same time."""
    if version == 1:
        return Plan(most_deals=deals, srp=3, exact_plays=0, least_rise=0.0)
    # The standard error is proportional to 1 / sqrt(n), so that one more deal reduces it in proportion to n^-1.5.
    least_rise = LEAST_RISE * (USUAL_DEALS / deals) ** 1.5
    return Plan(most_deals=MORE * deals, srp=4, exact_plays=EXACT_PLAYS, least_rise=least_rise)
