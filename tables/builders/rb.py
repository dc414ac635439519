"""RB's card values: the tricks of each card, by the length of its suit, fitted on self-play.

A linear regression explains the tricks that a hand takes by its 13 cards. The rounds have no nils, and every player
bids their regular takes. Then the constant that brings the most points in a round is added, spread over the 13 cards.
RB's nil ranks are not fitted here. The results go to rb_values.npy and rb_suit.npy.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from arena.engine.deal import Deals, deal_round, prepare_state, seat_players
from arena.engine.game import SUMS, Lineup, bid_seat, play_out
from arena.engine.jit import round_loop
from arena.engine.selfplay import play_rounds
from arena.engine.simulate import kernel_tables, numba_typed, player_rows, policies_by_chair, tables_for
from arena.players.names import TABLES_PLAYER
from spades.options import BIS, RB, Policy
from spades.play import PlayState
from spades.rules import Rules
from tables.builders.newton import solve_refined
from tables.run.family import Context, Family

FEATURES = 2 * 14 * 13  # side suit or spades, length of the suit, rank
# What a bag costs in fits, in points: a tenth of the penalty of 100 for ten bags. Its own point still counts. With a
# lower cost the fitted bids are lower, and win fewer games at goals 200 and 500 (docs/strength.md).
BAG_COST = 10
FIT_RULES = Rules(bag_limit=1, bag_penalty=BAG_COST)
CHUNKS = 40
RIDGE = 20.0  # penalty of the regression, in cards; it keeps the values of rare cards near 0


def _tricks_by_card(
    states: list[PlayState],
    deals: Deals,
    rules: Rules,
    policy: Policy,
    players: Any,
    profiles: Any,
    xtx: Any,
    xty: Any,
) -> None:
    # players (4, 2): id and pieces by seat. xtx (FEATURES, FEATURES) and xty (FEATURES,): for each hand, 1 is added for
    # each pair of its cards, and its tricks for each card.
    hands = np.zeros(4, np.int64)
    features = np.zeros(13, np.int64)
    state = prepare_state(states, rules)
    for number in range(deals.first, deals.last):
        deal_round(state, deals.seed, number, 0)
        seat_players(state, players)
        for seat in range(4):
            state.bid[seat] = bid_seat(state, seat, rules, policy, profiles)
            hands[seat] = state.hand[seat]
        play_out(state)
        for seat in range(4):
            n = 0
            for suit in range(4):
                held = hands[seat] >> 16 * suit & 0xFFFF
                length = held.bit_count()
                kind = 1 if suit == 3 else 0
                while held:
                    rank = (held & -held).bit_length() - 1
                    held &= held - 1
                    features[n] = (kind * 14 + length) * 13 + rank
                    n += 1
            for i in range(13):
                xty[features[i]] += state.taken[seat]
                for j in range(13):
                    xtx[features[i], features[j]] += 1.0


tricks_by_card = round_loop(_tricks_by_card)


def by_holding(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return float64 (2, 8192): the sum of the ``values`` (2, 14, 13) of each holding's cards.

    The first axis of both is side suit or spades. Those of ``values`` are then length and rank.
    """
    table = np.zeros((2, 8192))
    for holding in range(8192):
        length = holding.bit_count()
        ranks = [rank for rank in range(13) if holding >> rank & 1]
        table[:, holding] = values[:, length, ranks].sum(axis=1)
    return table


def _make(ctx: Context) -> Arrays:
    inputs = {name: ctx.array(name) for name in ("p_length", "cnil", "side_high", "spade_high", "spade_takes", "ruffs")}
    bidder = numba_typed(Policy(kind=BIS, nils=0, endgame=0, factor=0, offset=0.0))
    ts = tables_for(kernel_tables(inputs), FIT_RULES, [bidder])
    players = player_rows(TABLES_PLAYER, TABLES_PLAYER)
    per_chunk = max(1, ctx.size("rounds") // CHUNKS)

    def tricks(index: int, seed: int) -> Arrays:
        xtx = np.zeros((FEATURES, FEATURES))
        xty = np.zeros(FEATURES)
        first = index * per_chunk
        tricks_by_card(seed & 0x7FFFFFFF, first, first + per_chunk, FIT_RULES, bidder, players, ts, xtx, xty)
        return {"xtx": xtx, "xty": xty}

    total = ctx.chunks("tricks", CHUNKS, tricks)
    values = solve_refined(total["xtx"] + RIDGE * np.eye(FEATURES), total["xty"])
    values = np.round(values, 6).reshape(2, 14, 13)

    trials = np.round(np.arange(-0.9, 0.31, 0.1), 2)
    n = max(1, ctx.size("trial_rounds"))

    def points(index: int, seed: int) -> Arrays:
        # Every constant plays the same deals against the same side, so that the common noise cancels out.
        ours = kernel_tables({**inputs, "rb_suit": by_holding(values + trials[index] / 13)})
        ours = tables_for(ours, FIT_RULES, [bidder])
        difference, sums = np.zeros((n, 2)), np.zeros(SUMS)
        rb = Policy(kind=RB, nils=0)
        policies = policies_by_chair(rb, bidder._replace(offset=-0.4))
        play_rounds(ctx.seed, 0, n, FIT_RULES, Lineup(policies, players), ours, difference, sums)
        row = np.zeros(len(trials))
        row[index] = difference.mean()
        return {"points": row}

    by_constant = ctx.chunks("constant", len(trials), points)["points"]
    constant = float(trials[int(np.argmax(by_constant))])
    ctx.figure("constant", constant)
    ctx.figure("points_at_constant", float(by_constant.max()))
    values = np.round(values + constant / 13, 6)
    return {"rb_values": values, "rb_suit": by_holding(values)}


FAMILIES = (
    Family(
        name="rb",
        generator=3,
        make=_make,
        axes={
            "rb_values": ("side or spades", "length of the suit", "rank, deuce to ace"),
            "rb_suit": ("side or spades", "holding: bit 0 the deuce .. bit 12 the ace"),
        },
        parameters={"player": TABLES_PLAYER, "bag_cost": BAG_COST, "ridge": RIDGE},
        sizes={"rounds": 1_000_000, "trial_rounds": 100_000},
        depends=("p_length", "cnil", "side", "spades", "ruffs"),
    ),
)
