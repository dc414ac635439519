"""The probability that a seat's hand holds the ace of spades, by the sum of the previous bids (ECAI 2020, Fig. 7).

BIS bids whole auctions without end-of-game rules, and no cards are played. For each seat, a logistic curve in the sum
is fitted to the counts. The result for a sum is a mean of the share that was counted and of the curve; the rarer the
sum, the more the curve weighs. The result never rises with the sum. It goes to p_ace.npy, and for a table profile to a
file with the profile's prefix. `spades.bis.blind_nil` reads it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from arena.chunks import Arrays
from arena.engine.choose_bid import auction_at
from arena.engine.deal import Deals, deal_round, prepare_state
from arena.engine.game import bid_seat
from arena.engine.jit import round_loop
from arena.engine.simulate import kernel_tables, numba_typed, tables_for
from spades.cards import ACE, FIRST_SPADE
from spades.options import Policy
from spades.play import PlayState
from spades.policies import parse_policy
from spades.rules import JOKERS, PRESETS, Rules
from tables.builders import jokers
from tables.builders.newton import minimize_convex
from tables.builders.variants import self_play
from tables.run.family import Context, Family, recorded

CHUNKS = 20
SUMS = 40  # 0..39 tricks, as in `factor`
PRIOR = 100.0  # weight of the curve, in auctions
RIDGE = 1e-3  # penalty, in auctions; it matters only for what the auctions do not show: the first seat has one sum, 0
_DEPENDS = ("p_length", "cnil", "side", "spades", "ruffs", "factor", "curves")
# The families that self-play with a deck of jokers needs.
OF_JOKERS = (*(family.name for family in jokers.EXACT_OF_JOKERS), "jokers_factor", "jokers_curves")
OF_JJDD = (*(family.name for family in jokers.EXACT_OF_JJDD), "jjdd_factor", "jjdd_curves")
_AXES = ("seat", "sum of the previous bids, tricks")


def _aces(states: list[PlayState], deals: Deals, rules: Rules, policy: Policy, profiles: Any, counts: Any) -> None:
    # counts (4, SUMS, 2): hands by seat and sum of the previous bids; [..., 0] all, [..., 1] with the ace of spades.
    state = prepare_state(states, rules)
    for number in range(deals.first, deals.last):
        deal_round(state, deals.seed, number, 0)
        for seat in range(4):
            total = auction_at(state, seat).sum_of_bids
            counts[seat, total, 0] += 1
            counts[seat, total, 1] += state.hand[seat] >> (FIRST_SPADE + ACE) & 1
            state.bid[seat] = bid_seat(state, seat, rules, policy, profiles)


aces = round_loop(_aces)


def fit_aces(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return probabilities (SUMS,) from counts (SUMS, 2) of all hands and of those with the ace.

    They do not rise with the sum, and have six decimals.
    """
    n, held = counts[:, 0].astype(np.float64), counts[:, 1].astype(np.float64)
    x = np.stack([np.ones(SUMS), np.arange(SUMS) / 10.0], axis=1)

    def derivatives(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        z = x @ w
        p = expit(z)
        value = float((n * np.logaddexp(0.0, z) - held * z).sum()) + RIDGE / 2 * float(w @ w)
        hessian = RIDGE * np.eye(2) + x.T @ (x * (n * p * (1.0 - p))[:, None])
        return value, x.T @ (n * p - held) + RIDGE * w, hessian

    w = minimize_convex(derivatives, np.zeros(2), np.full(2, -np.inf))
    leaning = (held + PRIOR * expit(x @ w)) / (n + PRIOR)
    falling: NDArray[np.float64] = np.minimum.accumulate(leaning).round(6)
    return falling


def count_aces(ctx: Context, rules: Rules, policy: Policy) -> NDArray[np.float64]:
    """Bid the context's auctions by ``policy`` under ``rules``, and return their counts (4, SUMS, 2), as in `_aces`."""
    ts = tables_for(kernel_tables(ctx.inputs), rules, [policy])
    per_chunk = max(1, ctx.size("auctions") // CHUNKS)

    def bid(index: int, seed: int) -> Arrays:
        counts = np.zeros((4, SUMS, 2))
        aces(seed & 0x7FFFFFFF, index * per_chunk, (index + 1) * per_chunk, rules, numba_typed(policy), ts, counts)
        return {"counts": counts}

    return ctx.chunks("auctions", CHUNKS, bid)["counts"]


def ace_family(setting: str, rules: Rules, policy: str, depends: tuple[str, ...] = ()) -> Family:
    """Return the family of a table profile; ``setting`` is its name, "" for partnership.

    ``policy``: text of the bidder of the auctions; ``depends``: families of the same profile that it needs.
    """
    prefix = f"{setting}_" if setting else ""

    def make(ctx: Context) -> Arrays:
        counts = count_aces(ctx, rules, parse_policy(policy))
        ctx.figure("p_ace_fourth_seat_after_7", counts[3, 7, 1] / max(1.0, counts[3, 7, 0]))
        ctx.figure("p_ace_fourth_seat_after_11", counts[3, 11, 1] / max(1.0, counts[3, 11, 0]))
        return {f"{prefix}p_ace": np.stack([fit_aces(seat) for seat in counts])}

    return Family(
        name=f"{prefix}ace",
        generator=1,
        make=make,
        axes={f"{prefix}p_ace": _AXES},
        parameters={"policy": policy, "rules": recorded(rules)},
        sizes={"auctions": 10_000_000},
        depends=(*_DEPENDS, *depends),
    )


FAMILIES = (
    ace_family("", Rules(), "bis:endgame=off"),
    ace_family("jokers", PRESETS["jokers"], self_play(JOKERS), OF_JOKERS),
    ace_family("jjdd", PRESETS["jjdd"], self_play(JOKERS), OF_JJDD),
)
