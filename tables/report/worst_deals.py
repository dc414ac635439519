"""The section about the deals at which `winprob` lost most, compared with `bis` on the same cards at the same score."""

from typing import Any, NamedTuple

import numpy as np

from spades.cards import format_pbn
from spades.play import PlayState, write_rules
from spades.policies import parse_policy
from spades.rules import Rules
from spades.winprob import win_array
from tables.engine.deal import Deals, prepare_state
from tables.engine.game import bid_seat, play_out, start_mid_game, win_probability_after_round
from tables.engine.jit import round_loop
from tables.engine.simulate import player_rows, policies_by_chair
from tables.engine.winprob import slice_of
from tables.learning.scores import GAMES, random_scores
from tables.markdown import table
from tables.report.setup import PAPER, Setup

WORST = 10


class BothWays(NamedTuple):
    """The arrays that `bid_both` fills for n deals, each bid in two ways."""

    hands: Any  # int64 (n, 4)
    bids: Any  # int64 (n, 2, 4)
    after: Any  # float64 (n, 2): the first side's win probability after the round


def _bid_both(
    states: list[PlayState],
    deals: Deals,
    rules: Rules,
    bidders: Any,
    players: Any,
    profiles: Any,
    scores: Any,
    out: BothWays,
) -> None:
    # First way: seats 0 and 2 (1 and 3 for odd deals) bid with bidders[0], the others with bidders[1]. Second way: all
    # seats bid with bidders[1].
    state = prepare_state(states, rules)
    write_rules(state, rules)
    place = slice_of(rules, profiles[0])
    for number in range(deals.first, deals.last):
        me = number & 1
        for way in range(2):
            start_mid_game(state, deals.seed, number, scores[number], players)
            for seat in range(4):
                out.hands[number, seat] = state.hand[seat]
                state.bid[seat] = bid_seat(
                    state, seat, rules, bidders[1 if way == 1 or (seat - me) & 1 else 0], profiles
                )
                out.bids[number, way, seat] = state.bid[seat]
            play_out(state)
            out.after[number, way] = win_probability_after_round(state, me, rules, place, win_array(place, profiles[0]))


bid_both = round_loop(_bid_both)


def worst_deals(setup: Setup) -> str:
    """Return the deals at which `winprob` lost most compared with `bis`, and its mean gain over all deals."""
    n = 10 * setup.pairs
    hands, bids, after = np.zeros((n, 4), np.int64), np.zeros((n, 2, 4), np.int64), np.zeros((n, 2))
    game = GAMES.index(PAPER)
    scores = random_scores(np.random.default_rng(setup.seed + 1), np.full(n, game))
    ours, theirs, *_ = policies_by_chair(parse_policy("winprob"), parse_policy("bis"))
    players = player_rows("srp", "srp")
    bid_both(setup.seed, 0, n, PAPER, (ours, theirs), players, setup.tables, scores, BothWays(hands, bids, after))
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
    head = (
        "hands in bidding order, ours in bold | points + bags | bids | with `bis` in our place | chance to win after, %"
    )
    mean = f"{100 * gain.mean():.2f} ± {100 * half:.2f}"
    words = f"Over {n:,} deals `winprob` gains {mean} percentage points of win probability per round over `bis`."
    return words + "\n\n" + table(head, rows)
