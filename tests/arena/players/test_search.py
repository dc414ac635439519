"""The card player that searches: its random deals, the cards it tries, and the card it plays."""

import numpy as np
import pytest

from arena.agents import parse_agent
from arena.called.searching import EQUAL, SearchPlayer
from arena.engine.deal import deal_round, seed_rng
from arena.engine.jit import entry
from arena.engine.results import win_probability_after_round
from arena.engine.simulate import kernel_tables, player_rows, tables_for
from arena.engine.states import FIELDS, STATE, new_states, scratch
from arena.engine.winprob import slice_of
from arena.errors import AgentError
from arena.players.last_tricks import ENDS, PLIES, PLY_CELLS, WINDOW_CELLS, bound_ends, exact_worth
from arena.players.search import (
    CARD,
    CELLS,
    DEALS,
    GAIN,
    MOST_CARDS,
    PLAYABLE,
    SQUARES,
    WORTH,
    Value,
    compare_cards,
    plan_of,
    review_plan,
    try_cards,
    worth_of,
)
from arena.players.unseen import MOST_UNSEEN, PLACE_COUNTS, draw_deal, places, seed_view, sum_deals
from spades.cards import cards_of, format_card, parse_card
from spades.inference import deals_of
from spades.play import copy_state, legal_cards, play_card, srp3, unseen_cards
from spades.policies import parse_policy
from spades.rules import make_rules
from spades.winprob import win_array
from tests.arena.engine import states
from tests.conftest import committed_tables

RULES = make_rules("classic", {"win": 200, "lose": -100})


def a_round(number, cards):
    """A round in which SRP has played ``cards`` cards, with bids of three."""
    state = states.under(RULES)
    deal_round(state, 5, number, 0)
    state.player[:], state.pieces[:] = player_rows("srp", "srp").T.tolist()
    for seat in range(4):
        state.bid[seat] = 3
    for _ in range(cards):
        seat = (state.leader + state.trick_size) & 3
        play_card(state, seat, srp3(state, seat))
    return state, (state.leader + state.trick_size) & 3


def random_weights(seed=0):
    return np.random.default_rng(seed).uniform(0.1, 1.0, (64, 3))


@pytest.mark.parametrize("cards", [0, 13, 30, 46])
def test_random_deals_have_the_probabilities_of_inference(cards):
    state, me = a_round(1, cards)
    weights, sums = random_weights(), np.zeros((MOST_UNSEEN + 1, PLACE_COUNTS, PLACE_COUNTS))
    assert sum_deals(state, me, weights, sums) > 0
    unseen = list(cards_of(unseen_cards(state, me)))
    seats = [(me + step) & 3 for step in (1, 2, 3)]
    allowed = [[not state.void[seat] >> (card >> 4) & 1 for seat in seats] for card in unseen]
    exact = deals_of(weights[unseen] * allowed, tuple(places(state, me, seat) for seat in seats))
    assert exact is not None
    (sim,) = new_states(1)
    seed_rng(sim, 1, 2, 3)
    n, found = 2000, np.zeros((len(unseen), 3))
    for _ in range(n):
        draw_deal(state, me, weights, sums, sim)
        assert sim.hand[me] == state.hand[me]
        assert [sim.hand[seat].bit_count() for seat in seats] == [places(state, me, seat) for seat in seats]
        found += [[sim.hand[seat] >> card & 1 for seat in seats] for card in unseen]
    error = np.sqrt(exact.probabilities * (1 - exact.probabilities) / n)
    assert np.abs(found / n - exact.probabilities).max() < 5 * error.max()
    assert (found[exact.probabilities == 0] == 0).all()


def test_a_void_leaves_no_deal():
    state, me = a_round(1, 0)
    for seat in range(4):
        state.void[seat] = 0 if seat == me else 1
    assert sum_deals(state, me, random_weights(), np.zeros((MOST_UNSEEN + 1, PLACE_COUNTS, PLACE_COUNTS))) == 0.0


def value_of():
    profiles = kernel_tables(committed_tables().arrays)
    tables = tables_for(profiles, RULES, [parse_policy("winprob")])
    win_slice = slice_of(RULES, tables)
    return Value(RULES, win_slice, win_array(win_slice, tables))


def _search(state, sims, me, weights, plan, value):
    return try_cards(state, sims[0], me, weights, plan, value, np.zeros((MOST_CARDS, CELLS)))


def records_of(state):
    """A state as compiled code takes it, and one more."""
    records = np.zeros(2, STATE)
    for name in FIELDS:
        records[0][name] = getattr(state, name)
    return records


