"""UCT in the last tricks: deals of unseen cards, the bandit, hidden information, texts, strength."""

import math
import random
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.engine.deal import Deals
from arena.engine.simulate import player_rows
from arena.engine.states import new_states
from arena.errors import AgentError
from arena.games import Lineup, play_rounds
from arena.players.choose_card import IDS, SRP3, UCT2, choose_card
from arena.players.names import format_player, parse_player, split_players
from arena.players.uct import MOST_C, MOST_CARDS, MOST_SAMPLES, N_ARM, TOTAL_ARM, packed, point_gap, search
from arena.players.unseen import WAYS, count_deals, deal_unseen, places, seed_view
from spades.cards import cards_of, parse_card
from spades.play import ALL_PIECES, SRP_3_PIECES, play_card, srp3, unseen_cards, write_rules
from spades.policies import parse_policy
from spades.rules import make_rules
from tests.arena.engine import states
from tests.parity.worlds import both
from tests.spades.play.test_play import blindfolded, redealt

RULES = make_rules("bis-paper", {"bag_limit": 5})


def cells(n):
    return memoryview(bytearray(8 * n)).cast("q")


def ending(seed, tricks=5, samples=12, c_points=200):
    """Return a state in the last tricks, reached by random legal plays, with UCT to play."""
    rng = random.Random(seed)
    s = states.midway(seed, 52 - 4 * rng.randint(1, tricks) + rng.randrange(4))
    write_rules(s, RULES)
    for seat in range(4):
        s.player[seat], s.pieces[seat] = UCT2, packed(tricks, samples, c_points)
    s.bags[0], s.bags[1] = rng.randrange(5), rng.randrange(5)
    return s


def out_of_suit(s, seat, card):
    return bool(s.void[seat] >> (card >> 4) & 1)


def every_deal(s, me):
    """Return all deals that agree with what ``me`` knows: the hands of the next three seats."""
    unseen = cards_of(unseen_cards(s, me))
    seats = [(me + step) % 4 for step in (1, 2, 3)]
    sizes = [s.hand[seat].bit_count() for seat in seats]
    deals = []
    for first in combinations(unseen, sizes[0]):
        rest = [card for card in unseen if card not in first]
        for second in combinations(rest, sizes[1]):
            hands = first, second, tuple(card for card in rest if card not in second)
            if not any(out_of_suit(s, seat, card) for seat, hand in zip(seats, hands, strict=True) for card in hand):
                deals.append(hands)
    return deals


def hands_of(x, me):
    return tuple(tuple(cards_of(x.hand[(me + step) % 4])) for step in (1, 2, 3))


# ---- deals of the unseen cards -----------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**31 - 1))
def test_deals_agree_with_what_is_known(seed):
    s = states.midway(seed)
    me = states.to_play(s)
    ways, x = cells(WAYS), states.empty()
    assert count_deals(s, me, ways) >= 1
    for number in range(5):
        seed_view(s, me, number, x)
        deal_unseen(s, me, ways, x)
        assert x.hand[me] == s.hand[me]
        hands = [x.hand[(me + step) % 4] for step in (1, 2, 3)]
        assert sum(hands) == hands[0] | hands[1] | hands[2] == unseen_cards(s, me)
        for seat in range(4):
            assert x.hand[seat].bit_count() == places(s, me, seat) == s.hand[seat].bit_count()
            if seat != me:
                assert not any(out_of_suit(s, seat, card) for card in cards_of(x.hand[seat]))


def test_counts_at_the_first_lead():
    s = states.dealt(1, 1)
    factorial = math.factorial
    assert count_deals(s, 0, cells(WAYS)) == factorial(39) // factorial(13) ** 3


@pytest.mark.parametrize("seed", range(12))
def test_counts_are_those_of_all_deals(seed):
    s = ending(seed, tricks=4)
    me = states.to_play(s)
    assert count_deals(s, me, cells(WAYS)) == len(every_deal(s, me))


def with_voids():
    """Return a state with four cards in each hand.

    The next seat is known to have no clubs, the last one no diamonds and no spades.
    """
    s = states.of_hands(["A2.A.A.", "K.KQ.K.", ".2.Q2.Q", "..JT.JT"])
    s.taken[0] = 9
    s.void[1] = 1 << (parse_card("2C") >> 4)
    s.void[3] = 1 << (parse_card("2D") >> 4) | 1 << (parse_card("2S") >> 4)
    return s


def test_every_deal_is_as_likely():
    """Chi-square over all deals: each is expected 60 times, drawn with thousands of numbers for the same view."""
    for s in (with_voids(), ending(3, tricks=2), ending(8, tricks=3)):
        me = states.to_play(s)
        expected = every_deal(s, me)
        ways, x = cells(WAYS), states.empty()
        assert count_deals(s, me, ways) == len(expected)
        found: Counter[tuple] = Counter()
        for number in range(60 * len(expected)):
            seed_view(s, me, number, x)
            deal_unseen(s, me, ways, x)
            found[hands_of(x, me)] += 1
        assert set(found) <= set(expected)
        free = len(expected) - 1
        chi2 = sum((found[hands] - 60) ** 2 / 60 for hands in expected)
        assert abs(chi2 - free) <= 4 * math.sqrt(2 * free)


