"""The sections on what `winprob` leaves on the table: a bid's regret by seat, and the deals that cost it most.

A position's regret is the win probability of its best bid less that of the bid made, over the deals that the bidder
can't tell apart: the unseen cards dealt anew until those who bid before would have bid what they did. Every bid weighed
is played out on the same deals, those to come bidding `winprob`. Win probabilities after the round are the win table's.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.bidding.cards import format_pbn
from service.bidding.policies import parse_policy
from service.bidding.rules import Rules
from service.bidding.scoring import score_side
from service.bidding.winning import place_of, worth
from tables.deal import below, deal, deck_of, seed_rng
from tables.game import bid_seat, play_out, start_round
from tables.jit import entry
from tables.net_fit import GAMES, random_scores
from tables.report.setup import PAPER, Setup, table
from tables.rules import BAG, BID, DECK_CELL, HAND, PIECES, PLAYER, SCORE, SIZE, TAKEN, carry_rules
from tables.simulate import chairs, seated
from tables.winprob import BIDS, weighed_seat, winprob_seat

DEALS = 256  # to a position, half of them to choose by and half to judge by
FEWEST = 64  # deals, or the position is left out
TRIES = 40_000  # deals drawn for a position at most
SURE = 1.0  # standard errors by which another bid has to look better to be chosen
WORST = 10


def _begin(s: Any, cards: Any, seed: int, number: int, scores: Any, players: Any) -> None:
    # Deal and seat; scores (4,): points and bags of seats 0 and 2, of seats 1 and 3.
    seed_rng(s, seed, number, 0)
    deal(s, cards)
    start_round(s)
    for side in range(2):
        s[SCORE + side] = scores[2 * side]
        s[BAG + side] = scores[2 * side + 1]
    for seat in range(4):
        s[PLAYER + seat] = players[seat, 0]
        s[PIECES + seat] = players[seat, 1]


def _worth_to(s: Any, me: int, rules: Rules, place: Any, win: Any) -> float:
    # What a finished round is worth to the side of seat `me`.
    us, them = me & 1, 1 - (me & 1)
    points, bags = score_side(s[BID + us], s[TAKEN + us], s[BID + us + 2], s[TAKEN + us + 2], s[BAG + us], rules)
    against, their = score_side(
        s[BID + them], s[TAKEN + them], s[BID + them + 2], s[TAKEN + them + 2], s[BAG + them], rules
    )
    return worth(s[SCORE + us] + points, bags, s[SCORE + them] + against, their, us, place, rules, win)


def _deal_unseen(s: Any, me: int, cards: Any) -> None:
    # Deal the cards that `me` does not see to the others.
    unseen = s[DECK_CELL] & ~s[HAND + me]
    n = 0
    while unseen:
        cards[n] = (unseen & -unseen).bit_length() - 1
        unseen &= unseen - 1
        n += 1
    for step in range(1, 4):
        hand = 0
        for _ in range(13):
            i = below(s, n)
            n -= 1
            hand |= 1 << cards[i]
            cards[i] = cards[n]
        s[HAND + ((me + step) & 3)] = hand


def _weigh_positions(
    seed: int,
    first: int,
    last: int,
    rules: Rules,
    players: Any,
    ts: Any,
    scores: Any,
    most: Any,
    gains: Any,
    stated: Any,
) -> None:
    # scores (n, 4); most (2,): deals and tries. Written: gains (n, 2, BIDS, 3), by half and bid the deals, the gains
    # over the bid made and their squares; stated (n, BIDS): the chances that the bidder states, -1 of bids not weighed.
    s = np.zeros(SIZE, np.int64)
    cards = np.zeros(64, np.int64)
    values = np.zeros(BIDS)
    s[DECK_CELL] = deck_of(rules)
    carry_rules(s, rules)
    place = place_of(rules)
    t = ts[0]
    for number in range(first, last):
        me = number & 3
        begin(s, cards, seed, number, scores[number], players)
        for seat in range(me):
            s[BID + seat] = winprob_seat(s, seat, rules, t)
        p_win = stated[number]
        p_win[:] = -1.0
        chosen = weighed_seat(s, me, rules, t, p_win)
        found = 0
        rest = s.copy()
        for _ in range(most[1]):
            if found == most[0]:
                break
            deal_unseen(rest, me, cards)
            like = True
            for seat in range(me):
                if winprob_seat(rest, seat, rules, t) != s[BID + seat]:
                    like = False
                    break
            if not like:
                continue
            for bid in range(BIDS):
                if p_win[bid] < 0.0:
                    continue
                played = rest.copy()
                played[BID + me] = bid
                for seat in range(me + 1, 4):
                    played[BID + seat] = winprob_seat(played, seat, rules, t)
                play_out(played)
                values[bid] = worth_to(played, me, rules, place, t.win)
            half = found & 1
            for bid in range(BIDS):
                if p_win[bid] >= 0.0:
                    gain = values[bid] - values[chosen]
                    gains[number, half, bid, 0] += 1.0
                    gains[number, half, bid, 1] += gain
                    gains[number, half, bid, 2] += gain * gain
            found += 1


def _bid_both(
    seed: int,
    first: int,
    last: int,
    rules: Rules,
    bidders: Any,
    players: Any,
    ts: Any,
    scores: Any,
    hands: Any,
    bids: Any,
    after: Any,
) -> None:
    # Seats 0 and 2 (in odd rounds 1 and 3) bid by bidders[0], the others by bidders[1]; then all by bidders[1].
    # Written: hands (n, 4); bids (n, 2, 4); after (n, 2), what the round was worth to the first.
    s = np.zeros(SIZE, np.int64)
    cards = np.zeros(64, np.int64)
    s[DECK_CELL] = deck_of(rules)
    carry_rules(s, rules)
    place = place_of(rules)
    for number in range(first, last):
        me = number & 1
        for way in range(2):
            begin(s, cards, seed, number, scores[number], players)
            for seat in range(4):
                hands[number, seat] = s[HAND + seat]
                s[BID + seat] = bid_seat(s, seat, rules, bidders[1 if way == 1 or (seat - me) & 1 else 0], ts)
                bids[number, way, seat] = s[BID + seat]
            play_out(s)
            after[number, way] = worth_to(s, me, rules, place, ts[0].win)


begin, worth_to, deal_unseen = entry(_begin), entry(_worth_to), entry(_deal_unseen)
weigh_positions, bid_both = entry(_weigh_positions), entry(_bid_both)


class Regret(NamedTuple):
    """Of one position; win probability."""

    held_out: float  # gain of the bid that one half of the deals chooses, judged by the other: no more than the regret
    in_sample: float  # gain of the bid that looks best over all deals: no less


def regret_of(gains: NDArray[np.float64], weighed: NDArray[np.bool_]) -> Regret:
    """From ``gains`` (2, BIDS, 3) of the ``weighed`` bids: by half and bid, deals, sum of gains and of squares."""
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


def _scores(seed: int, n: int) -> NDArray[np.int64]:
    number = GAMES.index((PAPER.win, PAPER.lose, PAPER.bag_penalty))
    return random_scores(np.random.default_rng(seed), np.full(n, number))


def by_seat(setup: Setup) -> str:
    """Mean regret of positions of self-play at scores under way; a position for each 20 pairs and seat."""
    n = 4 * max(1, setup.pairs // 20)
    gains, stated = np.zeros((n, 2, BIDS, 3)), np.zeros((n, BIDS))
    most = np.array([DEALS, TRIES])
    players = seated("srp", "srp")
    weigh_positions(setup.seed, 0, n, PAPER, players, setup.tables, _scores(setup.seed, n), most, gains, stated)
    rows: list[tuple[Any, ...]] = []
    for seat in range(4):
        places = np.arange(seat, n, 4)
        used = [i for i in places if gains[i, :, :, 0].max(axis=1).sum() >= FEWEST]
        found = [regret_of(gains[i], stated[i] >= 0.0) for i in used]
        held_out = np.array([regret.held_out for regret in found])
        half = 1.96 * held_out.std() / np.sqrt(max(len(found), 1))
        in_sample = np.mean([regret.in_sample for regret in found])
        rows.append(
            (
                ("first", "second", "third", "fourth")[seat],
                f"{len(used)} of {len(places)}",
                f"{100 * held_out.mean():.2f} ± {100 * half:.2f}",
                f"{100 * in_sample:.2f}",
            )
        )
    return table("seat | positions | regret, % to win: at least | at most", rows)


def worst_deals(setup: Setup) -> str:
    """The deals at which `winprob` lost most against `bis` in its place, and what it gained on the mean."""
    n = 10 * setup.pairs
    hands, bids, after = np.zeros((n, 4), np.int64), np.zeros((n, 2, 4), np.int64), np.zeros((n, 2))
    scores = _scores(setup.seed + 1, n)
    ours, theirs, *_ = chairs(parse_policy("winprob"), parse_policy("bis"))
    players = seated("srp", "srp")
    bid_both(setup.seed, 0, n, PAPER, (ours, theirs), players, setup.tables, scores, hands, bids, after)
    gain = after[:, 0] - after[:, 1]
    half = 1.96 * gain.std() / np.sqrt(n)
    rows: list[tuple[Any, ...]] = []
    for i in np.argsort(gain, kind="stable")[:WORST].tolist():
        me = i & 1
        points = [f"{score} + {bags}" for score, bags in scores[i].reshape(2, 2).tolist()]
        dealt = [format_pbn(hand) for hand in hands[i].tolist()]
        shown = ", ".join(f"**{hand}**" if seat & 1 == me else hand for seat, hand in enumerate(dealt))
        made = [" ".join(str(bid or "nil") for bid in row) for row in bids[i].tolist()]
        chances = [f"{100 * p:.0f}" for p in after[i]]
        rows.append((shown, f"{points[me]} : {points[1 - me]}", made[0], made[1], " v ".join(chances)))
    head = "hands in bidding order, ours in bold | points + bags | bids | with `bis` in our place | to win after, %"
    mean = f"{100 * gain.mean():.2f} ± {100 * half:.2f}"
    words = f"Over {n:,} deals `winprob` gains {mean} % to win a round over `bis` in its place."
    return words + "\n\n" + table(head, rows)