# The cards of search@1 with 24 deals in rounds 0 to 15 of `a_round`, which a version never changes.
FROZEN = "2C 6D 3C QH 3C JC QD 6S TH 7D 5C 5H 7S 6S 9C QH"


@pytest.mark.compiled
@pytest.mark.parametrize("version", [1, 3])
def test_plain_python_and_compiled_code_play_the_same_cards(version):
    compiled, value, plan = entry(_search), value_of(), plan_of(version, 16)
    others = 0
    for number in range(8):
        state, me = a_round(number, 21 + 4 * (number % 6))
        records = records_of(state)
        card = _search(state, new_states(1), me, random_weights(number), plan, value)
        assert card == compiled(records[0], records[1:], me, random_weights(number), plan, value)
        legal = legal_cards(state.hand[me], state.trick_size, state.trick[0], state.broken)
        assert legal >> card & 1
        others += card != srp3(state, me)
    assert others, "in some round it plays another card than SRP"


@pytest.mark.compiled
def test_search_1_never_changes():
    compiled, value = entry(_search), value_of()
    cards = []
    for number in range(16):
        state, me = a_round(number, 3 * number + 1)
        records = records_of(state)
        cards.append(compiled(records[0], records[1:], me, random_weights(number), plan_of(1, 24), value))
    assert " ".join(map(format_card, cards)) == FROZEN


@pytest.mark.compiled
@pytest.mark.parametrize("cards", [0, 22, 41])
def test_search_3_plays_the_same_card_again(cards):
    compiled, value = entry(_search), value_of()
    state, me = a_round(2, cards)
    found = set()
    for _ in range(3):
        records = records_of(state)
        found.add(int(compiled(records[0], records[1:], me, random_weights(), plan_of(3, 64), value)))
    assert len(found) == 1


@pytest.mark.parametrize("version", [1, 3])
def test_what_is_hidden_does_not_matter(version):
    """The seat's card stays the same when the others exchange cards that it does not see."""
    state, me = a_round(3, 24)
    value, plan = value_of(), plan_of(version, 8)
    card = _search(state, new_states(1), me, random_weights(), plan, value)
    (other,) = new_states(1)
    copy_state(state, other)
    one, two = (me + 1) & 3, (me + 2) & 3
    other.hand[one], other.hand[two] = other.hand[two], other.hand[one]
    assert _search(other, new_states(1), me, random_weights(), plan, value) == card


def exact(state, me, value):
    """The worth of each legal card of ``me`` with perfect play."""
    bounds, plies, windows = np.zeros((ENDS, 2)), scratch(PLIES * PLY_CELLS), np.zeros((PLIES, WINDOW_CELLS))
    bound_ends(state, me, value, bounds)
    legal = legal_cards(state.hand[me], state.trick_size, state.trick[0], state.broken)
    return {card: exact_worth(state, me, card, bounds, plies, windows) for card in cards_of(legal)}


def naive_worth(state, me, value):
    """The same for the side of ``me``, by trying all plays."""
    if not any(state.hand):
        return win_probability_after_round(state, me, value.rules, value.win_slice, value.win)
    seat = states.to_play(state)
    found = []
    for card in cards_of(legal_cards(state.hand[seat], state.trick_size, state.trick[0], state.broken)):
        (after,) = new_states(1)
        copy_state(state, after)
        play_card(after, seat, card)
        found.append(naive_worth(after, me, value))
    return (min if (seat ^ me) & 1 else max)(found)


@pytest.mark.parametrize("number", range(12))
def test_the_last_tricks_are_exact(number):
    value = value_of()
    state, me = a_round(number, 39 + number % 7)
    state.bid = [(3, 3, 3, 3), (0, 4, 3, 4), (2, 3, 4, 0), (4, 4, 3, 2)][number % 4]
    if number % 4 in (1, 2):
        state.taken[number % 4 * 3 - 3] = 0  # its nil is live
    state.score[:] = [(0, 0), (120, 150), (170, 60)][number % 3]
    hands = list(state.hand)
    for card, worth in exact(state, me, value).items():
        (after,) = new_states(1)
        copy_state(state, after)
        play_card(after, me, card)
        assert worth == naive_worth(after, me, value)
    assert state.hand == hands


