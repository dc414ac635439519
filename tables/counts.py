"""What is counted in self-play: compiled loops that play rounds and add to arrays of counts, and one runner of chunks.

Each loop plays the deals of a span and adds to its last arguments, the counts. `counted` splits the rounds of a family
into chunks, and sums the counts of the chunks in index order. `tables.fits` makes tables from the sums.

The loops share these arguments. ``players`` (4, 2): number and pieces of the card player by seat, from `player_rows`.
``profiles``: `Tables` by table profile, from `tables_for`. SEQUENCES is the number of sequences of up to three bids.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from arena.chunks import Arrays
from arena.engine.bid_deals import BidDeals
from arena.engine.choose_bid import auction_at
from arena.engine.cutthroat import points_gained
from arena.engine.deal import Deals, below, deal_round, prepare_state, seat_players
from arena.engine.game import bid_seat, play_out, score_of_side
from arena.engine.jit import entry, round_loop
from arena.engine.simulate import kernel_tables, numba_typed, player_rows, tables_for
from arena.players.names import TABLES_PLAYER
from spades.bis import GRID, NOT_RULED_OUT, NilTerms, consider_nil, nil_value, partner_signalled
from spades.cards import ACE, FIRST_SPADE, spades_of, suits_of
from spades.inference import BID_CLASSES, SUIT_RANKS, bid_class
from spades.legal import BLIND_NIL, allowed_bids, contract_of, extra_spades_of
from spades.options import RAW, Policy
from spades.play import PlayState, tricks_needed, write_rules
from spades.policies import parse_policy
from spades.position import without_partner
from spades.rules import CUTTHROAT, Rules
from spades.scoring import START, game_winner
from spades.tables import Tables, convention_of, profile_of
from tables.run.family import Context

BINS = GRID + 1  # number of bins of nil values: value v is in bin int(GRID * v)
BID_SUMS = 40  # sums of the previous bids: 0..39 tricks
FEATURES = 2 * 14 * 13  # of a card: side suit or spades, length of the suit, rank
TERMS = 6  # terms of the quadratic of `shifted_rounds`: 1, x, x^2, sum, x * sum, sum^2
UNSHIFTED = 4  # index of shift 0 among the nine shifts -1..1, in quarters of a trick
AUCTIONS = BID_CLASSES**4  # sequences of four bids, by class of bid
CLASSES = np.array([bid_class(bid) for bid in range(BLIND_NIL + 1)])
SCORES = 20_000  # number of scores to draw from: those before the rounds of whole games
SCORES_BY = "bis"  # bidder of these games

Span: TypeAlias = tuple[int, int, int]  # the seed of a chunk, its first deal, and the deal after its last


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

    ``stage`` is the name of the chunks; ``size``: the family's size that is the number of rounds; ``play`` plays the
    rounds of a `Span` and adds to the counts, which it gets as further arguments; ``counts``: shape and type of each
    array; ``least``: fewest rounds in a chunk. The first axis of each sum has the counts of all chunks but the first
    ``held_out``, and then, if there are held-out chunks, theirs. ``play`` may be sent to another process, so it must
    not hold ``ctx``.
    """
    per_chunk = max(least, ctx.size(size) // chunks)
    parts = 2 if held_out else 1

    def run(index: int, seed: int) -> Arrays:
        sums = {name: np.zeros((parts, *shape), dtype) for name, (shape, dtype) in counts.items()}
        part = 1 if index < held_out else 0
        span = chunk_seed(seed), index * per_chunk, (index + 1) * per_chunk
        play(span, *(array[part] for array in sums.values()))
        return sums

    return ctx.chunks(stage, chunks, run)


def chunk_seed(seed: int) -> int:
    """Return the seed of a compiled loop, of 31 bits, for the seed of a chunk."""
    return seed & 0x7FFFFFFF


class SelfPlay(NamedTuple):
    """What every loop needs: rules, the policy that bids in all seats, the players of the cards, and the tables."""

    rules: Rules
    policy: Policy
    players: NDArray[np.int64]
    profiles: tuple[Tables, ...]


def self_play(ctx: Context, inputs: Arrays | None = None, policy: Policy | None = None) -> SelfPlay:
    """Return the self-play of a family: its rules, and the bidder and card player that its parameters name.

    ``inputs``: tables that are read instead of the family's inputs; ``policy``: a bidder instead of the family's.
    """
    parameters, rules = ctx.family.parameters, ctx.family.rules
    bidder = numba_typed(policy if policy is not None else parse_policy(str(parameters["policy"])))
    player = str(parameters.get("player", TABLES_PLAYER))
    profiles = tables_for(kernel_tables(ctx.inputs if inputs is None else inputs), rules, [bidder])
    return SelfPlay(rules, bidder, player_rows(player, player), profiles)


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
    # players: in the order nil bidder, LHO, partner, RHO.
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


def _contract_rounds(
    states: list[PlayState], deals: Deals, rules: Rules, policy: Policy, players: Any, profiles: Any, counts: Any
) -> None:
    # counts (2, 27, 2): by whether the side bid a nil and by contract; [..., 0] all, [..., 1] made. In cutthroat a
    # contract is one seat's.
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


def _aces(states: list[PlayState], deals: Deals, rules: Rules, policy: Policy, profiles: Any, counts: Any) -> None:
    # counts (4, BID_SUMS, 2): hands by seat and sum of the previous bids; [..., 0] all, [..., 1] with the ace.
    state = prepare_state(states, rules)
    for number in range(deals.first, deals.last):
        deal_round(state, deals.seed, number, 0)
        for seat in range(4):
            total = auction_at(state, seat).sum_of_bids
            counts[seat, total, 0] += 1
            counts[seat, total, 1] += state.hand[seat] >> (FIRST_SPADE + ACE) & 1
            state.bid[seat] = bid_seat(state, seat, rules, policy, profiles)


aces = round_loop(_aces)


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
    # xtx (FEATURES, FEATURES) and xty (FEATURES,): for each hand, 1 is added for
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
    # shifts: a policy for each shift. xtx (4, TERMS, TERMS) and xty (4, TERMS),
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


def _count_cards(made: BidDeals, classes: Any, counts: Any) -> None:
    # classes: `bid_class` by bid. counts (AUCTIONS, 4, PRIOR_COLUMNS): the cards of each bidder, by the four bids.
    for deal in range(len(made.hands)):
        sequence = 0
        for seat in range(4):
            sequence = BID_CLASSES * sequence + classes[made.bids[deal, seat]]
        for seat in range(4):
            for suit in range(4):
                for rank in range(SUIT_RANKS):
                    column = rank + (SUIT_RANKS if 16 * suit >= FIRST_SPADE else 0)
                    counts[sequence, seat, column] += made.hands[deal, seat] >> (16 * suit + rank) & 1


count_cards = entry(_count_cards)


def _seen_scores(
    states: list[PlayState], deals: Deals, rules: Rules, policy: Policy, players: Any, profiles: Any, seen: Any
) -> None:
    # Play whole games by one policy. seen (n, 4), by number of the deal: gets points and bags before each round, of a
    # random side, then of the other.
    state = prepare_state(states, rules)
    write_rules(state, rules)
    before = np.zeros(4, np.int64)
    for number in range(deals.first, deals.last):
        deal_round(state, deals.seed, number, 0)
        side = below(state, 2)
        for cell in range(4):
            seen[number, cell] = before[(cell + 2 * side) & 3]
        seat_players(state, players)
        for seat in range(4):
            for side in range(2):
                state.score[side], state.bags[side] = before[2 * side], before[2 * side + 1]
            state.bid[seat] = bid_seat(state, seat, rules, policy, profiles)
        play_out(state)
        for side in range(2):
            points, bags = score_of_side(state, side, before[2 * side + 1], rules)
            before[2 * side] += points
            before[2 * side + 1] = bags
        if game_winner(before[0], before[2], rules) != 0:
            before[:] = 0
        else:
            before[0], before[1], before[2], before[3] = before[2], before[3], before[0], before[1]  # the next dealer


seen_scores = round_loop(_seen_scores)


def scores_of_games(profiles: tuple[Tables, ...], rules: Rules, bidder: str, n: int, seed: int) -> NDArray[np.int64]:
    """Return the points and bags before ``n`` rounds, int64 (n, 4): of a random side, then of the other.

    The rounds are those of whole games with ``bidder`` in all seats. ``profiles``: from `kernel_tables`.
    """
    policy = numba_typed(parse_policy(bidder, rules.variant))
    players = player_rows(TABLES_PLAYER, TABLES_PLAYER)
    seen = np.zeros((n, 4), np.int64)
    used = tables_for(profiles, rules, [policy])
    seen_scores(chunk_seed(seed), 0, n, rules, policy, players, used, seen)
    return seen


def drawn_scores(ctx: Context) -> NDArray[np.int64]:
    """Return scores (SCORES, 4) before the rounds of games that SCORES_BY plays; columns as in `BidDeals.scores`."""
    profiles, rules = kernel_tables(ctx.inputs), ctx.family.rules

    def play(_index: int, seed: int) -> Arrays:
        return {"seen": scores_of_games(profiles, rules, SCORES_BY, SCORES, seed)}

    return cast("NDArray[np.int64]", ctx.gathered("scores", 1, play)["seen"])
