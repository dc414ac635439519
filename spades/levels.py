"""Skill levels and style as kernels: bids with random errors, or with a preference for tricks or nils.

A level below full strength misjudges a hand by some tricks, and a nil by some points. A seed determines both errors.
The policy then bids as usual (`perturbed`). `winprob` knows the win probability of every bid, and draws one of the
bids instead (`sample_bid`). Style changes the same numbers without randomness. No level makes absurd bids: a number
more than `MOST_TRICKS` away from the best, or a nil that is nearly certain to fail. `policies` declares the size of the
errors (`Policy.noise_sd`). A policy without level and style does not use these kernels.
"""

from math import exp
from typing import Any

from spades.bis.estimates import SURE_LOSER
from spades.options import BIS, IO, LIKE_BIS, LIKE_WINPROB, SIMPLE, WEAK, WINPROB, Policy
from spades.random_numbers import hash_normal, hash_uniform
from spades.winprob.candidates import TIE_TOLERANCE

WEAK_LEVEL = 2  # the highest level of a weak player
MOST_TRICKS = 2  # largest error of a hand's tricks, and largest distance of a drawn number from the best
AGGRESSION_TRICKS = 0.6  # tricks added to a hand at aggression 1
NIL_POINTS = 25.0  # standard deviation of a nil's error in points, for a noise_sd of one trick
BIAS_POINTS = 40.0  # points added to a nil at nil_bias 1
RANK_POINTS = 25.0  # error in points that changes the nil ranks of RB and MS by one
FORGOTTEN = 40.0  # error in points above which IO, which has no nil ranks, bids no nil

REACH_IN_SD = 3.0  # most win probability that a drawn bid may give up, in multiples of noise_sd
MOST_REACH = 0.25  # most win probability that a drawn bid may give up, whatever noise_sd is
AGGRESSION_CHANCE = 0.02  # win probability added for each further trick at aggression 1
BIAS_CHANCE = 0.04  # win probability added to a nil at nil_bias 1
STYLE_REACH = 0.04  # further win probability that a bid may give up if there is a style
EXCLUDED = -1e9  # what `attraction` returns for a bid that is never drawn
# The largest integer that every JSON reader keeps exactly. DRAWS_PER_SEED times this still fits an int64.
LARGEST_SEED = (1 << 53) - 1
DRAWS_PER_SEED = 8  # random numbers that belong to one seed


def trick_bias(policy: Policy, seed: int) -> float:
    """Return the tricks by which ``policy`` overestimates a hand, -MOST_TRICKS..MOST_TRICKS."""
    off = policy.noise_sd * hash_normal(DRAWS_PER_SEED * seed) + AGGRESSION_TRICKS * policy.aggression
    return min(max(off, -float(MOST_TRICKS)), float(MOST_TRICKS))


def nil_point_bias(policy: Policy, seed: int) -> float:
    """Return the whole points by which ``policy`` underestimates a nil."""
    off = NIL_POINTS * policy.noise_sd * hash_normal(DRAWS_PER_SEED * seed + 3) - BIAS_POINTS * policy.nil_bias
    return float(int(off + 1000.5) - 1000)


def kind_of_player(policy: Policy) -> int:
    """Return the kind of a bidder with this policy, an index in PLAYER_KINDS; never UNKNOWN."""
    if 0 < policy.level <= WEAK_LEVEL:
        return WEAK
    if policy.kind == WINPROB:
        return LIKE_WINPROB
    return LIKE_BIS if policy.kind == BIS else SIMPLE


def perturbed(policy: Policy, seed: int) -> Policy:
    """Return ``policy`` with the errors of its level for this hand and ``seed`` (0..LARGEST_SEED). Not for `winprob`.

    BIS uses the error of a nil in its nil threshold. Other policies have no nil probability: they omit some of their
    nils, and never bid additional ones. IO does so by option ``nils``, the others by the ranks of option ``nil``.
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
    return policy._replace(
        offset=policy.offset + trick_bias(policy, seed),
        nils=nils,
        nil_x=max(policy.nil_x + ranks, 0),
        nil_y=max(policy.nil_y + ranks, 0),
        nil_z=max(policy.nil_z + ranks, 0),
        nil_shift=off,
    )


def attraction(bid: int, number: int, best: int, p_win: Any, p_nil: float, policy: Policy) -> float:
    """Return how attractive ``bid`` is to ``policy``, or EXCLUDED if it never makes this bid.

    The attraction is the win probability of ``bid`` minus that of ``best``, the bid at full strength, adjusted for
    style and for the distance from ``number``: the best bid that is not nil, or 0 if there is none. ``p_win`` and
    ``p_nil``: as in `sample_bid`.
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
    """Return the bid that `winprob` makes with a level or a style.

    It is drawn at random, each bid with the weight exp(attraction / noise_sd). If noise_sd is 0, it is the most
    attractive bid. ``p_win`` (14,): win probability of each bid, -1 for bids that were not compared; ``best``: the bid
    at full strength; ``p_nil``: the probability that a nil is made, by the success curves; ``seed``: 0..LARGEST_SEED.
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
