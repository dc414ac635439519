"""The previous-bids factor: tricks to add to an estimate, by seat and sum of the previous bids (nils count 0).

In each round one seat bids its estimate plus a random shift; nils are switched off. For each seat, a quadratic in the
shift and the sum is fitted to the points by which that seat's side beats the other. Its peak is the shift that gains
most. There are PASSES passes. Each plays with the factor of the pass before, and then moves it half way to the peak,
because all seats change at the same time. The result goes to factor.npy.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from arena.engine.choose_bid import auction_at
from arena.engine.cutthroat import points_gained
from arena.engine.deal import Deals, below, deal_round, prepare_state, seat_players
from arena.engine.game import bid_seat, play_out
from arena.engine.jit import round_loop
from arena.engine.simulate import kernel_tables, numba_typed, player_rows, tables_for
from arena.players.names import TABLES_PLAYER
from spades.options import Policy
from spades.play import PlayState
from spades.rules import Rules
from tables.builders.newton import solve_exactly
from tables.builders.rb import BAG_COST, FIT_RULES
from tables.run.family import Chunk, Context, Family

Run: TypeAlias = Callable[[str, int, Chunk], Arrays]

TERMS = 6  # terms of the quadratic: 1, x, x^2, sum, x * sum, sum^2
PASSES = 4
STEP = 0.5  # share of the way to the peak that each pass moves
START = -0.4  # tricks: the best constant for all seats, a good start for the first pass
UNSHIFTED = 4  # index of shift 0 among the nine shifts -1..1, in quarters of a trick
CHUNKS = 20
NUMBERS = Policy(nils=0, endgame=0)
MOST = 1.0  # tricks: a larger factor would be extrapolation


def _shifted_rounds(
    states: list[PlayState],
    deals: Deals,
    rules: Rules,
    shifts: Any,
    players: Any,
    profiles: Any,
    xtx: Any,
    xty: Any,
) -> None:
    # shifts: a policy for each shift. players (4, 2): id and pieces by seat. xtx (4, TERMS, TERMS) and xty (4, TERMS),
    # by seat: products of terms, and of terms and points, are added.
    x = np.zeros(TERMS)
    state = prepare_state(states, rules)
    for number in range(deals.first, deals.last):
        deal_round(state, deals.seed, number, 0)
        me = number & 3
        step = below(state, 9)
        shift = shifts[step].offset
        bids_sum = 0
        seat_players(state, players)
        for seat in range(4):
            if seat == me:
                bids_sum = auction_at(state, seat).sum_of_bids
            state.bid[seat] = bid_seat(state, seat, rules, shifts[step if seat == me else UNSHIFTED], profiles)
        if state.bid[me] == 0:
            continue  # a nil, if nils are on: a shift does not change it
        play_out(state)
        gain = points_gained(state, me, rules)
        x[0] = 1.0
        x[1] = shift
        x[2] = shift * shift
        x[3] = bids_sum
        x[4] = shift * bids_sum
        x[5] = bids_sum * bids_sum
        for i in range(TERMS):
            xty[me, i] += x[i] * gain
            for j in range(TERMS):
                xtx[me, i, j] += x[i] * x[j]


shifted_rounds = round_loop(_shifted_rounds)


def best_shift(xtx: NDArray[np.float64], xty: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the shift at the peak of the fitted quadratic, in tricks, for each of ``sums``; 0 if there is no peak."""
    varies = [0, 1, 2] if xtx[3, 3] == 0 else list(range(TERMS))
    c = np.zeros(TERMS)
    c[varies] = solve_exactly(xtx[np.ix_(varies, varies)], xty[varies])
    if c[2] >= 0:
        return np.zeros_like(sums)
    shift: NDArray[np.float64] = -(c[1] + c[4] * sums) / (2 * c[2])
    return shift


def learn(
    inputs: Arrays,
    rules: Rules,
    per_chunk: int,
    run: Run,
    policy: Policy = NUMBERS,
    player: str = TABLES_PLAYER,
    name: str = "factor",
) -> NDArray[np.float64]:
    """Return the factor (4, 40), in tricks by seat and sum, that gains ``policy`` most points under ``rules``.

    ``per_chunk``: rounds in a chunk; ``run`` plays the chunks of a pass and adds up their arrays, as `Context.chunks`;
    ``player``: the card player; ``name``: name of the factor's array.
    """
    shifts = tuple(numba_typed(policy._replace(offset=0.25 * (step - UNSHIFTED))) for step in range(9))
    players = player_rows(player, player)
    sums = np.arange(40, dtype=np.float64)
    factor = np.full((4, 40), START)
    for number in range(PASSES):
        ts = tables_for(kernel_tables({**inputs, name: factor}), rules, [policy])

        def shifted(index: int, seed: int, profiles: Any = ts) -> Arrays:
            xtx, xty = np.zeros((4, TERMS, TERMS)), np.zeros((4, TERMS))
            first = index * per_chunk
            span = first, first + per_chunk
            shifted_rounds(seed & 0x7FFFFFFF, *span, rules, shifts, players, profiles, xtx, xty)
            return {"xtx": xtx, "xty": xty}

        total = run(f"pass{number}", CHUNKS, shifted)
        for seat in range(4):
            # Larger sums are too rare to fit: they get the value at the limit.
            reach = np.clip(sums, 0, (0, 6, 9, 12)[seat])
            peak = best_shift(total["xtx"][seat], total["xty"][seat], reach)
            factor[seat] += STEP * np.clip(peak, -MOST, MOST)
        factor = np.round(np.clip(factor, -MOST, MOST), 4)
    return factor


def _make(ctx: Context) -> Arrays:
    inputs = {name: ctx.array(name) for name in ("p_length", "cnil", "side_high", "spade_high", "spade_takes", "ruffs")}
    return {"factor": learn(inputs, FIT_RULES, max(4, ctx.size("rounds") // CHUNKS), ctx.chunks)}


FAMILIES = (
    Family(
        name="factor",
        generator=3,
        make=_make,
        axes={"factor": ("seat in bidding order", "sum of the previous bids, 0..39")},
        parameters={"player": TABLES_PLAYER, "bag_cost": BAG_COST, "passes": PASSES},
        sizes={"rounds": 1_000_000},
        depends=("p_length", "cnil", "side", "spades", "ruffs"),
    ),
)
