"""The probability that a blind nil is made, by the previous bids.

In each round one seat bids blind nil with any hand. The others bid by BIS, and SRP plays all cards. The counts say how
often a blind nil was made after each sequence of bids. A logistic regression on the previous bids and on pairs of them
is fitted to the counts: the regression of the success curves (`curve_fit`), without the nil value. The result goes to
blind_nil.npy, and for a table profile to a file with the profile's prefix. `spades.bis.blind_nil` reads it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from arena.chunks import Arrays
from arena.engine.choose_bid import auction_at
from arena.engine.deal import Deals, deal_round, prepare_state, seat_players
from arena.engine.game import bid_seat, play_out
from arena.engine.jit import round_loop
from arena.engine.simulate import kernel_tables, numba_typed, player_rows, tables_for
from arena.players.names import TABLES_PLAYER
from spades.legal import BLIND_NIL
from spades.options import Policy
from spades.play import PlayState
from spades.policies import parse_policy
from spades.rules import JOKERS, Rules, make_rules
from spades.tables import SEQUENCES
from tables.builders.ace_of_spades import OF_JJDD, OF_JOKERS
from tables.builders.curve_fit import RIDGE, design, row_pairs, sequences
from tables.builders.newton import minimize_convex
from tables.builders.variants import self_play
from tables.run.family import Context, Family, recorded

CHUNKS = 20
HELD_OUT = 2  # number of chunks that are not used to fit, only to evaluate
_DEPENDS = ("p_length", "cnil", "side", "spades", "ruffs", "factor", "curves")
_AXES = ("sequence of previous bids, see spades.position.read_auction",)
RULES = make_rules("blind-nil")


def _blind_rounds(
    states: list[PlayState], deals: Deals, rules: Rules, policy: Policy, players: Any, profiles: Any, counts: Any
) -> None:
    # counts (SEQUENCES, 2): blind nils by the previous bids; [..., 0] all, [..., 1] made.
    state = prepare_state(states, rules)
    for number in range(deals.first, deals.last):
        deal_round(state, deals.seed, number, 0)
        me = number & 3
        sequence = 0
        seat_players(state, players)
        for seat in range(4):
            if seat == me:
                sequence = auction_at(state, seat).sequence
                state.bid[seat] = BLIND_NIL
            else:
                state.bid[seat] = bid_seat(state, seat, rules, policy, profiles)
        play_out(state)
        counts[sequence, 0] += 1
        counts[sequence, 1] += 1 if state.taken[me] == 0 else 0


blind_rounds = round_loop(_blind_rounds)


def fit_blind(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return probabilities (SEQUENCES,) from counts (SEQUENCES, 2) of all blind nils and of those made."""
    n, made = counts[:, 0].astype(np.float64), counts[:, 1].astype(np.float64)
    effects = design(sequences()).effects
    size = effects.shape[1]
    pairs = row_pairs(effects, effects)

    def derivatives(e: NDArray[np.float64]) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        z = effects @ e
        p = expit(z)
        value = float((n * np.logaddexp(0.0, z) - made * z).sum()) + RIDGE / 2 * float(e @ e)
        hessian = RIDGE * np.eye(size) + (pairs.T @ (n * p * (1.0 - p))).reshape(size, size)
        return value, effects.T @ (n * p - made) + RIDGE * e, hessian

    e = minimize_convex(derivatives, np.zeros(size), np.full(size, -np.inf))
    fitted: NDArray[np.float64] = expit(effects @ e).round(6)
    return fitted


def play_blind(ctx: Context, rules: Rules, policy: Policy) -> NDArray[np.int64]:
    """Play the context's rounds, and return their counts (2, SEQUENCES, 2), as in `_blind_rounds`.

    The first index is 0 for rounds to fit on, and 1 for rounds to evaluate on.
    """
    ts = tables_for(kernel_tables(ctx.inputs), rules, [policy])
    players = player_rows(TABLES_PLAYER, TABLES_PLAYER)
    per_chunk = max(4, ctx.size("rounds") // CHUNKS)

    def play(index: int, seed: int) -> Arrays:
        counts = np.zeros((2, SEQUENCES, 2), np.int64)
        first, target = index * per_chunk, counts[1 if index < HELD_OUT else 0]
        blind_rounds(seed & 0x7FFFFFFF, first, first + per_chunk, rules, numba_typed(policy), players, ts, target)
        return {"counts": counts}

    return ctx.chunks("rounds", CHUNKS, play)["counts"]


def blind_family(setting: str, rules: Rules, policy: str, depends: tuple[str, ...] = ()) -> Family:
    """Return the family of a table profile; ``setting`` is its name, "" for partnership.

    ``policy``: text of the other bidders; ``depends``: families of the same profile that it needs.
    """
    prefix = f"{setting}_" if setting else ""

    def make(ctx: Context) -> Arrays:
        fitted, held = play_blind(ctx, rules, parse_policy(policy))
        p_made = fit_blind(fitted)
        n, made = held[:, 0], held[:, 1]
        ctx.figure("made", fitted[:, 1].sum() / fitted[:, 0].sum())
        ctx.figure("held_out_stated", (n * p_made).sum() / n.sum())
        ctx.figure("held_out_made", made.sum() / n.sum())
        ctx.figure("held_out_brier", (made * (1 - p_made) ** 2 + (n - made) * p_made**2).sum() / n.sum())
        return {f"{prefix}blind_nil": p_made}

    return Family(
        name=f"{prefix}blind",
        generator=1,
        make=make,
        axes={f"{prefix}blind_nil": _AXES},
        parameters={"player": TABLES_PLAYER, "policy": policy, "rules": recorded(rules)},
        sizes={"rounds": 4_000_000},
        depends=(*_DEPENDS, *depends),
    )


FAMILIES = (
    blind_family("", RULES, "bis:endgame=off"),
    blind_family("big6", RULES, "bis:endgame=off,convention=big6", ("big6_curves",)),
    blind_family("jokers", make_rules("jokers", {"blind_nil": True}), self_play(JOKERS), OF_JOKERS),
    blind_family("jjdd", make_rules("jjdd", {"blind_nil": True}), self_play(JOKERS), OF_JJDD),
    blind_family("pass2", make_rules("pass-2", {"blind_nil": True}), "bis:endgame=off", ("pass2_curves",)),
    blind_family("pass4", make_rules("pass-4", {"blind_nil": True}), "bis:endgame=off", ("pass4_curves",)),
)
