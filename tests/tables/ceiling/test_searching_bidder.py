"""The search at decisions that are made by hand, in plain Python: deals that fit, the best bid, and honest judging."""

import random

import numpy as np
import pytest

from spades.cards import DECK
from spades.play import write_rules
from spades.policies import parse_policy
from spades.rules import make_rules
from spades.winprob import win_array, win_probability_after
from tables.ceiling import searching_bidder as kernels
from tables.ceiling.searching_bidder import Plan, Search, chosen_bid, mean_gain, random_decision, weigh
from tables.engine.choose_bid import standing_at
from tables.engine.game import ROUNDS, SUMS, Game, Lineup, bid_seat
from tables.engine.simulate import numba_typed, player_rows, policies_by_chair
from tables.engine.winprob import BIDS, slice_of
from tests.conftest import view
from tests.tables.engine import states

RULES = make_rules("classic", {"win": 200, "lose": -100})
ALL_SPADES = ("AKQJT98765432...", ".AKQJT98765432..", "..AKQJT98765432.", "...AKQJT98765432")


def searching(tables, *policies, deals=16, tries=400, fewest=2):
    """Return a search; the first policy is partner's, the last the opponents'."""
    bidders = tuple(numba_typed(parse_policy(text)) for text in policies)
    return Search(bidders, RULES, tables, deals, tries, fewest)


def known(search, judges=False):
    """Return the plan of a phase that knows all policies."""
    return Plan(view(np.array([len(search.policies) - 1])), 1.0, 0.0, judges)


def at_the_table(state):
    write_rules(state, RULES)
    return state


def gains(*rows):
    """Return sums of three bids, 3, 4 and 5, from rows of single gains."""
    sums = np.zeros((BIDS, 3))
    for bid, row in enumerate(rows, 3):
        sums[bid] = len(row), sum(row), sum(gain * gain for gain in row)
    return sums


def test_the_bid_with_the_best_surely_positive_gain_is_chosen():
    flat, unsure, sure = [0.0] * 4, [1.0, -0.9, 0.9, -0.8], [0.1, 0.1, 0.1, 0.2]
    sums = gains(flat, unsure, sure)
    assert mean_gain(4, sums) == pytest.approx(0.05)
    assert mean_gain(7, sums) == 0.0
    assert chosen_bid(3, 0b111000, 4, sums) == 5
    assert chosen_bid(3, 0b011000, 4, sums) == 3  # 4 gains 0.05, with a standard error of 0.43
    assert chosen_bid(3, 0b111000, 5, sums) == 3  # four deals are too few


def test_certain_tricks_are_bid(fitted):
    """Thirteen spades win thirteen tricks however the others play: the gain of each bid follows from the scores."""
    s = at_the_table(states.of_hands(ALL_SPADES, bids=(-1, -1, -1, -1)))
    search = searching(fitted.plain_settings, "fixed:bid=1", "fixed:bid=1", deals=4, fewest=4)
    sums = np.zeros((BIDS, 3))
    assert weigh(s, states.empty(), 0, 12, 1 << 1 | 1 << 11, known(search), search, sums)
    after = {}
    for bid, points, bags in ((12, 130, 0), (1, 20, 11), (11, 120, 1)):  # partner's bid is 1
        standing = standing_at(s, 0)._replace(us=points + bags - (100 if bags > 9 else 0), us_bags=bags % 10, them=-20)
        win_slice = slice_of(RULES, search.profiles[0])
        win = win_array(win_slice, search.profiles[0])
        after[bid] = win_probability_after(standing, 0, win_slice, RULES, win)
    for bid in (1, 11):
        assert mean_gain(bid, sums) == pytest.approx(after[bid] - after[12])
        assert sums[bid, 2] == pytest.approx(4 * (after[bid] - after[12]) ** 2)
    best = max(after, key=after.__getitem__)
    assert chosen_bid(12, 1 << 1 | 1 << 11, 4, sums) == best


