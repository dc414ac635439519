"""Fits over the counts of self-play (`tables.counts`): the tables that BIS, RB and inference read.

A function here with the argument ``ctx`` is that of a family. What it plays with is declared with the family
(`tables.families`): rules, bidder, card player, sizes and inputs.

- `rb`: the tricks of each card, for RB.
- `factor`: tricks to add to an estimate, by the previous bids.
- `first_curves`, `curves`, `profile_curves`: success curves, the probability that a nil is made.
- `means`, `contracts`: mean bids still to come, and shares of contracts made, for the end-of-game rules.
- `ace`, `blind`: for blind nils, the probability of holding the ace of spades, and that a blind nil is made.
- `prior`: the probability that a bidder holds a card, for inference.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from arena.chunks import Arrays
from arena.counters import AUCTIONS, BID_SUMS, count_cards
from arena.engine.deal import Deals
from arena.engine.simulate import kernel_tables, policies_by_chair, tables_for
from arena.games import Lineup, play_rounds
from spades.inference import BID_CLASSES, FIRST_PRIOR_ROWS, PRIOR_COLUMNS, SUIT_RANKS
from spades.options import BIS, FULL, RAW, RB, Policy
from spades.policies import parse_policy
from spades.rules import CUTTHROAT, Rules
from spades.tables import SEQUENCES
from tables.counts import (
    BINS,
    FEATURES,
    SHIFTS,
    TERMS,
    UNSHIFTED,
    SelfPlay,
    aces,
    auctions,
    bid_deals,
    blind_rounds,
    contract_rounds,
    counted,
    drawn_scores,
    nil_rounds,
    self_play,
    shifted_rounds,
    tables_with_first_net,
    tricks_by_card,
)
from tables.regression import (
    design,
    fit_curves,
    fit_log_odds,
    held_out_figures,
    minimize_convex,
    reliability,
    sequences,
    shrunk,
    solve_exactly,
    solve_refined,
)
from tables.run.family import Context

Floats = NDArray[np.float64]

# What a bag costs in fits, in points: a tenth of the penalty of 100 for ten bags. Its own point still counts. With a
# lower cost the fitted bids are lower, and win fewer games at goals 200 and 500 (docs/strength.md).
BAG_COST = 10
CARD_RIDGE = 20.0  # penalty of RB's regression, in cards; it keeps the values of rare cards near 0

PASSES = 4  # of the fit of the factor
STEP = 0.5  # share of the way to the peak that each pass moves
START_FACTOR = -0.4  # tricks: the best constant for all seats, a good start for the first pass
MOST_FACTOR = 1.0  # tricks: a larger factor would be extrapolation

CONTRACT_PRIOR = 50.0  # weight of the additive model of mean bids, in auctions, and of the contract below, in contracts
ACE_PRIOR = 100.0  # weight of the curve, in auctions
ACE_RIDGE = 1e-3  # penalty, in auctions; it matters only for what they do not show: the first seat has one sum, 0

DEALS = 500_000  # in a chunk of `prior`
ENOUGH = 1_000  # deals of a sequence that need no neighbours
LEAST = 100  # deals of a sequence, with its neighbours, that need no shorter sequence
SCALE = 255  # cell of the probability 1
# The policies whose bids inference reads (`spades.inference.holders.BIDDERS`).
READ_POLICIES = {"bis": "bis", "best": "winprob"}
# Cards that a deal counts in each column: of three side suits, of spades.
CARDS_PER_DEAL = np.repeat([3.0, 1.0], SUIT_RANKS)


def bag_costs(rules: Rules) -> Rules:
    """Return ``rules`` with a penalty of BAG_COST for each bag, under which numbers are fitted."""
    return rules._replace(bag_limit=1, bag_penalty=BAG_COST)


def rb(ctx: Context) -> Arrays:
    """Make `rb_values` and `rb_suit`: the tricks of each card by the length of its suit, and their sum by holding.

    A linear regression explains the tricks that a hand takes by its 13 cards. The rounds have no nils, and every player
    bids their regular takes. Then the constant that brings the most points in a round is added, spread over the 13
    cards. RB's nil ranks are not fitted here.
    """
    bidder = Policy(kind=BIS, nils=0, endgame=0, factor=0, offset=0.0)
    setup = self_play(ctx, policy=bidder)
    inputs, rules, players, main_seed = dict(ctx.inputs), ctx.family.rules, setup.players, ctx.seed

    shapes = {"xtx": ((FEATURES, FEATURES), np.float64), "xty": ((FEATURES,), np.float64)}
    total = counted(ctx, "tricks", "rounds", partial(tricks_by_card, setup), shapes, chunks=40)
    values = solve_refined(total["xtx"][0] + CARD_RIDGE * np.eye(FEATURES), total["xty"][0])
    values = np.round(values, 6).reshape(2, 14, 13)

    trials = np.round(np.arange(-0.9, 0.31, 0.1), 2)
    n = max(1, ctx.size("trial_rounds"))

    def points(index: int, seed: int) -> Arrays:
        # Every constant plays the same deals against the same side, so that the common noise cancels out.
        ours = kernel_tables({**inputs, "rb_suit": by_holding(values + trials[index] / 13)})
        ours = tables_for(ours, rules, [bidder])
        policies = policies_by_chair(Policy(kind=RB, nils=0), bidder._replace(offset=-0.4))
        difference, _ = play_rounds(Deals(main_seed, 0, n), rules, Lineup(policies, players), ours)
        row = np.zeros(len(trials))
        row[index] = difference.mean()
        return {"points": row}

    by_constant = ctx.chunks("constant", len(trials), points)["points"]
    constant = float(trials[int(np.argmax(by_constant))])
    ctx.figure("constant", constant)
    ctx.figure("points_at_constant", float(by_constant.max()))
    values = np.round(values + constant / 13, 6)
    return {"rb_values": values, "rb_suit": by_holding(values)}


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


def factor(ctx: Context) -> Arrays:
    """Make `factor`: tricks to add to an estimate, by seat and sum of the previous bids (nils count 0).

    In each round one seat bids its estimate plus a random shift. For each seat, a quadratic in the shift and the sum is
    fitted to the points by which that seat's side beats the other. Its peak is the shift that gains most. There are
    PASSES passes. Each plays with the factor of the pass before, and then moves it half way to the peak, because all
    seats change at the same time. Families without a policy bid no nils.
    """
    name = f"{ctx.family.prefix}factor"
    policy = parse_policy(str(ctx.family.parameters.get("policy", "bis:nils=off,endgame=off")))
    shifts = tuple(policy._replace(offset=0.25 * (step - UNSHIFTED)) for step in range(SHIFTS))
    shapes = {"xtx": ((4, TERMS, TERMS), np.float64), "xty": ((4, TERMS), np.float64)}
    sums = np.arange(BID_SUMS, dtype=np.float64)
    found = np.full((4, BID_SUMS), START_FACTOR)
    for number in range(PASSES):
        play = partial(shifted_rounds, self_play(ctx, {**ctx.inputs, name: found}, policy), shifts)
        total = counted(ctx, f"pass{number}", "rounds", play, shapes, chunks=20, least=4)
        for seat in range(4):
            # Larger sums are too rare to fit: they get the value at the limit.
            reach = np.clip(sums, 0, (0, 6, 9, 12)[seat])
            peak = best_shift(total["xtx"][0, seat], total["xty"][0, seat], reach)
            found[seat] += STEP * np.clip(peak, -MOST_FACTOR, MOST_FACTOR)
        found = np.round(np.clip(found, -MOST_FACTOR, MOST_FACTOR), 4)
    return {"factor": found}


def best_shift(xtx: NDArray[np.float64], xty: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the shift at the peak of the fitted quadratic, in tricks, for each of ``sums``; 0 if there is no peak."""
    varies = [0, 1, 2] if xtx[3, 3] == 0 else list(range(TERMS))
    c = np.zeros(TERMS)
    c[varies] = solve_exactly(xtx[np.ix_(varies, varies)], xty[varies])
    if c[2] >= 0:
        return np.zeros_like(sums)
    shift: NDArray[np.float64] = -(c[1] + c[4] * sums) / (2 * c[2])
    return shift


