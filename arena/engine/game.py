"""Whole rounds and games on a play state, as kernels: bid, play, score, record.

Chairs are fixed places at the table (a0, b0, a1, b1). Seats are places in a round's bidding order, which moves on by
one chair each round. The compiled loops over these kernels are in `arena.engine.selfplay`.
"""

from typing import Any, NamedTuple

from arena.engine.choose_bid import auction_at, choose_bid, choose_cutthroat_bid, standing_at
from arena.engine.deal import below, deal_round, seat_players, uniform
from arena.engine.passing import exchange
from arena.engine.winprob import skilled_seat, winprob_seat
from arena.players.choose_card import choose_card
from spades.bis import decide_blind_nil
from spades.legal import BLIND_NIL, allowed_bids, contract_of, is_nil
from spades.levels import LARGEST_SEED, perturbed
from spades.options import WINPROB, Policy
from spades.play import PlayState, legal_cards, play_card
from spades.random_numbers import hash_uniform
from spades.rules import CUTTHROAT, Rules
from spades.scoring import Standing, game_winner, score_side
from spades.tables import profile_of
from spades.winprob import WinTableSlice, win_probability_after

MOST_ROUNDS = 200  # a longer game is a draw (never seen; a guard against endless ties)

# Indices of the sums that a match returns; side 0 is a, side 1 is b.
GAMES, ROUNDS, WINS_A, DRAWS = 0, 1, 2, 3
POINTS, NILS, NILS_MADE, BIDS, SETS, BAGS, CONTRACTS = 4, 6, 8, 10, 12, 14, 16
SUM_OF_BIDS, SUM_OF_CHOICES, PLAYS = 18, 19, 20
# Over duplicate pairs: sums of d*d, d*r and r*r, where d is the points of a minus those of b in both games, and r is
# the rounds of both games.
PAIR_DD, PAIR_DR, PAIR_RR = 21, 22, 23
# (2, 27, 4) by side and contract: rounds, made contracts, overtricks of made contracts, missing tricks of set contracts
BIDS_BY_CONTRACT = 24
# (2, 15, 3) by side and bid (14: blind nil): bids, the bidder's tricks, contracts made (nils made, for 0 and 14)
RESULTS_BY_BID = BIDS_BY_CONTRACT + 2 * 27 * 4
# (16, 5) by which chairs bid nil, one bit each (a0, b0, a1, b1): rounds, points of a, of b, nils made by a, by b
NIL_PATTERNS = RESULTS_BY_BID + 2 * 15 * 3
# (53, 4) by sum of the four bids: rounds; then of the rounds without nils: rounds, points of a, of b
BID_SUMS = NIL_PATTERNS + 16 * 5
SUMS = BID_SUMS + 53 * 4


def bid_seat(state: PlayState, seat: int, rules: Rules, policy: Policy, profiles: Any) -> int:
    """Return the bid of ``policy`` from ``seat``; a blind nil is decided before the hand is seen.

    The skill level's random numbers depend only on the deal, so that a replay draws the same ones. ``profiles``:
    `Tables` by profile.
    """
    if policy.level and policy.kind != WINPROB:
        policy = perturbed(policy, state.rng[seat] & LARGEST_SEED)
    if rules.variant == CUTTHROAT:
        scores = (state.seat_score[0], state.seat_score[1], state.seat_score[2], state.seat_score[3])
        hand, bags = state.hand[seat], state.seat_bags[seat]
        return choose_cutthroat_bid(hand, auction_at(state, seat), scores, bags, rules, policy, profiles)
    if policy.blind and rules.blind_nil and bids_blind_nil(state, seat, rules, policy, profiles):
        return BLIND_NIL
    if policy.kind == WINPROB:
        tables = profiles[profile_of(rules, policy, standing_at(state, seat))]
        if policy.level:
            return skilled_seat(state, seat, rules, policy, state.rng[seat] & LARGEST_SEED, tables)
        return winprob_seat(state, seat, rules, policy, tables)
    return choose_bid(state.hand[seat], auction_at(state, seat), standing_at(state, seat), rules, policy, profiles)


def bids_blind_nil(state: PlayState, seat: int, rules: Rules, policy: Policy, profiles: Any) -> bool:
    """Return whether ``policy`` bids blind nil from ``seat``; its random number depends only on the deal."""
    standing = standing_at(state, seat)
    tables = profiles[profile_of(rules, policy, standing)]
    drawn = hash_uniform(state.rng[seat])
    return bool(decide_blind_nil(auction_at(state, seat), standing, rules, policy, drawn, tables).chosen)