def test_a_bid_that_reaches_the_goal_is_found(neutral):
    """At 70 of 200 points, a contract of 12 and partner's 1 wins the game. Other bids leave the table's half."""
    s = at_the_table(states.of_hands(ALL_SPADES, bids=(-1, -1, -1, -1)))
    s.score[0] = 70
    search = searching(neutral.plain_settings, "fixed:bid=1", "fixed:bid=3", deals=2)
    sums, judged = np.zeros((BIDS, 3)), np.zeros((BIDS, 3))
    bids = 1 << 1 | 1 << 12
    assert weigh(s, states.empty(), 0, 5, bids, known(search), search, sums)
    assert chosen_bid(5, bids, 2, sums) == 12
    weigh(s, states.empty(), 0, 5, 1 << 12, known(search, True), search, judged)
    assert judged[12, 0] == 2
    assert mean_gain(12, judged) == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize("mixed", [False, True])
def test_deals_fit_the_bids(neutral, mixed, monkeypatch):
    """On every deal that is played, the drawn policies bid as they did, and the bidder's hand is the same."""
    search = searching(neutral.plain_settings, "ms", "io", "ms", "fixed:bid=3", "io", deals=10, tries=4000)
    plan = Plan(view(np.array([1, 2, 3])), 0.8, 0.0, False) if mixed else known(search)
    s = at_the_table(states.dealt(5, 3, (-1, -1, -1, -1)))
    for seat, policy in enumerate(("io", "ms", "io")):
        s.bid[seat] = bid_seat(s, seat, RULES, parse_policy(policy), neutral.plain_settings)
    mine, made = s.hand[3], list(s.bid[:3])
    drawn = []

    def record(state, _sim, me, _made, _bids, who, _search, _sums):
        drawn.append((list(state.hand), list(who)))
        for seat in range(me):
            policy = search.policies[who[seat]]
            assert bid_seat(state, seat, RULES, policy, search.profiles) == made[seat]

    monkeypatch.setattr(kernels, "add_gains", record)
    assert weigh(s, states.empty(), 3, 3, 1 << 4, plan, search, np.zeros((BIDS, 3)))
    hands = [hands for hands, _ in drawn]
    assert all(dealt[3] == mine and sum(dealt) == DECK for dealt in hands)
    assert all([hand.bit_count() for hand in dealt] == [13] * 4 for dealt in hands)
    assert len(hands) == len({tuple(dealt) for dealt in hands}) == 10
    assert all(who[0] == who[2] for _, who in drawn)  # the opponents share a policy
    if mixed:
        assert {who[0] for _, who in drawn} <= {1, 2}  # the third policy of the mixture never bids like that
        assert {who[1] for _, who in drawn} <= {0, 1, 2, 3}
    else:
        assert {tuple(who[:3]) for _, who in drawn} == {(4, 0, 4)}


def test_too_few_deals_keep_the_bid(neutral):
    """No hand makes `fixed:bid=3` bid 4, so no deal fits."""
    search = searching(neutral.plain_settings, "rb", "fixed:bid=3", tries=30)
    s = at_the_table(states.dealt(5, 3, (4, -1, -1, -1)))
    sums = np.zeros((BIDS, 3))
    assert not weigh(s, states.empty(), 1, 3, 1 << 4, known(search), search, sums)
    assert not sums.any()
    assert chosen_bid(3, 1 << 4, search.fewest, sums) == 3
    assert not weigh(s, states.empty(), 1, 3, 1 << 4, known(search, True), search, sums)
    assert sums[4, 0] == 1.0  # only the true deal judges


def test_noise_explains_a_bid_that_no_policy_makes(neutral):
    search = searching(neutral.plain_settings, "rb", "fixed:bid=3", "rb", deals=3)
    s = at_the_table(states.dealt(5, 3, (4, -1, -1, -1)))
    assert weigh(
        s, states.empty(), 1, 3, 1 << 4, Plan(view(np.array([1])), 1.0, 0.5, False), search, np.zeros((BIDS, 3))
    )


