"""Levels and style as kernels: how a policy bids that misjudges its hand, or leans to more tricks or to nils.

A level below full strength misjudges the hand by some tricks and a nil by some points, each drawn by a seed, and bids
what its policy makes of that (`perturbed`); `winprob`, which has every bid's chance to win, draws among them instead
(`sample_bid`). Style moves the same numbers without a lot. What nobody bids is out of reach at any level: a number more
than `MOST_TRICKS` away, a nil that all but surely fails. How far a level goes (`Policy.spread`) stands in
`policies.NOISE_SD_BY_LEVEL`. A policy that is not graded (`policies.with_skill`) never comes here.
"""

from math import exp
from typing import Any

from service.bidding.bis.blind_nil import hash_uniform
from service.bidding.bis.nil import SURE_LOSER
from service.bidding.policies import BIS, IO, Policy
from service.bidding.winprob.candidates import TIE_TOLERANCE

MOST_TRICKS = 2  # by which a hand is misjudged, or a drawn number is away from the best
AGGRESSION_TRICKS = 0.6  # that a hand is worth more at aggression 1
NIL_POINTS = 25.0  # by which a nil is misjudged, where a hand is by one trick
BIAS_POINTS = 40.0  # that a nil may be worth less at nil_bias 1
RANK_POINTS = 25.0  # that move the nil ranks of RB and MS by one
FORGOTTEN = 40.0  # points: IO, which has no ranks, bids no nil that looks worse by more

REACH_IN_SD = 3.0  # spreads that a drawn bid's chance may be below the best,
MOST_REACH = 0.25  # win probability that it may be at any level
AGGRESSION_CHANCE = 0.02  # win probability that a trick is worth more at aggression 1
BIAS_CHANCE = 0.04  # the same of a nil at nil_bias 1
STYLE_REACH = 0.04  # win probability that style may give away
EXCLUDED = -1e9
LARGEST_SEED = (1 << 53) - 1  # the largest seed; LOTS of them are still an int64
DRAWS_PER_SEED = 8  # drawn by one seed


def hash_normal(seed: int) -> float:
    """A number of mean 0 and standard deviation 1 within -3..3: the sum of three lots, near to normal.

    >>> round(hash_normal(8), 3)
    0.793
    """
    return 2.0 * (hash_uniform(seed) + hash_uniform(seed + 1) + hash_uniform(seed + 2)) - 3.0


def trick_bias(policy: Policy, seed: int) -> float:
    """Tricks by which ``policy`` takes a hand for better than it is."""
    off = policy.noise_sd * hash_normal(DRAWS_PER_SEED * seed) + AGGRESSION_TRICKS * policy.aggression
    return min(max(off, -float(MOST_TRICKS)), float(MOST_TRICKS))


def nil_point_bias(policy: Policy, seed: int) -> float:
    """Whole points by which it takes a nil for worse than it is."""
    off = NIL_POINTS * policy.noise_sd * hash_normal(DRAWS_PER_SEED * seed + 3) - BIAS_POINTS * policy.nil_bias
    return float(int(off + 1000.5) - 1000)


def perturbed(policy: Policy, seed: int) -> Policy:
    """The options with which ``policy`` misjudges this hand; ``seed`` 0..SEEDS draws the lots. Not for `winprob`.

    What it makes of BIS's nil threshold is `nil.shifted_threshold`'s. RB, MS and IO, which know no chance of a nil,
    forget some of theirs and bid no more of them.
    """
    off = nil_point_bias(policy, seed)
    ranks = 0
    nils = policy.nils
    if policy.kind != BIS:
        if policy.kind != IO:
            ranks = min(max(int(20.5 - off / RANK_POINTS) - 20, -4), 0)
        elif off > FORGOTTEN:
            nils = 0
        off = 0.0
    return Policy(
        policy.kind,
        policy.nil_threshold,
        policy.offset + trick_bias(policy, seed),
        policy.curves,
        policy.factor,
        policy.endgame,
        policy.spade_honours,
        policy.nil_floor,
        nils,
        policy.dynamic,
        max(policy.nil_x + ranks, 0),
        max(policy.nil_y + ranks, 0),
        max(policy.nil_z + ranks, 0),
        policy.bid,
        policy.convention,
        policy.blind,
        policy.blind_frequency,
        policy.blind_floor,
        policy.answer_threshold,
        policy.signal_takes,
        policy.nil_slope,
        policy.ignores,
        policy.ten_from,
        policy.forced_trick,
        policy.ignores_rules,
        policy.level,
        policy.noise_sd,
        policy.aggression,
        policy.nil_bias,
        off,
    )


def attraction(bid: int, number: int, best: int, p_win: Any, p_nil: float, policy: Policy) -> float:
    """What draws ``policy`` to ``bid``, win probability over the best bid's; NEVER where it is out of the question.

    ``number``: the best number, 0 where there is none.
    """
    behind: float = p_win[bid] - p_win[best]
    reach = min(REACH_IN_SD * policy.noise_sd, MOST_REACH)
    if policy.aggression != 0.0 or policy.nil_bias != 0.0:
        reach += STYLE_REACH
    if p_win[bid] < 0.0 or behind < -reach:
        return EXCLUDED
    if bid == 0:
        return EXCLUDED if best != 0 and p_nil < SURE_LOSER else behind + BIAS_CHANCE * policy.nil_bias
    away = bid - number
    if abs(away) > MOST_TRICKS:
        return EXCLUDED
    return behind + AGGRESSION_CHANCE * policy.aggression * away - policy.noise_sd * (0.5 * away * away)


def sample_bid(p_win: Any, best: int, p_nil: float, policy: Policy, seed: int) -> int:
    """The bid that a graded `winprob` draws: exp(liking / spread) is its weight; without a spread the one liked most.

    ``p_win`` (14,): win probabilities of the bids weighed, -1 of others; ``best``: the best of them; ``p_nil``: that a
    nil is made, by the curves.
    """
    number = best
    if best == 0:
        for bid in range(1, 14):
            if p_win[bid] >= 0.0 and (number == 0 or p_win[bid] > p_win[number]):
                number = bid
    chosen = best
    most = attraction(best, number, best, p_win, p_nil, policy)
    for bid in range(14):
        liked = attraction(bid, number, best, p_win, p_nil, policy)
        if liked > most + TIE_TOLERANCE:
            chosen = bid
            most = liked
    if policy.noise_sd == 0.0:
        return chosen
    total = 0.0
    for bid in range(14):
        liked = attraction(bid, number, best, p_win, p_nil, policy)
        if liked > EXCLUDED:
            total += exp((liked - most) / policy.noise_sd)
    left = hash_uniform(DRAWS_PER_SEED * seed) * total
    for bid in range(14):
        liked = attraction(bid, number, best, p_win, p_nil, policy)
        if liked > EXCLUDED:
            left -= exp((liked - most) / policy.noise_sd)
            if left < 0.0:
                return bid
    return chosen
