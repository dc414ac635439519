"""The section about regret: how much win probability a bid of `winprob` loses, by seat.

The regret of a position is the win probability of its best bid minus that of the bid made. It is a mean over deals
that the bidder cannot distinguish: the unseen cards are dealt again until the earlier bidders would have made the same
bids. Every bid is played on the same deals, and the later bidders bid `winprob`. Bids that `winprob` does not consider
are also played: their regret shows what considering more bids would win. The win probability after the round comes
from the win table.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.bidding.game.legal import allowed_bids
from service.bidding.game.rules import Rules
from service.bidding.policies import parse_policy
from service.bidding.winprob.win_table import win_array
from tables.engine.choose_bid import auction_at
from tables.engine.deal import Deals, below, open_table
from tables.engine.game import Lineup, play_out, start_mid_game, win_probability_after_round
from tables.engine.jit import round_loop
from tables.engine.play import carry_rules
from tables.engine.play_state import PlayState, copy_state
from tables.engine.scratch import scratch
from tables.engine.simulate import player_rows, policies_by_chair
from tables.engine.winprob import BIDS, slice_of, weighed_seat, winprob_seat
from tables.learning.training import GAMES, random_scores
from tables.markdown import table
from tables.report.setup import PAPER, Setup

DEALS = 256  # per position; one half chooses a bid, the other half judges it
FEWEST = 64  # a position with fewer deals is left out
TRIES = 40_000  # maximum number of deals drawn for a position
SURE = 1.0  # another bid is chosen only if it is better by this many standard errors


def _deal_unseen(state: PlayState, me: int) -> None:
    # Deal the cards that `me` does not see to the other seats.
    cards = scratch(39)
    unseen = state.deck & ~state.hand[me]
    n = 0
    while unseen:
        cards[n] = (unseen & -unseen).bit_length() - 1
        unseen &= unseen - 1
        n += 1
    for step in range(1, 4):
        hand = 0
        for _ in range(13):
            i = below(state, n)
            n -= 1
            hand |= 1 << cards[i]
            cards[i] = cards[n]
        state.hand[((me + step) & 3)] = hand


class Found(NamedTuple):
    """The arrays that `weigh_positions` fills for n positions."""

    gains: Any  # float64 (n, 2, BIDS, 3), by half and bid: deals, sum of gains over the bid made, of squared gains
    stated: Any  # float64 (n, BIDS): win probabilities that the bidder states; -1 for bids it did not consider
    opened: Any  # int64 (n,): mask of the bids played, all legal ones up to one trick above those considered


def _weigh_positions(
    states: list[PlayState],
    deals: Deals,
    rules: Rules,
    lineup: Lineup,
    profiles: Any,
    scores: Any,
    most: Any,
    found: Found,
) -> None:
    # scores (n, 4), see `scores_under_way`; most (2,): maximum of deals and of tries.
    policy = lineup.policies[0]
    values = np.zeros(BIDS)
    state, rest, played = open_table(states, rules), states[1], states[2]
    carry_rules(state, rules)
    t = profiles[0]
    place = slice_of(rules, t)
    win = win_array(place, t)
    for number in range(deals.first, deals.last):
        me = number & 3
        start_mid_game(state, deals.seed, number, scores[number], lineup.players)
        for seat in range(me):
            state.bid[seat] = winprob_seat(state, seat, rules, policy, t)
        p_win = found.stated[number]
        chosen = weighed_seat(state, me, rules, policy, t, p_win)
        top = BIDS - 1
        while p_win[top] < 0.0:
            top -= 1
        bids = allowed_bids(state.hand[me], auction_at(state, me).partner_bid, rules)
        opened = bids & (1 << top + 2) - 1
        found.opened[number] = opened
        done = 0
        copy_state(state, rest)
        for _ in range(most[1]):
            if done == most[0]:
                break
            _deal_unseen(rest, me)
            like = True
            for seat in range(me):
                if winprob_seat(rest, seat, rules, policy, t) != state.bid[seat]:
                    like = False
                    break
            if not like:
                continue
            for bid in range(BIDS):
                if not opened >> bid & 1:
                    continue
                copy_state(rest, played)
                played.bid[me] = bid
                for seat in range(me + 1, 4):
                    played.bid[seat] = winprob_seat(played, seat, rules, policy, t)
                play_out(played)
                values[bid] = win_probability_after_round(played, me, rules, place, win)
            half = done & 1
            for bid in range(BIDS):
                if opened >> bid & 1:
                    gain = values[bid] - values[chosen]
                    found.gains[number, half, bid, 0] += 1.0
                    found.gains[number, half, bid, 1] += gain
                    found.gains[number, half, bid, 2] += gain * gain
            done += 1


weigh_positions = round_loop(_weigh_positions, states=3)


class Regret(NamedTuple):
    """The regret of one position, as win probability."""

    held_out: float  # gain of the bid that one half of the deals chooses, on the other half: at most the regret
    in_sample: float  # gain of the bid that is best over all deals, on the same deals: at least the regret


def regret_of(gains: NDArray[np.float64], weighed: NDArray[np.bool_]) -> Regret:
    """Return the regret among the ``weighed`` bids.

    ``gains`` (2, BIDS, 3) holds the number of deals, the sum of gains and the sum of squared gains, by half and bid.
    """
    held_out = 0.0
    for choose, judge in ((0, 1), (1, 0)):
        n, total, squares = (gains[choose, :, i] for i in range(3))
        mean = np.divide(total, n, out=np.zeros(BIDS), where=n > 0)
        spread = np.divide(squares, n, out=np.zeros(BIDS), where=n > 0) - mean**2
        looks = np.where(weighed, mean - SURE * np.sqrt(np.maximum(spread, 0) / np.maximum(n, 1)), 0.0)
        best = int(looks.argmax())
        if looks[best] > 0:
            held_out += gains[judge, best, 1] / gains[judge, best, 0] / 2
    both = gains.sum(axis=0)
    mean = np.divide(both[:, 1], both[:, 0], out=np.zeros(BIDS), where=both[:, 0] > 0)
    return Regret(float(held_out), float(max(mean[weighed].max(), 0.0)))


def scores_under_way(seed: int, n: int) -> NDArray[np.int64]:
    """Return random scores in the middle of games to 200 with a losing goal of -100, int64 (n, 4).

    The columns are points and bags of seats 0 and 2, then of seats 1 and 3.
    """
    number = GAMES.index((PAPER.win, PAPER.lose, PAPER.bag_penalty))
    return random_scores(np.random.default_rng(seed), np.full(n, number))


def by_seat(setup: Setup) -> str:
    """Return the mean regret of positions of self-play in the middle of a game; one position per 20 pairs and seat."""
    n = 4 * max(1, setup.pairs // 20)
    found = Found(np.zeros((n, 2, BIDS, 3)), np.zeros((n, BIDS)), np.zeros(n, np.int64))
    gains, stated, opened = found
    most = np.array([DEALS, TRIES])
    winprob = parse_policy("winprob")
    lineup = Lineup(policies_by_chair(winprob, winprob), player_rows("srp", "srp"))
    weigh_positions(setup.seed, 0, n, PAPER, lineup, setup.tables, scores_under_way(setup.seed, n), most, found)
    rows: list[tuple[Any, ...]] = []
    for seat in range(4):
        places = np.arange(seat, n, 4)
        used = [i for i in places if gains[i, :, :, 0].max(axis=1).sum() >= FEWEST]
        regrets = [regret_of(gains[i], stated[i] >= 0.0) for i in used]
        held_out = np.array([regret.held_out for regret in regrets])
        of_all = np.array([regret_of(gains[i], (opened[i] >> np.arange(BIDS) & 1) == 1).held_out for i in used])
        in_sample = np.mean([regret.in_sample for regret in regrets])
        rows.append(
            (
                ("first", "second", "third", "fourth")[seat],
                f"{len(used)} of {len(places)}",
                _percent(held_out),
                f"{100 * in_sample:.2f}",
                _percent(of_all),
            )
        )
    return table("seat | positions | regret, % to win: at least | at most | at least, among all bids", rows)


def _percent(found: NDArray[np.float64]) -> str:
    half = 1.96 * found.std() / np.sqrt(max(len(found), 1))
    return f"{100 * found.mean():.2f} ± {100 * half:.2f}"