# ---- the bandit ------------------------------------------------------------------------------------------------


def reward(s, me, card, number):
    """Return the difference in points if ``me`` plays ``card`` on a numbered deal and SRP completes the round."""
    x, ways, dealt = states.copy(s), cells(WAYS), states.empty()
    count_deals(s, me, ways)
    seed_view(s, me, number, dealt)
    deal_unseen(s, me, ways, dealt)
    for seat in range(4):
        x.hand[seat] = dealt.hand[seat]
        x.pieces[seat] = ALL_PIECES
    play_card(x, me, card)
    while any(x.hand[seat] for seat in range(4)):
        play_card(x, states.to_play(x), srp3(x, states.to_play(x)))
    return point_gap(s, x, me)


@pytest.mark.parametrize("c_points", [0, 20, 200])
def test_iterations_follow_ucb(c_points):
    """The iterations equal those of a literal implementation of f(x), which keeps each card's rewards in lists."""
    for seed in range(6):
        s = ending(seed, tricks=4, samples=40, c_points=c_points)
        me = states.to_play(s)
        cards = states.legal_now(s)
        arms = cells(3 * MOST_CARDS)
        for i, card in enumerate(cards):
            arms[i] = card
        search(s, me, arms, len(cards), new_states(1))
        rewards: list[list[int]] = [[] for _ in cards]
        for n in range(40):
            f = [
                sum(x) / len(x) + c_points * math.sqrt(math.log(n) / len(x)) if n >= len(cards) else i == n
                for i, x in enumerate(rewards)
            ]
            i = f.index(max(f))
            rewards[i].append(reward(s, me, cards[i], len(rewards[i])))
        for i, x in enumerate(rewards):
            assert (arms[N_ARM + i], arms[TOTAL_ARM + i]) == (len(x), sum(x))


def two_left(bids, bags, samples):
    """Return a state with hearts 5, 4, 3 on the table; the last seat holds HA and H2.

    The seat knows that its opponents' last cards are clubs. The ace wins both tricks, because H2 is then high. The
    deuce wins neither, because a club is led next.
    """
    s = states.of_hands([".5..K", ".4.2.", ".3..2", ".A2.."], bids=bids)
    for seat, taken in enumerate((3, 3, 3, 2)):
        s.taken[seat] = taken
    s.void[0] = s.void[2] = 1 << (parse_card("2D") >> 4)
    s.void[1] = 1 << (parse_card("2C") >> 4)
    for seat, card in enumerate(("5H", "4H", "3H")):
        play_card(s, seat, parse_card(card))
    write_rules(s, make_rules())
    s.bags[0], s.bags[1] = bags
    s.player[3], s.pieces[3] = UCT2, packed(5, samples, 50)
    return s


@pytest.mark.parametrize(
    ("bids", "bags", "gap_of_ace", "gap_of_deuce", "card"),
    [
        ((3, 4, 3, 3), (0, 0), 70 - 60, -70 - 62, "AH"),  # two more tricks needed
        ((3, 4, 3, 3), (9, 0), 70 - 60, -70 - (62 - 100), "AH"),  # and their two bags would bring a penalty
        ((4, 2, 4, 3), (0, 8), 52 - 100 + 80, 50 - 80, "AH"),  # two bags bring a penalty, but the opponents are set
        ((3, 2, 3, 3), (0, 8), 52 - 100 - 60, 50 - 62, "2H"),  # two bags bring a penalty and no gain
        ((3, 5, 3, 0), (0, 0), -50 - 100 + 4 - 60, -50 - 100 + 2 - 62, "AH"),  # the nil has already failed
    ],
)
def test_two_tricks_left_by_hand(bids, bags, gap_of_ace, gap_of_deuce, card):
    s = two_left(bids, bags, 20)
    arms = cells(3 * MOST_CARDS)
    arms[0], arms[1] = parse_card("AH"), parse_card("2H")
    search(s, 3, arms, 2, new_states(1))
    assert arms[N_ARM] + arms[N_ARM + 1] == 20
    assert arms[TOTAL_ARM] == gap_of_ace * arms[N_ARM]
    assert arms[TOTAL_ARM + 1] == gap_of_deuce * arms[N_ARM + 1]
    assert choose_card(s, 3) == parse_card(card)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31 - 1))
