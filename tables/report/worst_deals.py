"""The deals at which `winprob` lost most against `bis` in its place, on the same cards at the same score."""

from typing import Any

import numpy as np

from service.bidding.game.cards import format_pbn
from service.bidding.game.rules import Rules
from service.bidding.policies import parse_policy
from service.bidding.winprob.win_table import slice_of, win_array
from tables.engine.deal import deck_of
from tables.engine.game import bid_seat, play_out, start_mid_game, win_probability_after_round
from tables.engine.jit import entry
from tables.engine.play import BID, DECK_CELL, HAND, SIZE, carry_rules
from tables.engine.simulate import player_rows, policies_by_chair
from tables.report.regret import scores_under_way
from tables.report.setup import PAPER, Setup, table

WORST = 10


def _bid_both(
    seed: int,
    first: int,
    last: int,
    rules: Rules,
    bidders: Any,
    players: Any,
    profiles: Any,
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
    place = slice_of(rules, profiles[0])
    for number in range(first, last):
        me = number & 1
        for way in range(2):
            start_mid_game(s, cards, seed, number, scores[number], players)
            for seat in range(4):
                hands[number, seat] = s[HAND + seat]
                s[BID + seat] = bid_seat(s, seat, rules, bidders[1 if way == 1 or (seat - me) & 1 else 0], profiles)
                bids[number, way, seat] = s[BID + seat]
            play_out(s)
            after[number, way] = win_probability_after_round(s, me, rules, place, win_array(place, profiles[0]))


bid_both = entry(_bid_both)


def worst_deals(setup: Setup) -> str:
    """The deals at which `winprob` lost most against `bis` in its place, and what it gained on the mean."""
    n = 10 * setup.pairs
    hands, bids, after = np.zeros((n, 4), np.int64), np.zeros((n, 2, 4), np.int64), np.zeros((n, 2))
    scores = scores_under_way(setup.seed + 1, n)
    ours, theirs, *_ = policies_by_chair(parse_policy("winprob"), parse_policy("bis"))
    players = player_rows("srp", "srp")
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