def count_nils(ctx: Context, setup: SelfPlay, stage: str = "nils", size: str = "rounds") -> NDArray[np.int32]:
    """Play the rounds of ``stage`` and return the counts of nils to fit on, and to evaluate on; see `nil_rounds`."""
    shapes = {"counts": ((SEQUENCES, BINS, 2), np.int32)}
    play = partial(nil_rounds, setup)
    return counted(ctx, stage, size, play, shapes, chunks=40, held_out=4, least=8)["counts"]


def first_curves(ctx: Context) -> Arrays:
    """Make `curves0`, success curves from play by bidders who use the nil value as the nil's probability."""
    counts = count_nils(ctx, self_play(ctx, policy=Policy(curves=RAW, endgame=0)))
    ctx.figure("nil_rounds", counts[..., 0].sum())
    return {"curves0": fit_curves(counts[0]).astype(np.float32)}


def curves(ctx: Context) -> Arrays:
    """Make `curves`, from play by bidders who use the curves of `first_curves`, and what judges them.

    `single_curve` is one curve for all sequences of bids. See docs/explanation/how-bis-bids.md, "Nil".
    """
    inputs = {**ctx.inputs, "curves": ctx.array("curves0")}
    fitted, held = count_nils(ctx, self_play(ctx, inputs, Policy(curves=FULL, endgame=0)))
    by_sequence = fit_curves(fitted)
    single = fit_curves(fitted.sum(axis=0, keepdims=True))
    ctx.figure("nil_rounds", fitted[..., 0].sum() + held[..., 0].sum())
    for name, value in held_out_figures(by_sequence, held).items():
        ctx.figure(f"held_out_{name}", value)
    for name, value in held_out_figures(np.repeat(single, SEQUENCES, axis=0), held).items():
        ctx.figure(f"held_out_single_{name}", value)
    return {"curves": by_sequence, "single_curve": single, "held_out": reliability(by_sequence, held)}