def test_bids_that_are_surely_worse_are_left_out(neutral, monkeypatch):
    worth = {3: 0.5, 4: 0.4, 5: 0.5}
    monkeypatch.setattr(kernels, "play_out", lambda _: None)
    monkeypatch.setattr(kernels, "win_probability_after_round", lambda state, me, *_: worth[state.bid[me]])
    search = searching(neutral.plain_settings, "rb", "rb", deals=3 * kernels.LOOK)
    s = at_the_table(states.dealt(5, 3, (-1, -1, -1, -1)))
    sums = np.zeros((BIDS, 3))
    weigh(s, states.empty(), 0, 3, 1 << 4 | 1 << 5, known(search), search, sums)
    assert sums[:, 0].tolist() == [0, 0, 0, 0, kernels.LOOK, 3 * kernels.LOOK, *[0] * 8]
    sums = np.zeros((BIDS, 3))
    weigh(s, states.empty(), 0, 3, 1 << 4, known(search, True), search, sums)
    assert sums[4, 0] == 3 * kernels.LOOK  # judging never stops early


def test_equal_bids_gain_nothing(neutral, monkeypatch):
    """All bids are equally good, with luck that differs by deal and bid.

    The deals that choose a bid make it look good; the deals that judge it do not.
    """
    lots = random.Random(3)
    monkeypatch.setattr(kernels, "win_probability_after_round", lambda *_: lots.random())
    for name in ("count_deals", "deal_unseen", "play_out"):  # the cards do not matter here
        monkeypatch.setattr(kernels, name, lambda *_: None)
    search = searching(neutral.plain_settings, "rb", "rb", deals=12, fewest=12)
    looked, judged = [], []
    for number in range(120):
        s = at_the_table(states.dealt(8, number, (-1, -1, -1, -1)))
        sums, after = np.zeros((BIDS, 3)), np.zeros((BIDS, 3))
        weigh(s, states.empty(), 0, 4, 0b11101111, known(search), search, sums)
        bid = chosen_bid(4, 0b11101111, 12, sums)
        if bid != 4:
            weigh(s, states.empty(), 0, 4, 1 << bid, known(search, True), search, after)
        looked.append(mean_gain(bid, sums))
        judged.append(mean_gain(bid, after))
    error = np.std(judged) / len(judged) ** 0.5
    assert abs(np.mean(judged)) < 3 * error < 0.05
    assert np.mean(looked) > 5 * error


def test_a_random_decision_is_one_of_side_a(neutral):
    """Seat, score and bids are those of a round of the game, and later decisions are drawn as often as the first."""
    policies = policies_by_chair(parse_policy("rb"), parse_policy("fixed:bid=2"))
    lineup = Lineup(policies, view(player_rows("wrp", "wrp")))
    drawn = []
    for number in range(12):
        table = [at_the_table(states.empty()) for _ in range(3)]
        sums = view(np.zeros(SUMS))
        me, decisions = random_decision(table, Game(4, number, 0), lineup, RULES, neutral.plain_settings, sums)
        kept = table[1]
        assert decisions == 2 * sums[ROUNDS]
        assert [kept.bid[seat] for seat in range(me, 4)] == [-1] * (4 - me)
        assert all(kept.bid[seat] == 2 for seat in range((me + 1) & 1, me, 2))  # the opponents
        again = [at_the_table(states.empty()) for _ in range(3)]
        again_sums = view(np.zeros(SUMS))
        found = random_decision(again, Game(4, number, 0), lineup, RULES, neutral.plain_settings, again_sums)
        assert (found, again[1]) == ((me, decisions), kept)
        drawn.append((me, kept.score != [0, 0]))
    assert {me for me, _ in drawn} == {0, 1, 2, 3}
    assert {later for _, later in drawn} == {False, True}
