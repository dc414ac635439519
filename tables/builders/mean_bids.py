"""Mean bids still to come after each sequence of bids, and shares of contracts made.

The end-of-game rules project scores with them. For the mean bids, BIS bids whole auctions without end-of-game rules,
and no cards are played. Nils count 0. The means of the next, second and third bid after every sequence are shrunk
towards an additive model of the bids so far, so that rare sequences follow frequent ones.

For the shares of contracts made, rounds are played out. They are counted by contract, with and without a nil on the
side. The results go to mean_bids.npy and contract_made.npy.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from arena.engine.choose_bid import auction_at
from arena.engine.deal import Deals, deal_round, prepare_state, seat_players
from arena.engine.game import bid_seat, play_out
from arena.engine.jit import round_loop
from arena.engine.simulate import kernel_tables, numba_typed, player_rows, tables_for
from arena.players.names import TABLES_PLAYER
from spades.legal import contract_of
from spades.options import Policy
from spades.play import PlayState, tricks_needed
from spades.policies import parse_policy
from spades.rules import CUTTHROAT, Rules
from spades.tables import SEQUENCES
from tables.builders.curve_fit import sequences
from tables.builders.newton import solve_exactly
from tables.run.family import Context, Family, recorded

CHUNKS = 20
_DEPENDS = ("p_length", "cnil", "side", "spades", "ruffs", "factor", "curves")
_MEAN_AXES = ("sequence of the bids so far", "mean of the next bid, of the second, of the third")
PRIOR = 50.0  # weight of the additive model, in auctions


def _auctions(states: list[PlayState], deals: Deals, rules: Rules, policy: Policy, profiles: Any, sums: Any) -> None:
    # sums (SEQUENCES, 4): number of auctions with the sequence, and the sums of the next three bids.
    state = prepare_state(states, rules)
    for number in range(deals.first, deals.last):
        deal_round(state, deals.seed, number, 0)
        for seat in range(4):
            state.bid[seat] = bid_seat(state, seat, rules, policy, profiles)
        for seat in range(4):
            row = auction_at(state, seat).sequence
            sums[row, 0] += 1
            for later in range(seat, 4):
                if later - seat < 3:
                    sums[row, 1 + later - seat] += contract_of(state.bid[later])


auctions = round_loop(_auctions)


def smooth(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return means (SEQUENCES, 3) of the next three bids, in tricks, from sums (SEQUENCES, 4) as in `_auctions`.

    A mean is 0 if the auction ends before that bid.
    """
    rows = sequences()
    means = np.zeros((SEQUENCES, 3))
    for seat in range(4):
        inside = np.array([i for i, bids in enumerate(rows) if len(bids) == seat])
        x = np.ones((len(inside), 1 + 3 * seat))
        for place in range(seat):
            bid = np.array([rows[i][place] for i in inside], dtype=np.float64)
            x[:, 1 + 3 * place] = bid
            x[:, 2 + 3 * place] = bid * bid
            x[:, 3 + 3 * place] = bid == 0
        n = sums[inside, 0]
        for later in range(min(3, 4 - seat)):
            y = sums[inside, 1 + later]
            weighted = x * n[:, None]
            model = x @ solve_exactly(x.T @ weighted + 1e-6 * np.eye(x.shape[1]), x.T @ y)
            model = np.clip(model, 0.0, 13.0)
            means[inside, later] = (y + PRIOR * model) / (n + PRIOR)
    return np.round(means, 4)