def profile_curves(ctx: Context) -> Arrays:
    """Make a table profile's own `curves`, from play by its policy under its rules, and what judges them.

    The bidders of the first play use the partnership's curves. Those of the second play use the curves that are fitted
    to the first play. Only the curves fitted to the second play are kept.
    """
    first = count_nils(ctx, self_play(ctx), "nils0", "first_rounds")[0]
    partners = ctx.family.rules.variant != CUTTHROAT
    inputs = {**ctx.inputs, f"{ctx.family.prefix}curves": fit_curves(first, partners)}
    fitted, held = count_nils(ctx, self_play(ctx, inputs))
    by_sequence = fit_curves(fitted, partners)
    ctx.figure("nil_rounds", fitted[..., 0].sum() + held[..., 0].sum())
    for figure, value in held_out_figures(by_sequence, held).items():
        ctx.figure(f"held_out_{figure}", value)
    return {"curves": by_sequence, "held_out": reliability(by_sequence, held)}


def means(ctx: Context) -> Arrays:
    """Make `mean_bids`: the means of the next, second and third bid after every sequence of bids; nils count 0.

    BIS bids whole auctions without end-of-game rules, and no cards are played.
    """
    shapes = {"sums": ((SEQUENCES, 4), np.float64)}
    sums = counted(ctx, "auctions", "auctions", partial(auctions, self_play(ctx)), shapes, chunks=20)["sums"][0]
    # The first three bids, and the fourth: the sequences of three bids begin at row 211.
    ctx.figure("mean_sum_of_bids", sums[0, 1:].sum() / sums[0, 0] + sums[211:, 1].sum() / sums[211:, 0].sum())
    return {"mean_bids": smooth(sums)}


