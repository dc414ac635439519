"""A bidder that searches, as kernels: it plays its bids on deals that fit the bids so far, and takes the best.

`random_decision` finds a decision of side a in a game of self-play. `weigh` deals the unseen cards again until the
earlier bidders would have made the same bids, and plays every candidate to the end of the round, all on the same
deals. `chosen_bid` takes the best candidate. `weigh` then plays it on other deals that judge it. So luck with the deals
that choose does not count as a gain. A gain is the difference in the win probability after the round, from the win
table, between a bid and the bid that `winprob` made.
"""

from math import sqrt
from typing import Any, NamedTuple

from spades.play import PlayState
from spades.rules import Rules
from spades.scoring import game_winner
from spades.winprob import win_array
from tables.engine.deal import below, seed_rng, uniform
from tables.engine.game import (
    MOST_ROUNDS,
    Game,
    Lineup,
    Totals,
    begin_round,
    bid_seat,
    close_round,
    first_chair_of,
    noisy_bid,
    play_out,
    win_probability_after_round,
)
from tables.engine.scratch import scratch
from tables.engine.states import copy_state
from tables.engine.winprob import BIDS, slice_of
from tables.players.unseen import WAYS, count_deals, deal_unseen

LOOK = 32  # deals after which bids that look worse are left out, again and again
WORSE = 3.0  # standard errors by which such a bid is worse than the bid made
SURE = 1.0  # standard errors by which another bid must be better to be chosen
DECISION_STREAM, SEARCH_STREAM = 1 << 21, 1 << 22  # of random numbers; deals use the round's number as their stream


class Plan(NamedTuple):
    """How one phase of the search draws the policies of the others, and whether it judges."""

    drawn: Any  # int64 (n,): indices in `Search.policies`; both opponents bid by one of them, drawn evenly
    p_partner: float  # probability that partner bids by policy 0; otherwise by one of `drawn`
    noise: float  # probability that an earlier number bid was moved up or down by one
    judges: bool  # whether bids are judged; otherwise they are weighed to choose one


class Search(NamedTuple):
    """The settings of a search."""

    policies: Any  # a tuple of `Policy`
    rules: Rules
    profiles: Any  # `Tables` by profile
    deals: int  # most deals to play
    tries: int  # most deals drawn to find them
    fewest: int  # with fewer deals that fit, the bid made is kept


def random_decision(
    states: list[PlayState], game: Game, lineup: Lineup, rules: Rules, profiles: Any, sums: Any
) -> tuple[int, int]:
    """Play a game and draw one of the decisions of side a; return the seat to bid and the number of decisions.

    ``states[1]`` becomes the state at this decision. The other two are working memory.
    """
    state, kept, lots = states[0], states[1], states[2]
    seed_rng(lots, game.seed, game.pair, DECISION_STREAM)
    totals = Totals(0, 0, 0, 0)
    me = 0
    decisions = 0
    for number in range(MOST_ROUNDS):
        first_chair = first_chair_of(game, number)
        begin_round(state, game, number, lineup.players, totals)
        for seat in range(4):
            chair = (first_chair + seat) & 3
            if chair & 1 == 0:
                decisions += 1
                if below(lots, decisions) == 0:  # so each one is kept with the same probability in the end
                    copy_state(state, kept)
                    me = seat
            state.bid[seat] = bid_seat(state, seat, rules, lineup.policies[chair], profiles)
        play_out(state)
        totals = close_round(state, first_chair, totals, rules, sums)
        if game_winner(totals.score_a, totals.score_b, rules) != 0:
            break
    return me, decisions


def copy_position(source: PlayState, target: PlayState, seed: int, number: int, phase: int) -> None:
    """Copy the state of a decision, and give it the random numbers of a phase: choosing (0 and 1), judging (2)."""
    copy_state(source, target)
    seed_rng(target, seed, number, SEARCH_STREAM + phase)