def _means(ctx: Context, arrays: Arrays, rules: Rules, policy: Policy) -> NDArray[np.float64]:
    ts = tables_for(kernel_tables(arrays), rules, [policy])
    per_chunk = max(1, ctx.size("auctions") // CHUNKS)

    def bid(index: int, seed: int) -> Arrays:
        sums = np.zeros((SEQUENCES, 4))
        auctions(seed & 0x7FFFFFFF, index * per_chunk, (index + 1) * per_chunk, rules, numba_typed(policy), ts, sums)
        return {"sums": sums}

    sums = ctx.chunks("auctions", CHUNKS, bid)["sums"]
    # The first three bids, and the fourth: the sequences of three bids begin at row 211.
    ctx.figure("mean_sum_of_bids", sums[0, 1:].sum() / sums[0, 0] + sums[211:, 1].sum() / sums[211:, 0].sum())
    return smooth(sums)


def _make(ctx: Context) -> Arrays:
    return {"mean_bids": _means(ctx, ctx.inputs, Rules(), Policy(endgame=0))}


def setting_family(
    setting: str, rules: Rules, policy: str, *, auctions: int = 5_000_000, depends: tuple[str, ...] = ()
) -> Family:
    """Return the family of a table profile's own mean bids.

    They come from auctions by ``policy`` under ``rules`` with the profile's own curves. ``setting``: the profile's
    name; ``depends``: further families of the same profile that it needs.
    """
    return Family(
        name=f"{setting}_means",
        generator=1,
        make=lambda ctx: {f"{setting}_mean_bids": _means(ctx, ctx.inputs, rules, parse_policy(policy))},
        axes={f"{setting}_mean_bids": _MEAN_AXES},
        parameters={"policy": policy, "rules": recorded(rules)},
        sizes={"auctions": auctions},
        depends=(*_DEPENDS, f"{setting}_curves", *depends),
    )


def _contract_rounds(
    states: list[PlayState], deals: Deals, rules: Rules, policy: Policy, players: Any, profiles: Any, counts: Any
) -> None:
    # players (4, 2): id and pieces by seat. counts (2, 27, 2): by whether the side bid a nil and by contract; [..., 0]
    # all, [..., 1] made. In cutthroat a contract is one seat's.
    state = prepare_state(states, rules)
    for number in range(deals.first, deals.last):
        deal_round(state, deals.seed, number, 0)
        seat_players(state, players)
        for seat in range(4):
            state.bid[seat] = bid_seat(state, seat, rules, policy, profiles)
        play_out(state)
        if rules.variant == CUTTHROAT:
            for seat in range(4):
                if state.bid[seat] > 0:
                    counts[0, state.bid[seat], 0] += 1
                    counts[0, state.bid[seat], 1] += 1 if state.taken[seat] >= state.bid[seat] else 0
            continue
        for side in range(2):
            contract = contract_of(state.bid[side]) + contract_of(state.bid[side + 2])
            nil = 1 if state.bid[side] == 0 or state.bid[side + 2] == 0 else 0
            counts[nil, contract, 0] += 1
            if tricks_needed(state, side) <= 0:
                counts[nil, contract, 1] += 1


contract_rounds = round_loop(_contract_rounds)


def contract_shares(ctx: Context, arrays: Arrays, rules: Rules, policy: Policy, player: str) -> NDArray[np.float64]:
    """Return float64 (2, 27): the share of contracts made, by nil on the side (without, with) and contract in tricks.

    ``policy`` bids and ``player`` plays in all seats. A rare contract's share is near that of the contract below it.
    """
    ts = tables_for(kernel_tables(arrays), rules, [policy])
    per_chunk = max(1, ctx.size("rounds") // CHUNKS)

    def play(index: int, seed: int) -> Arrays:
        counts = np.zeros((2, 27, 2), np.int64)
        first, table = index * per_chunk, player_rows(player, player)
        contract_rounds(seed & 0x7FFFFFFF, first, first + per_chunk, rules, numba_typed(policy), table, ts, counts)
        return {"counts": counts}

    counts = ctx.chunks("rounds", CHUNKS, play)["counts"]
    made = np.ones((2, 27))
    for nil in range(2):
        for contract in range(1, 27):  # shrink the share of a rare contract towards that of the one below it
            n, good = counts[nil, contract]
            made[nil, contract] = (good + PRIOR * made[nil, contract - 1]) / (n + PRIOR)
    return np.round(made, 4)


def _make_contracts(ctx: Context) -> Arrays:
    names = ("p_length", "cnil", "side_high", "spade_high", "spade_takes", "ruffs", "factor", "curves")
    arrays = {name: ctx.array(name) for name in names}
    return {"contract_made": contract_shares(ctx, arrays, Rules(), Policy(endgame=0), TABLES_PLAYER)}


FAMILIES = (
    Family(
        name="contracts",
        generator=1,
        make=_make_contracts,
        axes={"contract_made": ("side without a nil, or with one", "contract, 0..26 tricks")},
        parameters={"player": TABLES_PLAYER, "policy": "bis:endgame=off"},
        sizes={"rounds": 1_000_000},
        depends=_DEPENDS,
    ),
    Family(
        name="means",
        generator=2,
        make=_make,
        axes={"mean_bids": _MEAN_AXES},
        parameters={"policy": "bis:endgame=off"},
        sizes={"auctions": 10_000_000},
        depends=_DEPENDS,
    ),
)
