"""The bid of a seat, as kernels: of any policy, with its skill level, its blind bids, and noise."""

from typing import Any

from arena.engine.choose_bid import auction_at, choose_bid, choose_cutthroat_bid, standing_at, tables_of
from arena.engine.deal import NO_ANSWER, below, uniform
from arena.engine.jit import entry, register
from arena.engine.states import policy_of
from arena.engine.winprob import blind_number_of, skilled_seat, winprob_seat
from spades.bis import decide_blind_nil
from spades.legal import BLIND_NIL
from spades.levels import LARGEST_SEED, perturbed
from spades.options import WINPROB, Policy
from spades.play import PlayState, written_rules
from spades.position import allowed_at_turn
from spades.random_numbers import hash_uniform
from spades.rules import CUTTHROAT, Rules
from spades.tables import profile_of


def bid_seat(state: PlayState, seat: int, rules: Rules, policy: Policy, profiles: Any) -> int:
    """Return the bid of ``policy`` from ``seat``; a blind bid is decided before the hand is seen.

    The skill level's random numbers depend only on the deal, so that a replay draws the same ones. ``profiles``:
    `KernelTables`.
    """
    if policy.level and policy.kind != WINPROB:
        policy = perturbed(policy, state.rng[seat] & LARGEST_SEED)
    if rules.variant == CUTTHROAT:
        scores = (state.seat_score[0], state.seat_score[1], state.seat_score[2], state.seat_score[3])
        hand, bags = state.hand[seat], state.seat_bags[seat]
        return choose_cutthroat_bid(hand, auction_at(state, seat), scores, bags, rules, policy, profiles)
    if policy.kind == WINPROB:
        if policy.blind and rules.blind_min and not policy.ignores_rules:
            number = blind_number_of(state, seat, rules, policy, profiles)
            if number > 0:
                return number
        if policy.level:
            return skilled_seat(state, seat, rules, policy, state.rng[seat] & LARGEST_SEED, profiles)
        return winprob_seat(state, seat, rules, policy, profiles)
    if policy.blind and rules.blind_nil and bids_blind_nil(state, seat, rules, policy, profiles):
        return BLIND_NIL
    return choose_bid(state.hand[seat], auction_at(state, seat), standing_at(state, seat), rules, policy, profiles)


def bids_blind_nil(state: PlayState, seat: int, rules: Rules, policy: Policy, profiles: Any) -> bool:
    """Return whether ``policy`` bids blind nil from ``seat``; its random number depends only on the deal."""
    standing = standing_at(state, seat)
    tables = tables_of(profiles, profile_of(rules, policy, standing))
    drawn = hash_uniform(state.rng[seat])
    return bool(decide_blind_nil(auction_at(state, seat), standing, rules, policy, drawn, tables).chosen)


def with_noise(state: PlayState, bid: int, noise: float) -> int:
    """Return a bid moved up or down by one with probability ``noise``, within 1..13.

    A blind bid stays, and a nil becomes 1. A number never becomes a nil, because that would be a large change. The
    state's generator draws the random numbers.
    """
    if uniform(state) >= noise or bid > 13:
        return bid
    bid += 2 * below(state, 2) - 1
    return min(max(bid, 1), 13)


def noisy_bid(state: PlayState, seat: int, bid: int, rules: Rules, noise: float) -> int:
    """Return a bid of ``seat`` that the rules allow: a nil as it is, a number moved as `with_noise` does."""
    if bid == 0 or noise == 0.0:
        return bid
    bid = with_noise(state, bid, noise)
    allowed = allowed_at_turn(state.hand[seat], auction_at(state, seat), rules)
    return bid if allowed >> bid & 1 else max(1, bid - 1)


register(__name__)


def _bid(
    states: Any,
    rounds: Any,
    places: Any,
    bidders: Any,
    answers: Any,
    policies: Any,
    noise: float,
    rules: Rules,
    profiles: Any,
) -> None:
    # places (n,): the seat that bids next; 4 after the last bid. bidders (n, 4): by seat, a row of policies, or
    # NO_ANSWER if the bid comes from ``answers`` (n,).
    for i in range(len(rounds)):
        state, row = states[i], rounds[i]
        while places[i] < 4:
            seat = places[i]
            if bidders[i, seat] != NO_ANSWER:
                bid = bid_seat(state, seat, rules, policy_of(policies[bidders[i, seat]]), profiles)
            elif answers[i] == NO_ANSWER:
                break
            else:
                bid = answers[i]
                answers[i] = NO_ANSWER
            if noise > 0.0:
                moved = with_noise(state, bid, noise)
                if allowed_at_turn(state.hand[seat], auction_at(state, seat), rules) >> moved & 1:
                    bid = moved
            state.bid[seat] = bid
            row.bids[seat] = bid
            places[i] += 1


def _allowed(states: Any, seats: Any, found: Any) -> None:
    for i in range(len(states)):
        state, seat = states[i], seats[i]
        found[i] = allowed_at_turn(state.hand[seat], auction_at(state, seat), written_rules(state))


bid_all, allowed_of_all = entry(_bid), entry(_allowed)