def with_noise(state: PlayState, bid: int, noise: float) -> int:
    """Return a bid moved up or down by one with probability ``noise``, within 1..13.

    A blind nil stays. A number never becomes a nil, because that would be a large change. The state's generator draws
    the random numbers.
    """
    if uniform(state) >= noise or bid > 13:
        return bid
    bid += 2 * below(state, 2) - 1
    return min(max(bid, 1), 13)


def noisy_bid(state: PlayState, seat: int, rules: Rules, policy: Policy, profiles: Any, noise: float) -> int:
    """Return the bid of ``policy`` from ``seat``, which the rules allow; a number is moved as `with_noise` does."""
    bid = bid_seat(state, seat, rules, policy, profiles)
    if bid == 0 or noise == 0.0:
        return bid
    bid = with_noise(state, bid, noise)
    allowed = allowed_bids(state.hand[seat], auction_at(state, seat).partner_bid, rules)
    return bid if allowed >> bid & 1 else max(1, bid - 1)


def play_out(state: PlayState) -> None:
    """Play a round from the pass on; every seat has bid."""
    if state.passes[0] or state.passes[1]:
        exchange(state)
    for _ in range(52):
        seat = (state.leader + state.trick_size) & 3
        state.choices += legal_cards(state.hand[seat], state.trick_size, state.trick[0], state.broken).bit_count()
        play_card(state, seat, choose_card(state, seat))


def start_mid_game(state: PlayState, seed: int, number: int, scores: Any, players: Any) -> None:
    """Deal a round at ``scores`` and seat the players.

    ``scores`` (4,) has points and bags of seats 0 and 2, then of seats 1 and 3.
    """
    deal_round(state, seed, number, 0)
    for side in range(2):
        state.score[side] = scores[2 * side]
        state.bags[side] = scores[2 * side + 1]
    seat_players(state, players)


def win_probability_after_round(state: PlayState, me: int, rules: Rules, win_slice: WinTableSlice, win: Any) -> float:
    """Return the win probability of the side of seat ``me`` after a finished round."""
    us, them = me & 1, 1 - (me & 1)
    points, bags = score_of_side(state, us, state.bags[us], rules)
    their_points, their_bags = score_of_side(state, them, state.bags[them], rules)
    after = Standing(
        us=state.score[us] + points, them=state.score[them] + their_points, us_bags=bags, them_bags=their_bags
    )
    return win_probability_after(after, us, win_slice, rules, win)


class Game(NamedTuple):
    """One of the two games of a duplicate pair, which use the same deals."""

    seed: int
    pair: int  # number of the pair
    swap: int  # 1: every player sits one chair further


class Lineup(NamedTuple):
    """The bidders and card players in the chairs a0, b0, a1, b1."""

    policies: Any  # a tuple of four `Policy`
    players: Any  # int64 (4, 2): card player's id and pieces


class Totals(NamedTuple):
    """The points and bags of sides a and b between two rounds."""

    score_a: int
    score_b: int
    bags_a: int
    bags_b: int


def begin_round(state: PlayState, game: Game, number: int, players: Any, totals: Totals) -> None:
    """Deal round ``number`` of a game, and set scores and players."""
    deal_round(state, game.seed, game.pair, number)
    first_chair = first_chair_of(game, number)
    a = first_chair & 1  # side a has the seats of this parity
    state.score[a] = totals.score_a
    state.score[1 - a] = totals.score_b
    state.bags[a] = totals.bags_a
    state.bags[1 - a] = totals.bags_b
    for seat in range(4):
        chair = (first_chair + seat) & 3
        state.player[seat] = players[chair, 0]
        state.pieces[seat] = players[chair, 1]


def close_round(state: PlayState, first_chair: int, totals: Totals, rules: Rules, sums: Any) -> Totals:
    """Score and record a finished round, and return the totals after it."""
    a = first_chair & 1
    points_a, bags_a = score_of_side(state, a, totals.bags_a, rules)
    points_b, bags_b = score_of_side(state, 1 - a, totals.bags_b, rules)
    record_round(state, first_chair, points_a, points_b, sums)
    return Totals(totals.score_a + points_a, totals.score_b + points_b, bags_a, bags_b)


def score_of_side(state: PlayState, side: int, bags: int, rules: Rules) -> tuple[int, int]:
    """Return the points of a finished round for the seats of ``side`` (0 or 1), and the bags after it."""
    return score_side(state.bid[side], state.taken[side], state.bid[side + 2], state.taken[side + 2], bags, rules)