def smooth(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return means (SEQUENCES, 3) of the next three bids, in tricks, from sums (SEQUENCES, 4) as in `auctions`.

    They are shrunk towards an additive model of the bids so far, so that rare sequences follow frequent ones. A mean is
    0 if the auction ends before that bid.
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
            means[inside, later] = shrunk(y, n, model, CONTRACT_PRIOR)
    return np.round(means, 4)


def contracts(ctx: Context) -> Arrays:
    """Make `contract_made`: the share of contracts made, by nil on the side (without, with) and contract in tricks.

    A rare contract's share is near that of the contract below it.
    """
    play, shapes = partial(contract_rounds, self_play(ctx)), {"counts": ((2, 27, 2), np.int64)}
    counts = counted(ctx, "rounds", "rounds", play, shapes, chunks=20)["counts"][0]
    made = np.ones((2, 27))
    for nil in range(2):
        for contract in range(1, 27):
            n, good = counts[nil, contract]
            made[nil, contract] = shrunk(good, n, made[nil, contract - 1], CONTRACT_PRIOR)
    return {"contract_made": np.round(made, 4)}


def ace(ctx: Context) -> Arrays:
    """Make `p_ace`: the probability that a seat has the ace of spades, by the sum of the previous bids.

    BIS bids whole auctions without end-of-game rules, and no cards are played (ECAI 2020, Fig. 7).
    """
    shapes = {"counts": ((4, BID_SUMS, 2), np.float64)}
    counts = counted(ctx, "auctions", "auctions", partial(aces, self_play(ctx)), shapes, chunks=20)["counts"][0]
    ctx.figure("p_ace_fourth_seat_after_7", counts[3, 7, 1] / max(1.0, counts[3, 7, 0]))
    ctx.figure("p_ace_fourth_seat_after_11", counts[3, 11, 1] / max(1.0, counts[3, 11, 0]))
    return {"p_ace": np.stack([fit_aces(seat) for seat in counts])}


def fit_aces(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return probabilities (BID_SUMS,) from counts (BID_SUMS, 2) of all hands and of those with the ace.

    A logistic curve in the sum is fitted to the counts. A probability is a mean of the share that was counted and of
    the curve; the rarer the sum, the more the curve weighs. They do not rise with the sum, and have six decimals.
    """
    n, held = counts[:, 0].astype(np.float64), counts[:, 1].astype(np.float64)
    x = np.stack([np.ones(BID_SUMS), np.arange(BID_SUMS) / 10.0], axis=1)

    def derivatives(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        z = x @ w
        p = expit(z)
        value = float((n * np.logaddexp(0.0, z) - held * z).sum()) + ACE_RIDGE / 2 * float(w @ w)
        hessian = ACE_RIDGE * np.eye(2) + x.T @ (x * (n * p * (1.0 - p))[:, None])
        return value, x.T @ (n * p - held) + ACE_RIDGE * w, hessian

    w = minimize_convex(derivatives, np.zeros(2), np.full(2, -np.inf))
    leaning = shrunk(held, n, expit(x @ w), ACE_PRIOR)
    falling: NDArray[np.float64] = np.minimum.accumulate(leaning).round(6)
    return falling


def blind(ctx: Context) -> Arrays:
    """Make `blind_nil`: the probability that a blind nil is made, by the previous bids.

    In each round one seat bids blind nil with any hand. The others bid by the policy.
    """
    play, shapes = partial(blind_rounds, self_play(ctx)), {"counts": ((SEQUENCES, 2), np.int64)}
    fitted, held = counted(ctx, "rounds", "rounds", play, shapes, chunks=20, held_out=2, least=4)["counts"]
    p_made = fit_blind(fitted)
    n, made = held[:, 0], held[:, 1]
    ctx.figure("made", fitted[:, 1].sum() / fitted[:, 0].sum())
    ctx.figure("held_out_stated", (n * p_made).sum() / n.sum())
    ctx.figure("held_out_made", made.sum() / n.sum())
    ctx.figure("held_out_brier", (made * (1 - p_made) ** 2 + (n - made) * p_made**2).sum() / n.sum())
    return {"blind_nil": p_made}


def fit_blind(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return probabilities (SEQUENCES,) from counts (SEQUENCES, 2) of all blind nils and of those made.

    A logistic regression on the previous bids and on pairs of them: that of `fit_curves` without
    the nil value and without bounds.
    """
    d = design(sequences())
    d = d._replace(shapes=d.shapes[:, :0])
    e, _ = fit_log_odds(counts[:, None], d, np.zeros((1, 0)))
    fitted: NDArray[np.float64] = expit(d.effects @ e).round(6)
    return fitted


def prior(ctx: Context) -> Arrays:
    """Make the array of the family's name: how probable it is that each bidder holds each card, by the bids so far.

    The policy bids deals at scores drawn from whole games; no card is played. Cards are counted by the four bids.
    """
    rules, bidder = ctx.family.rules, str(ctx.family.parameters["policy"])
    scores, profiles = drawn_scores(ctx), tables_with_first_net(ctx.inputs)
    deals = min(DEALS, ctx.size("deals"))

    def count(index: int, seed: int) -> Arrays:
        counts = np.zeros((AUCTIONS, 4, PRIOR_COLUMNS), np.int64)
        for rounds in bid_deals(seed, index * deals, deals, rules, bidder, profiles, scores):
            count_cards(counts, rounds)
        return {"counts": counts}

    counts = ctx.chunks("deals", max(1, ctx.size("deals") // DEALS), count)["counts"]
    ctx.figure("deals", counts.sum() / 52)
    ctx.figure("sequences", float(np.count_nonzero(counts.any(axis=(1, 2)))))
    return {ctx.family.name: priors_of(counts)}


def priors_of(counts: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the priors (rows, 4, PRIOR_COLUMNS), in 255ths; the axes are those of `spades.inference.holders`.

    ``counts`` (AUCTIONS, 4, PRIOR_COLUMNS): the cards of the bidders by the four bids. Sums of these are the counts by
    the first bid, the first two and the first three. A cell is at least 1, because a card that was never counted there
    is still possible.

    A sequence with fewer than ENOUGH deals also counts deals of its neighbours: the sequences in which one number is
    higher or lower by one. Their weight fills up the deals to ENOUGH, and is at most 1. If that gives fewer than LEAST
    deals, as for a sequence that was never bid, the probabilities after its bids without the last one fill up the deals
    to LEAST.
    """
    rows = cards_by_row(counts)
    for bids in range(1, 5):
        own = rows[FIRST_PRIOR_ROWS[bids] : FIRST_PRIOR_ROWS[bids + 1]]
        own = own.reshape(*(BID_CLASSES,) * bids, 4, PRIOR_COLUMNS)
        filled = _with_neighbours(own, bids).reshape(-1, 4, PRIOR_COLUMNS)
        before = (
            rows[FIRST_PRIOR_ROWS[bids - 1] : FIRST_PRIOR_ROWS[bids]]
            if bids > 1
            else np.full((1, 4, PRIOR_COLUMNS), 0.25)
        )
        missing = np.maximum(0.0, LEAST * CARDS_PER_DEAL - filled.sum(axis=1, keepdims=True))  # by card
        filled += missing * np.repeat(before, BID_CLASSES, axis=0)
        rows[FIRST_PRIOR_ROWS[bids] : FIRST_PRIOR_ROWS[bids + 1]] = filled / filled.sum(axis=1, keepdims=True)
    return in_255ths(rows).astype(np.uint8)


def cards_by_row(counts: NDArray[np.int64]) -> Floats:
    """Return the cards by row of the priors (rows, 4, PRIOR_COLUMNS), from ``counts`` as in `priors_of`."""
    rows = np.zeros((FIRST_PRIOR_ROWS[-1], 4, PRIOR_COLUMNS))
    for bids in range(1, 5):
        own = counts.reshape(BID_CLASSES**bids, -1, 4, PRIOR_COLUMNS).sum(axis=1)
        rows[FIRST_PRIOR_ROWS[bids] : FIRST_PRIOR_ROWS[bids + 1]] = own
    return rows


def in_255ths(probabilities: Floats) -> Floats:
    """Return probabilities as 255ths, of which none is 0."""
    return np.maximum(np.round(probabilities * SCALE), 1)


def _with_neighbours(own: NDArray[np.float64], bids: int) -> NDArray[np.float64]:
    # own: counts by each of the bids, seat and column. Return them with the weighted counts of the neighbours.
    near = np.zeros_like(own)
    for axis in range(bids):
        here, there = np.moveaxis(near, axis, 0), np.moveaxis(own, axis, 0)
        here[1:-1] += there[2:]  # index 0, a nil, has no neighbours
        here[2:] += there[1:-1]
    cards = 4 * SUIT_RANKS
    deals = own.sum(axis=(-2, -1), keepdims=True) / cards
    near_deals = near.sum(axis=(-2, -1), keepdims=True) / cards
    share = np.clip((ENOUGH - deals) / np.maximum(near_deals, 1.0), 0.0, 1.0)
    filled: NDArray[np.float64] = own + share * near
    return filled