def test_legal_honest_and_repeatable(seed):
    """The card is legal and depends only on what the seat may see, and the state stays as it was.

    Hidden cards and random numbers do not change the card.
    """
    s = ending(seed)
    me = states.to_play(s)
    before = states.copy(s)
    card = choose_card(blindfolded(s, me), me)
    assert card in states.legal_now(s)
    assert s == before
    other = redealt(s, me, random.Random(seed))
    other.rng[0] ^= 12345
    for step in (1, 2, 3):
        other.player[(me + step) % 4], other.pieces[(me + step) % 4] = 0, 0
    assert choose_card(other, me) == card


@pytest.mark.parity
def test_same_card_compiled(neutral):
    for seed in range(30):
        s = ending(seed, samples=60)
        plain, fast = both("arena.players.uct.uct", (s, states.to_play(s)), neutral)
        assert plain == fast


def test_srp_until_the_last_tricks():
    """UCT plays SRP's cards while more than n cards are held, and with one sample, which tries SRP's card."""
    for seed in range(40):
        s = states.midway(seed, 4 * (seed % 8) + seed % 4)
        me = states.to_play(s)
        s.player[me], s.pieces[me] = SRP3, ALL_PIECES
        expected = choose_card(s, me)
        for tricks, samples in ((5, 100), (13, 1)):
            s.player[me], s.pieces[me] = UCT2, packed(tricks, samples, 50)
            assert choose_card(s, me) == expected


def test_uct_is_built_on_the_srp_of_the_tables():
    assert (parse_player("uct:5").number, IDS["srp"]) == (UCT2, SRP3)


# ---- matches ------------------------------------------------------------------------------------------------------


def points_of(worlds, a, b, deals, seed=5):
    """Return (deals, 2): points of a minus those of b; BIS bids.

    Each deal is played twice, with the sides swapped.
    """
    lineup = Lineup([parse_policy("bis")] * 4, player_rows(a, b))
    points, _ = play_rounds(Deals(seed, 0, deals), make_rules(), lineup, worlds.array_settings)
    return points


@pytest.mark.compiled
def test_beats_srp(neutral):
    gain = points_of(neutral, "uct:5,samples=100", "srp", 1500).mean(axis=1)
    error = gain.std() / math.sqrt(len(gain))
    assert gain.mean() > 3 * error


@pytest.mark.compiled
def test_symmetric_and_repeatable(neutral):
    """Against itself every deal is a tie, and a deal's result does not depend on the deals before it."""
    points = points_of(neutral, "uct:5,samples=30", "uct:5,samples=30", 40)
    assert np.array_equal(points[:, 0], -points[:, 1])
    mixed = points_of(neutral, "uct:5,samples=30", "wrp", 40)
    assert np.array_equal(mixed, points_of(neutral, "uct:5,samples=30", "wrp", 40))
    assert np.array_equal(mixed[:20], points_of(neutral, "uct:5,samples=30", "wrp", 20))


# ---- texts ------------------------------------------------------------------------------------------------------


@given(st.integers(1, 13), st.integers(1, MOST_SAMPLES), st.integers(0, MOST_C))
def test_texts_and_players_are_inverses(tricks, samples, c_points):
    text = f"uct@2(tricks={tricks}, samples={samples}, c={c_points})"
    assert parse_player(text) == (UCT2, packed(tricks, samples, c_points))
    assert format_player(parse_player(text)) == text


def test_texts():
    assert [format_player(parse_player(text)) for text in ("wrp", "srp", "srp@1")] == ["wrp", "srp@3", "srp@1"]
    assert format_player(parse_player("uct:5")) == format_player(parse_player("uct@2:5"))
    assert parse_player("uct:5").pieces & SRP_3_PIECES == SRP_3_PIECES
    assert split_players("wrp") == ["wrp"]
    assert split_players("srp,uct(tricks=5, c=3)") == ["srp", "uct(tricks=5, c=3)"]
    assert split_players("srp,uct:5") == ["srp", "uct:5"]
    assert split_players("uct:3,c=5,samples=10,uct:5,c=7") == ["uct:3,c=5,samples=10", "uct:5,c=7"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "mcts",
            "player is 'mcts'; accepted: wrp, srp@1, srp@3, srp@4, srp, solo@1, solo@2, solo, or uct(tricks=N)",
        ),
        ("srp:5", "player is 'srp:5'; accepted: wrp"),
        ("uct", "tricks is missing; accepted: tricks=1 to 13"),
        ("uct:0", "tricks is '0'; accepted: 1 to 13"),
        ("uct:14", "tricks is '14'; accepted: 1 to 13"),
        ("uct:five", "tricks is 'five'"),
        ("uct:5,samples=0", "samples is '0'; accepted: 1 to"),
        ("uct:5,samples=-3", "samples is '-3'"),
        ("uct:5,samples=2,samples=2", "option is 'samples=2'; accepted: KEY=VALUE, each key at most once"),
        ("uct:5,seconds=3", "option is 'seconds=3'"),
        ("uct:5,c=1048576", "c is '1048576'"),
    ],
)
def test_what_is_no_player(text, says):
    with pytest.raises(AgentError) as raised:
        parse_player(text)
    assert says in str(raised.value)