def first_chair_of(game: Game, number: int) -> int:
    """Return the chair that bids first in round ``number`` of a game.

    Odd pairs start two chairs later. So each of two different partners sits in every seat equally often.
    """
    return (number + game.swap + 2 * (game.pair & 1)) & 3


def play_game(state: PlayState, game: Game, rules: Rules, lineup: Lineup, profiles: Any, sums: Any) -> int:
    """Play one game; return 1 if side a wins, -1 if side b wins, 0 for a draw."""
    totals = Totals(0, 0, 0, 0)
    for number in range(MOST_ROUNDS):
        first_chair = first_chair_of(game, number)
        begin_round(state, game, number, lineup.players, totals)
        for seat in range(4):
            state.bid[seat] = bid_seat(state, seat, rules, lineup.policies[(first_chair + seat) & 3], profiles)
        play_out(state)
        totals = close_round(state, first_chair, totals, rules, sums)
        winner = game_winner(totals.score_a, totals.score_b, rules)
        if winner != 0:
            return winner
    return 0


class RoundSummary(NamedTuple):
    """A finished round, summed over sides or over the table."""

    points_a: int
    points_b: int
    sum_of_bids: int
    pattern: int  # which chairs bid nil, one bit each (a0, b0, a1, b1)
    nils_made_a: int
    nils_made_b: int


def record_round(state: PlayState, first_chair: int, points_a: int, points_b: int, sums: Any) -> None:
    """Add a finished round to ``sums``; ``first_chair`` is the chair of seat 0.

    Bags are overtricks and the tricks of failed nils, as under the default rules.
    """
    total = 0
    pattern = 0
    nils_made_a = 0
    nils_made_b = 0
    for side in range(2):
        first = (first_chair & 1) ^ side  # the side's first seat
        contract = contract_of(state.bid[first]) + contract_of(state.bid[first + 2])
        total += contract
        made = 0
        for seat in range(first, 4, 2):
            taken = state.taken[seat]
            if is_nil(state.bid[seat]):
                pattern |= 1 << ((first_chair + seat) & 3)
                sums[NILS + side] += 1
                sums[BAGS + side] += taken
                if taken == 0:
                    sums[NILS_MADE + side] += 1
                    if side == 0:
                        nils_made_a += 1
                    else:
                        nils_made_b += 1
            else:
                made += taken
        kept = 1 if made >= contract else 0
        for seat in range(first, 4, 2):
            bid = state.bid[seat]
            taken = state.taken[seat]
            cell = RESULTS_BY_BID + (side * 15 + bid) * 3
            sums[cell] += 1
            sums[cell + 1] += taken
            if is_nil(bid):
                sums[cell + 2] += 1 if taken == 0 else 0
            else:
                sums[cell + 2] += kept
        sums[BIDS + side] += 2
        cell = BIDS_BY_CONTRACT + (side * 27 + contract) * 4
        sums[cell] += 1
        sums[cell + 1] += kept
        if contract > 0:
            sums[CONTRACTS + side] += 1
            sums[SETS + side] += 1 - kept
        if kept == 1:
            sums[BAGS + side] += made - contract
            sums[cell + 2] += made - contract
        else:
            sums[cell + 3] += contract - made
    record_summary(state, RoundSummary(points_a, points_b, total, pattern, nils_made_a, nils_made_b), sums)


def record_summary(state: PlayState, summary: RoundSummary, sums: Any) -> None:
    """Add a finished round to the sums that are not by bid or by contract."""
    sums[ROUNDS] += 1
    sums[POINTS] += summary.points_a
    sums[POINTS + 1] += summary.points_b
    sums[SUM_OF_BIDS] += summary.sum_of_bids
    cell = NIL_PATTERNS + summary.pattern * 5
    sums[cell] += 1
    sums[cell + 1] += summary.points_a
    sums[cell + 2] += summary.points_b
    sums[cell + 3] += summary.nils_made_a
    sums[cell + 4] += summary.nils_made_b
    cell = BID_SUMS + summary.sum_of_bids * 4
    sums[cell] += 1
    if summary.pattern == 0:
        sums[cell + 1] += 1
        sums[cell + 2] += summary.points_a
        sums[cell + 3] += summary.points_b
    sums[SUM_OF_CHOICES] += state.choices
    sums[PLAYS] += 52
