"""Success curves: the probability that a nil is made, by the previous bids and the nil value.

In each round one seat bids nil whenever nothing rules it out. The others bid by BIS, and SRP plays all cards. The play
yields only counts by sequence, nil value, and made or not. A logistic regression (`curve_fit`) gives the curves of all
sequences.

In family `curves0` the bidders use the nil value as the nil's probability. In family `curves` they use the curves of
`curves0` (docs/explanation/how-bis-bids.md, "Nil"). The results go to curves0.npy, curves.npy, single_curve.npy and
held_out.npy. Table profiles with their own curves (`setting_family`) have files with the profile's prefix.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from arena.engine.choose_bid import auction_at
from arena.engine.deal import Deals, deal_round, prepare_state
from arena.engine.game import bid_seat, play_out
from arena.engine.jit import round_loop
from arena.engine.simulate import kernel_tables, numba_typed, player_rows, tables_for
from arena.players.names import TABLES_PLAYER
from spades.bis import GRID, NOT_RULED_OUT, NilTerms, consider_nil, nil_value, partner_signalled
from spades.cards import spades_of, suits_of
from spades.legal import allowed_bids, extra_spades_of
from spades.options import FULL, RAW, Policy
from spades.play import PlayState
from spades.policies import parse_policy
from spades.position import without_partner
from spades.rules import CUTTHROAT, Rules
from spades.scoring import START
from spades.tables import SEQUENCES, convention_of, profile_of
from tables.builders.curve_fit import fit_curves, held_out_figures, log_loss_by_bin
from tables.run.family import Context, Family, recorded

CHUNKS = 40
HELD_OUT = 4  # number of chunks that are not used to fit, only to evaluate
BINS = GRID + 1  # number of bins of nil values: value v is in bin int(GRID * v)


_SEQUENCE = "sequence of previous bids, see spades.position.read_auction"
_VALUE = "nil value 0..1 in hundredths"
_BASE = ("p_length", "cnil", "side", "spades", "ruffs", "factor")
_HELD_OUT_AXES = ("stated probability in twentieths", "number of nils, mean stated probability, share made")


class Judge(NamedTuple):
    """Counts that compare the readings of `cnil` (`exact.READINGS`): which predicts best whether a nil is made."""

    on: int  # 1: in a quarter of the rounds the seat bids nil with any hand, also one that rules out a nil
    cnil: Any  # float64 (3, 2, 8192): the table `cnil` by reading
    readings: Any  # (3, BINS, 2): nils of that quarter by reading and value; [..., 0] all, [..., 1] made


def _nil_rounds(
    states: list[PlayState],
    deals: Deals,
    rules: Rules,
    policy: Policy,
    players: Any,
    profiles: Any,
    counts: Any,
    judge: Judge,
) -> None:
    # players (4, 2): id and pieces, in the order nil bidder, LHO, partner, RHO.
    # counts (SEQUENCES, BINS, 2): nils by sequence and value that nothing ruled out; [..., 0] all, [..., 1] made.
    state = prepare_state(states, rules)
    t = profiles[profile_of(rules, policy, START)]
    convention = convention_of(rules, policy, START)
    for number in range(deals.first, deals.last):
        deal_round(state, deals.seed, number, 0)
        me = number & 3
        for seat in range(4):
            state.player[seat] = players[(seat - me) & 3, 0]
            state.pieces[seat] = players[(seat - me) & 3, 1]
        for seat in range(me):
            state.bid[seat] = bid_seat(state, seat, rules, policy, profiles)
        hand = state.hand[me]
        auction = auction_at(state, me)
        allowed = allowed_bids(hand, auction.partner_bid, rules)
        honours = 1 if partner_signalled(auction.partner_bid, convention) else policy.spade_honours
        terms = NilTerms(0.0, RAW, honours, 1, extra_spades_of(rules.variant, rules))
        seen = without_partner(auction) if rules.variant == CUTTHROAT else auction
        nil = consider_nil(suits_of(hand), seen, terms, allowed, rules, t)
        unselected = judge.on == 1 and number >> 2 & 3 == 3  # a quarter of the rounds, the same in all seats
        if nil.ruled_out != NOT_RULED_OUT and not unselected:
            continue
        state.bid[me] = 0
        for seat in range(me + 1, 4):
            state.bid[seat] = bid_seat(state, seat, rules, policy, profiles)
        play_out(state)
        made = 1 if state.taken[me] == 0 else 0
        if nil.ruled_out == NOT_RULED_OUT:
            cell = int(nil.value * GRID)
            counts[auction.sequence, cell, 0] += 1
            counts[auction.sequence, cell, 1] += made
        if unselected:
            void = hand & 0xFFFF == 0 or hand >> 16 & 0xFFFF == 0 or hand >> 32 & 0xFFFF == 0
            for reading in range(3):
                value = nil_value(
                    judge.cnil[reading, 0, hand & 0xFFFF],
                    judge.cnil[reading, 0, hand >> 16 & 0xFFFF],
                    judge.cnil[reading, 0, hand >> 32 & 0xFFFF],
                    judge.cnil[reading, 1, spades_of(hand)],
                    void,
                )
                cell = int(value * GRID)
                judge.readings[reading, cell, 0] += 1
                judge.readings[reading, cell, 1] += made


nil_rounds = round_loop(_nil_rounds)


def _play(
    ctx: Context,
    rules: Rules,
    policy: Policy,
    arrays: Arrays,
    judge: bool,
    player: str = TABLES_PLAYER,
    stage: str = "nils",
    size: str = "rounds",
) -> dict[str, NDArray[Any]]:
    # Play the rounds of ``stage``. Return counts (2, SEQUENCES, BINS, 2), to fit on and to evaluate on, and readings as
    # in `Judge`. ``size``: the family's name for the number of rounds.
    ts = tables_for(kernel_tables(arrays), rules, [policy])
    all_cnil = np.array(ctx.array("cnil"), np.float64)
    players = player_rows(player, player)
    per_chunk = max(8, ctx.size(size) // CHUNKS)

    def play(index: int, seed: int) -> Arrays:
        counts = np.zeros((2, SEQUENCES, BINS, 2), np.int32)
        readings = np.zeros((3, BINS, 2), np.int64)
        first = index * per_chunk
        target = counts[1 if index < HELD_OUT else 0]
        nil_rounds(
            seed & 0x7FFFFFFF,
            first,
            first + per_chunk,
            rules,
            numba_typed(policy),
            players,
            ts,
            target,
            Judge(int(judge), all_cnil, readings),
        )
        return {"counts": counts, "readings": readings}

    return ctx.chunks(stage, CHUNKS, play)


_INPUTS = ("p_length", "cnil", "side_high", "spade_high", "spade_takes", "ruffs", "factor")


def _make_curves0(ctx: Context) -> Arrays:
    total = _play(ctx, Rules(), Policy(curves=RAW, endgame=0), {name: ctx.array(name) for name in _INPUTS}, True)
    ctx.figure("nil_rounds", total["counts"][..., 0].sum())
    return {"curves0": fit_curves(total["counts"][0]).astype(np.float32)}


def _make_curves(ctx: Context) -> Arrays:
    arrays = {name: ctx.array(name) for name in _INPUTS} | {"curves": ctx.array("curves0")}
    total = _play(ctx, Rules(), Policy(curves=FULL, endgame=0), arrays, True)
    fitted, held = total["counts"]
    curves = fit_curves(fitted)
    single = fit_curves(fitted.sum(axis=0, keepdims=True))
    ctx.figure("nil_rounds", total["counts"][..., 0].sum())
    for name, value in held_out_figures(curves, held).items():
        ctx.figure(f"held_out_{name}", value)
    for name, value in held_out_figures(np.repeat(single, SEQUENCES, axis=0), held).items():
        ctx.figure(f"held_out_single_{name}", value)
    for name, counts in zip(("and", "or", "any"), total["readings"], strict=True):
        ctx.figure(f"log_loss_reading_{name}", log_loss_by_bin(counts))
    ctx.figure("unselected_nils", total["readings"][0, :, 0].sum())
    return {"curves": curves, "single_curve": single, "held_out": reliability(curves, held)}


def setting_family(
    setting: str,
    rules: Rules,
    policy: str,
    *,
    rounds: int = 6_000_000,
    depends: tuple[str, ...] = (),
    player: str = TABLES_PLAYER,
) -> Family:
    """Return the family of a table profile's own curves, from play by ``policy`` under ``rules``.

    ``setting``: the profile's name; ``rounds``: those of the second play, three times those of the first; ``depends``:
    families of the same profile that it needs; ``player``: the card player of all seats.

    The bidders of the first play use the partnership's curves. Those of the second play use the curves that are fitted
    to the first play. Only the curves fitted to the second play are kept.
    """

    def make(ctx: Context) -> Arrays:
        bidder, arrays = parse_policy(policy), dict(ctx.inputs)
        first = _play(ctx, rules, bidder, arrays, False, player, "nils0", "first_rounds")["counts"][0]
        arrays[f"{setting}_curves"] = fit_curves(first)
        fitted, held = _play(ctx, rules, bidder, arrays, False, player)["counts"]
        curves = fit_curves(fitted)
        ctx.figure("nil_rounds", fitted[..., 0].sum() + held[..., 0].sum())
        for figure, value in held_out_figures(curves, held).items():
            ctx.figure(f"held_out_{figure}", value)
        return {f"{setting}_curves": curves, f"{setting}_held_out": reliability(curves, held)}

    return Family(
        name=f"{setting}_curves",
        generator=1,
        make=make,
        axes={f"{setting}_curves": (_SEQUENCE, _VALUE), f"{setting}_held_out": _HELD_OUT_AXES},
        parameters={"player": player, "policy": policy, "rules": recorded(rules)},
        sizes={"first_rounds": rounds // 3, "rounds": rounds},
        depends=(*_BASE, "curves", *depends),
    )


def reliability(curves: NDArray[np.float64], counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return how well the probabilities of ``curves`` match the shares of nils made in ``counts``: float64 (20, 3).

    A row is a twentieth of stated probability: number of nils, mean stated probability, share made. A row without nils
    is 0. Shapes of the arguments: as in `fit_curves`.
    """
    stated = value_at_bins(curves)
    rows = np.zeros((20, 3))
    cell = np.minimum((stated * 20).astype(int), 19)
    for i in range(20):
        inside = cell == i
        n = counts[..., 0][inside].sum()
        if n:
            rows[i] = n, (stated * counts[..., 0])[inside].sum() / n, counts[..., 1][inside].sum() / n
    return np.round(rows, 6)


def value_at_bins(curves: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each curve (rows, BINS) at the middle of its bins; the last bin is the value 1 itself."""
    middle = np.minimum(np.arange(BINS) + 0.5, GRID)
    low = np.minimum(middle.astype(int), GRID - 1)
    share = middle - low
    values: NDArray[np.float64] = curves[:, low] * (1 - share) + curves[:, low + 1] * share
    return values


FAMILIES = (
    Family(
        name="curves0",
        generator=2,
        make=_make_curves0,
        axes={"curves0": (_SEQUENCE, _VALUE)},
        parameters={"player": TABLES_PLAYER, "nil_threshold": 25.0},
        sizes={"rounds": 4_000_000},
        depends=_BASE,
    ),
    Family(
        name="curves",
        generator=2,
        make=_make_curves,
        axes={
            "curves": (_SEQUENCE, _VALUE),
            "single_curve": ("one curve", _VALUE),
            "held_out": _HELD_OUT_AXES,
        },
        parameters={"player": TABLES_PLAYER, "nil_threshold": 25.0},
        sizes={"rounds": 12_000_000},
        depends=(*_BASE, "curves0"),
    ),
)