def naive_values(state, me, weights, plan, value):
    """The mean worth of each legal card on the deals of a review, and each card's worth by deal."""
    sums = np.zeros((MOST_UNSEEN + 1, PLACE_COUNTS, PLACE_COUNTS))
    sum_deals(state, me, weights, sums)
    legal = cards_of(legal_cards(state.hand[me], state.trick_size, state.trick[0], state.broken))
    found: dict[int, list[float]] = {card: [] for card in legal}
    for number in range(plan.most_deals):
        (deal,) = new_states(1)
        seed_view(state, me, number, deal)
        draw_deal(state, me, weights, sums, deal)
        hands = list(deal.hand)
        for card in legal:
            found[card].append(worth_of(state, new_states(1)[0], me, card, hands, plan.srp, value))
    return found


@pytest.mark.parametrize("cards", [3, 20, 29])
def test_a_review_tries_every_card_on_the_same_deals(cards):
    state, me = a_round(6, cards)
    value, plan, weights = value_of(), review_plan(20), random_weights()
    values = naive_values(state, me, weights, plan, value)
    played = min(values, key=lambda card: np.mean(values[card]))
    tried = np.zeros((MOST_CARDS, CELLS))
    compare_cards(state, new_states(1)[0], me, played, weights, plan, value, tried)
    rows = tried[tried[:, PLAYABLE] > 0]
    assert rows[0, CARD] == played
    assert (rows[:, DEALS] == 20).all(), "also if a card is clearly worse"
    for row in rows:
        worths, of_played = np.array(values[int(row[CARD])]), np.array(values[played])
        assert row[WORTH] == pytest.approx(worths.sum())
        assert row[GAIN] == pytest.approx((worths - of_played).sum())
        assert row[SQUARES] == pytest.approx(((worths - of_played) ** 2).sum())


def test_a_review_values_the_only_card_too():
    value, plan = value_of(), review_plan(4)
    for cards in (46, 51):  # in the last trick, all is decided for the last player
        state, me = a_round(1, cards)
        state.score[:] = 150, 120
        (card,) = cards_of(legal_cards(state.hand[me], state.trick_size, state.trick[0], state.broken))[:1]
        tried = np.zeros((MOST_CARDS, CELLS))
        compare_cards(state, new_states(1)[0], me, card, EQUAL.copy(), plan, value, tried)
        assert tried[0, DEALS] == 4
        assert 0 <= tried[0, WORTH] <= 4
        if cards == 51:
            assert tried[0, WORTH] == pytest.approx(4 * exact(state, me, value)[card])


def test_a_review_without_a_deal_that_fits_tries_nothing():
    state, me = a_round(1, 0)
    for seat in range(4):
        state.void[seat] = 0 if seat == me else 1
    tried = np.zeros((MOST_CARDS, CELLS))
    card = srp3(state, me)
    assert compare_cards(state, new_states(1)[0], me, card, EQUAL.copy(), review_plan(4), value_of(), tried) == card
    assert (tried[:, DEALS] == 0).all()


@pytest.mark.compiled
def test_perfect_play_of_the_last_tricks_decides():
    """With two tricks to play, seat 0 leads from king and ten of spades; only the five and the jack are out."""
    compiled, value, plan = entry(_search), value_of(), plan_of(3, 64)
    state, me = a_round(34, 44)
    assert (me, state.hand[me]) == (0, 1 << parse_card("KS") | 1 << parse_card("TS"))
    found = []
    for exact_plays in (plan.exact_plays, 0):
        records, equal = records_of(state), np.full((64, 3), 1 / 3)
        found.append(compiled(records[0], records[1:], me, equal, plan._replace(exact_plays=exact_plays), value))
    assert [format_card(card) for card in found] == ["KS", "TS"]


def test_names():
    assert parse_agent("search").called == parse_agent("search@3").called == SearchPlayer()
    assert parse_agent("search@1:tricks=5,bids=none,deals=64").called == SearchPlayer(64, 5, "none", version=1)
    for version in (1, 3):
        player = SearchPlayer(7, 3, "best", version)
        assert parse_agent(str(player)).called == player


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("search:", "option is ''"),
        ("search:deals", "deals is ''; accepted: 1 to 1000000"),
        ("search:deals=0", "deals is '0'; accepted: 1 to 1000000"),
        ("search:tricks=14", "tricks is '14'; accepted: 1 to 13"),
        ("search:bids=rb", "bids is 'rb'; accepted: bis, best, none"),
        ("search:deals=5,deals=6", "each key at most once"),
        ("search:time=5", "option is 'time=5'"),
        ("search:solved=3", "option is 'solved=3'"),
    ],
)
def test_texts_that_name_no_player(text, found):
    with pytest.raises(AgentError, match=found):
        parse_agent(text)