def weigh(
    state: PlayState, sim: PlayState, me: int, made: int, bids: int, plan: Plan, search: Search, sums: Any
) -> bool:
    """Add the gains of ``bids`` over the bid ``made`` to ``sums`` (BIDS, 3): deals, sum and sum of squares by bid.

    To choose, bids that are surely worse are left out every `LOOK` deals; the weighing ends if none is left. To judge,
    the first deal is that of ``state``, and the number of deals does not depend on the gains. Return whether the deals
    were enough. ``state`` keeps its bids, but not its hands; ``sim`` is working memory.
    """
    ways, who = scratch(WAYS), scratch(4)
    count_deals(state, me, ways)
    seat_policies(state, me, plan, who)
    left = search.tries
    for done in range(search.deals):
        if done > 0 or not plan.judges:
            left = next_deal(state, me, plan, search, ways, who, left)
            if left < 0:
                return done >= search.fewest
        add_gains(state, sim, me, made, bids, who, search, sums)
        if done % LOOK == LOOK - 1 and not plan.judges:
            for bid in range(BIDS):
                if bids >> bid & 1 and mean_gain(bid, sums) + WORSE * _error(bid, sums) < 0.0:
                    bids &= ~(1 << bid)
        if not bids:
            break
    return True


def chosen_bid(made: int, bids: int, fewest: int, sums: Any) -> int:
    """Return the bid of the set ``bids`` with the best surely positive gain, or the bid ``made`` if there is none.

    ``sums``: see `weigh`. Bids with fewer than ``fewest`` deals are not chosen.
    """
    best = made
    most = 0.0
    for bid in range(BIDS):
        if bids >> bid & 1 and sums[bid, 0] >= fewest:
            gain = mean_gain(bid, sums) - SURE * _error(bid, sums)
            if gain > most:
                best = bid
                most = gain
    return best


def mean_gain(bid: int, sums: Any) -> float:
    """Return the mean gain of ``bid``, 0 without deals; ``sums``: see `weigh`."""
    return float(sums[bid, 1] / sums[bid, 0]) if sums[bid, 0] > 0.0 else 0.0


def _error(bid: int, sums: Any) -> float:
    mean = mean_gain(bid, sums)
    return sqrt(max(sums[bid, 2] / sums[bid, 0] - mean * mean, 0.0) / sums[bid, 0])


def seat_policies(state: PlayState, me: int, plan: Plan, who: Any) -> None:
    """Draw the policies of the others; ``who`` (4,) gets their indices in `Search.policies`, by seat."""
    theirs = plan.drawn[below(state, len(plan.drawn))]
    partners = 0 if uniform(state) < plan.p_partner else plan.drawn[below(state, len(plan.drawn))]
    who[((me + 1) & 3)] = theirs
    who[((me + 2) & 3)] = partners
    who[((me + 3) & 3)] = theirs


def next_deal(state: PlayState, me: int, plan: Plan, search: Search, ways: Any, who: Any, left: int) -> int:
    """Deal the unseen cards until they fit the earlier bids; return how many tries are left, or -1 if none fits."""
    while left > 0:
        left -= 1
        deal_unseen(state, me, ways, state)
        seat_policies(state, me, plan, who)
        fits = True
        for step in (3, 1, 2):  # partner last: their bid takes longest to compute
            seat = (me + step) & 3
            if fits and seat < me:
                policy = search.policies[who[seat]]
                bid = noisy_bid(state, seat, search.rules, policy, search.profiles, plan.noise)
                fits = bid == state.bid[seat]
        if fits:
            return left
    return -1


def add_gains(
    state: PlayState, sim: PlayState, me: int, made: int, bids: int, who: Any, search: Search, sums: Any
) -> None:
    """Play one deal with the bid ``made`` and with each of ``bids``, and add the gains to ``sums`` (`weigh`)."""
    rules, tables = search.rules, search.profiles[0]
    win_slice = slice_of(rules, tables)
    win = win_array(win_slice, tables)
    usual = 0.0
    for i in range(-1, BIDS):  # the bid made comes first
        bid = i if i >= 0 else made
        if i >= 0 and not bids >> bid & 1:
            continue
        copy_state(state, sim)
        sim.bid[me] = bid
        for seat in range(me + 1, 4):
            sim.bid[seat] = bid_seat(sim, seat, rules, search.policies[who[seat]], search.profiles)
        play_out(sim)
        value = win_probability_after_round(sim, me, rules, win_slice, win)
        if i < 0:
            usual = value
            continue
        gain = value - usual
        sums[bid, 0] += 1.0
        sums[bid, 1] += gain
        sums[bid, 2] += gain * gain
