"""What is counted in self-play: rounds of a family, played in batches, and one runner of chunks.

Each function plays some deals and adds to its last arguments, the counts. `counted` splits the rounds of a
family into chunks, and sums the counts of the chunks in index order. `tables.fits` makes tables from the sums.
`arena.counters` does the counting. SEQUENCES is the number of sequences of up to three bids.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from arena.chunks import Arrays
from arena.counters import (
    auctions_of,
    count_aces,
    count_blind_nils,
    count_contracts,
    count_later_bids,
    count_nils,
    count_single_contracts,
    nil_values,
)
from arena.engine.deal import NO_ANSWER, Deals
from arena.engine.jit import entry
from arena.engine.rounds import BATCH, Batch, Ints, bids_of
from arena.engine.simulate import KernelTables, kernel_tables, player_rows, policy_rows, tables_for
from arena.players.names import TABLES_PLAYER
from spades.bis import GRID
from spades.legal import BLIND_NIL
from spades.options import Policy
from spades.policies import parse_policy
from spades.rules import CUTTHROAT, Rules
from spades.tables import Tables
from tables.run.family import Context

BINS = GRID + 1  # number of bins of nil values: value v is in bin int(GRID * v)
FEATURES = 2 * 14 * 13  # of a card: side suit or spades, length of the suit, rank
TERMS = 6  # terms of the quadratic of `shifted_rounds`: 1, x, x^2, sum, x * sum, sum^2
SHIFTS, UNSHIFTED = 9, 4  # number of shifts -1..1, in quarters of a trick, and the index of shift 0
SCORES = 20_000  # number of scores to draw from: those before the rounds of whole games
SCORES_BY = "bis"  # bidder of these games


def counted(
    ctx: Context,
    stage: str,
    size: str,
    play: Callable[..., None],
    counts: Mapping[str, tuple[tuple[int, ...], DTypeLike]],
    *,
    chunks: int,
    held_out: int = 0,
    least: int = 1,
) -> dict[str, NDArray[Any]]:
    """Play the rounds of a family in chunks, and return the sums of their counts by name.

    ``stage`` is the name of the chunks; ``size``: the family's size that is the number of rounds; ``play`` plays
    some deals (`Deals`) and adds to the counts, which it gets as further arguments; ``counts``: shape and type of each
    array; ``least``: fewest rounds in a chunk. The first axis of each sum has the counts of all chunks but the first
    ``held_out``, and then, if there are held-out chunks, theirs. ``play`` may be sent to another process, so it must
    not hold ``ctx``.
    """
    per_chunk = max(least, ctx.size(size) // chunks)
    parts = 2 if held_out else 1

    def run(index: int, seed: int) -> Arrays:
        sums = {name: np.zeros((parts, *shape), dtype) for name, (shape, dtype) in counts.items()}
        part = 1 if index < held_out else 0
        deals = Deals(chunk_seed(seed), index * per_chunk, (index + 1) * per_chunk)
        play(deals, *(array[part] for array in sums.values()))
        return sums

    return ctx.chunks(stage, chunks, run)


def chunk_seed(seed: int) -> int:
    """Return the seed of a compiled loop, of 31 bits, for the seed of a chunk."""
    return seed & 0x7FFFFFFF


def tables_with_first_net(inputs: Arrays) -> tuple[Tables, ...]:
    """Return the kernels' tables of ``inputs``. If they have the net `net0_*`, `winprob` bids with it.

    So a new last round of the training leaves the tables as they are that are made of rounds of `winprob`.
    """
    first = {f"net_{name[5:]}": array for name, array in inputs.items() if name.startswith("net0_")}
    return kernel_tables({**inputs, **first})


class SelfPlay(NamedTuple):
    """What all rounds need: rules, the policy that bids in all seats, the players of the cards, and the tables."""

    rules: Rules
    policy: Policy
    players: Ints  # (4, 2): number and pieces of the card player by chair, from `player_rows`
    profiles: KernelTables  # from `tables_for`


def self_play(ctx: Context, inputs: Arrays | None = None, policy: Policy | None = None) -> SelfPlay:
    """Return the self-play of a family: its rules, and the bidder and card player that its parameters name.

    ``inputs``: tables that are read instead of the family's inputs; ``policy``: a bidder instead of the family's.
    """
    parameters = ctx.family.parameters
    bidder = policy if policy is not None else parse_policy(str(parameters["policy"]))
    profiles = kernel_tables(ctx.inputs if inputs is None else inputs)
    return self_play_of(ctx.family.rules, bidder, profiles, str(parameters.get("player", TABLES_PLAYER)))


def self_play_of(rules: Rules, policy: Policy, profiles: tuple[Tables, ...], player: str = TABLES_PLAYER) -> SelfPlay:
    """Return the self-play of a bidder and a card player under ``rules``; ``profiles``: from `kernel_tables`."""
    return SelfPlay(rules, policy, player_rows(player, player), tables_for(profiles, rules, [policy]))


def dealt(setup: SelfPlay, deals: Deals, turning: bool = False) -> Iterator[Batch]:
    """Yield ``deals`` in batches, before the first bid.

    ``turning``: the player in chair 0 sits in each seat in turn, in seat ``deal & 3``; otherwise in seat 0.
    """
    for at in range(deals.first, deals.last, BATCH):
        numbers = np.arange(at, min(at + BATCH, deals.last))
        batch = Batch(setup.rules, numbers, -numbers & 3 if turning else 0)
        batch.deal(deals.seed, setup.players)
        yield batch


def own_seats(batch: Batch) -> Ints:
    """Return the seat (n,) of chair 0."""
    seats: Ints = -batch.rounds["first_chair"].astype(np.int64) & 3
    return seats


def all_but(seats: Ints) -> Ints:
    """Return bidders (n, 4) for `Batch.bid`: the first policy, and answers for ``seats`` (n,)."""
    return np.where(np.arange(4) == seats[:, None], NO_ANSWER, 0)


def played(setup: SelfPlay, deals: Deals) -> Iterator[Batch]:
    """Yield whole rounds of ``deals`` in batches."""
    for batch in dealt(setup, deals):
        batch.bid(policy_rows([setup.policy]), setup.profiles)
        batch.finish()
        yield batch


def nil_rounds(setup: SelfPlay, deals: Deals, counts: NDArray[Any]) -> None:
    """Play rounds in which one seat bids nil unless something rules it out, and the others by the policy.

    ``counts`` (SEQUENCES, BINS, 2): see `count_nils`. The players of ``setup`` are the nil bidder's, then those of the
    next seats.
    """
    policies = policy_rows([setup.policy])
    for batch in dealt(setup, deals, turning=True):
        me, rows = own_seats(batch), np.arange(len(batch.rounds))
        bidders = all_but(me)
        batch.bid(policies, setup.profiles, bidders)
        values, open_to = nil_values(batch.rounds, me, setup.rules, setup.policy, setup.profiles)
        batch.drop(~open_to)
        batch.bid(policies, setup.profiles, bidders, np.where(batch.active, 0, NO_ANSWER))
        batch.finish()
        made = batch.rounds["tricks"][rows, me] == 0
        count_nils(counts, auctions_of(batch.rounds).sequences[rows, me][open_to], values[open_to], made[open_to])


def blind_rounds(setup: SelfPlay, deals: Deals, counts: NDArray[Any]) -> None:
    """Play rounds in which one seat bids blind nil, and the others by the policy; ``counts``: `count_blind_nils`."""
    policies = policy_rows([setup.policy])
    for batch in dealt(setup, deals, turning=True):
        me, rows = own_seats(batch), np.arange(len(batch.rounds))
        batch.bid(policies, setup.profiles, all_but(me), np.full(len(me), BLIND_NIL))
        batch.finish()
        made = batch.rounds["tricks"][rows, me] == 0
        count_blind_nils(counts, auctions_of(batch.rounds).sequences[rows, me], made)


def auctions(setup: SelfPlay, deals: Deals, sums: NDArray[Any]) -> None:
    """Bid whole auctions; ``sums`` (SEQUENCES, 4): see `count_later_bids`."""
    for batch in dealt(setup, deals):
        batch.bid(policy_rows([setup.policy]), setup.profiles)
        count_later_bids(sums, batch.rounds, auctions_of(batch.rounds))


def aces(setup: SelfPlay, deals: Deals, counts: NDArray[Any]) -> None:
    """Bid whole auctions; ``counts`` (4, BID_SUMS, 2): see `count_aces`."""
    for batch in dealt(setup, deals):
        batch.bid(policy_rows([setup.policy]), setup.profiles)
        count_aces(counts, batch.rounds, auctions_of(batch.rounds))


def contract_rounds(setup: SelfPlay, deals: Deals, counts: NDArray[Any]) -> None:
    """Play rounds; ``counts`` (2, 27, 2): `count_contracts`, or in cutthroat `count_single_contracts`."""
    for batch in played(setup, deals):
        if setup.rules.variant == CUTTHROAT:
            count_single_contracts(counts, batch.rounds)
        else:
            count_contracts(counts, batch.rounds)


def _tricks_by_card(rounds: Any, xtx: Any, xty: Any) -> None:
    features = np.zeros(13, np.int64)
    for i in range(len(rounds)):
        row = rounds[i]
        for seat in range(4):
            n = 0
            for suit in range(4):
                held = row.hands[seat] >> 16 * suit & 0xFFFF
                length = held.bit_count()
                kind = 1 if suit == 3 else 0
                while held:
                    rank = (held & -held).bit_length() - 1
                    held &= held - 1
                    features[n] = (kind * 14 + length) * 13 + rank
                    n += 1
            for j in range(13):
                xty[features[j]] += row.tricks[seat]
                for k in range(13):
                    xtx[features[j], features[k]] += 1.0


_count_tricks_by_card = entry(_tricks_by_card)


def tricks_by_card(setup: SelfPlay, deals: Deals, xtx: NDArray[Any], xty: NDArray[Any]) -> None:
    """Play rounds, and count cards and tricks for a regression.

    ``xtx`` (FEATURES, FEATURES) and ``xty`` (FEATURES,): for each hand, 1 is added for each pair of its cards, and its
    tricks for each card.
    """
    for batch in played(setup, deals):
        _count_tricks_by_card(batch.rounds, xtx, xty)


def shifted_rounds(
    setup: SelfPlay, shifts: tuple[Policy, ...], deals: Deals, xtx: NDArray[Any], xty: NDArray[Any]
) -> None:
    """Play rounds in which one seat bids by a random one of ``shifts``, a policy for each shift of the estimate.

    ``xtx`` (4, TERMS, TERMS) and ``xty`` (4, TERMS), by seat: products of terms, and of terms and points, are added.
    The points are those of the seat's side minus those of the other side; in cutthroat, those of the seat minus the
    mean of the others. Rounds in which the seat bids nil are left out: a shift does not change a nil.
    """
    policies = policy_rows([shifts[UNSHIFTED]])
    for batch in dealt(setup, deals, turning=True):
        me, rows, rounds = own_seats(batch), np.arange(len(batch.rounds)), batch.rounds
        steps, bidders, answers = batch.draw(SHIFTS)[:, 0], all_but(me), np.full(len(me), NO_ANSWER, np.int64)
        batch.bid(policies, setup.profiles, bidders)
        for step in range(SHIFTS):
            own = steps == step
            answers[own] = bids_of(batch.states[own], me[own], setup.rules, shifts[step], setup.profiles)
        batch.drop(answers == 0)
        batch.bid(policies, setup.profiles, bidders, answers)
        batch.finish()
        active = batch.active
        points = rounds["points"].astype(np.int64)
        own_points = points[rows, me]
        # In cutthroat, three times the gain is a whole number, so that sums are exact.
        alone = setup.rules.variant == CUTTHROAT
        gains = 4 * own_points - points.sum(axis=1) if alone else own_points - points[rows, me ^ 1]
        shift = 0.25 * (steps - UNSHIFTED)
        total = auctions_of(rounds).sums[rows, me].astype(np.float64)
        x = np.stack([np.ones(len(me)), shift, shift * shift, total, shift * total, total * total], axis=1)
        for seat in range(4):
            own = active & (me == seat)
            xtx[seat] += x[own].T @ x[own]
            xty[seat] += x[own].T @ gains[own] / (3.0 if alone else 1.0)


def scores_of_games(profiles: tuple[Tables, ...], rules: Rules, bidder: str, n: int, seed: int) -> NDArray[np.int64]:
    """Return the points and bags before ``n`` rounds, int64 (n, 4): of a random side, then of the other.

    The rounds are those of whole games with ``bidder`` in all seats. ``profiles``: from `kernel_tables`.
    """
    setup = self_play_of(rules, parse_policy(bidder, rules.variant), profiles)
    policies = policy_rows([setup.policy])
    seen = np.zeros((n, 4), np.int64)
    batch = Batch(rules, np.zeros(1, np.int64))  # one game after the other
    for number in range(n):
        batch.rounds["deal"], batch.rounds["number"] = number, 0
        batch.deal(chunk_seed(seed), setup.players)
        row = batch.rounds[0]
        before = [row["scores"][0], row["bags"][0], row["scores"][1], row["bags"][1]]
        seen[number] = before[2:] + before[:2] if batch.draw(2)[0, 0] else before
        batch.bid(policies, setup.profiles)
        batch.exchange()
        batch.play()
        if batch.score()[0]:
            row["scores"], row["bags"] = 0, 0
        else:
            batch.go_on()
    return seen


def drawn_scores(ctx: Context) -> NDArray[np.int64]:
    """Return scores (SCORES, 4) before the rounds of games that SCORES_BY plays; columns as in `scores_of_games`."""
    profiles, rules = kernel_tables(ctx.inputs), ctx.family.rules

    def play(_index: int, seed: int) -> Arrays:
        return {"seen": scores_of_games(profiles, rules, SCORES_BY, SCORES, seed)}

    return cast("NDArray[np.int64]", ctx.gathered("scores", 1, play)["seen"])


def bid_deals(
    seed: int, first: int, n: int, rules: Rules, bidder: str, profiles: tuple[Tables, ...], scores: NDArray[np.int64]
) -> Iterator[NDArray[np.void]]:
    """Yield rows of `ROUND`: deals ``first`` to ``first + n - 1``, each bid at a random row of ``scores`` (m, 4).

    ``bidder``: policy text of all four seats; ``profiles``: `Tables` by profile; the columns of ``scores``: points and
    bags of the first bidder's side, then of the other. Raises `PolicyError` for an unknown policy.
    """
    setup = self_play_of(rules, parse_policy(bidder, rules.variant), profiles)
    for batch in dealt(setup, Deals(chunk_seed(seed), first, first + n)):
        batch.set_scores(scores[batch.draw(len(scores))[:, 0]])
        batch.bid(policy_rows([setup.policy]), setup.profiles)
        yield batch.rounds
