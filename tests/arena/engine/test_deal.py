"""Deals: whole decks, repeatable by seed and number, evenly distributed; the generator against its definition."""

from hypothesis import given
from hypothesis import strategies as st

from arena.engine.deal import below, deal, next32, seed_rng, uniform
from spades.cards import DECK, cards_of
from tests.arena.engine import states

WORD = 0xFFFFFFFF
numbers = st.integers(0, 2**31 - 1)


def hands(s):
    return tuple(s.hand[seat] for seat in range(4))


def rotl(x, k):
    return (x << k | x >> (32 - k)) & WORD


def xoshiro128pp(s):
    """Return the next number of xoshiro128++ 1.0, as Blackman and Vigna's next(), line by line."""
    result = (rotl((s[0] + s[3]) & WORD, 7) + s[0]) & WORD
    t = s[1] << 9 & WORD
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= t
    s[3] = rotl(s[3], 11)
    return result


def test_generator_on_known_numbers():
    s = states.empty()
    for i in range(4):
        s.rng[i] = i + 1
    # from state 1, 2, 3, 4: the numbers in the test of the rand_xoshiro crate, made with the authors' C code
    assert [next32(s) for _ in range(5)] == [641, 1573767, 3222811527, 3517856514, 836907274]


@given(st.lists(st.integers(1, WORD), min_size=4, max_size=4))
def test_generator_against_its_definition(words):
    s = states.empty()
    for i, word in enumerate(words):
        s.rng[i] = word
    for _ in range(20):
        assert next32(s) == xoshiro128pp(words)
    assert [s.rng[i] for i in range(4)] == words


@given(numbers, numbers, numbers, st.integers(1, 2**20))
def test_ranges(seed, index, stream, n):
    s = states.empty()
    seed_rng(s, seed, index, stream)
    assert all(0 <= s.rng[i] <= WORD for i in range(4))
    assert any(s.rng[i] for i in range(4))
    for _ in range(10):
        assert 0 <= below(s, n) < n
        assert 0.0 <= uniform(s) < 1.0


@given(numbers, numbers)
def test_a_deal_is_the_whole_deck(seed, index):
    dealt = hands(states.dealt(seed, index))
    assert [hand.bit_count() for hand in dealt] == [13] * 4
    assert dealt[0] | dealt[1] | dealt[2] | dealt[3] == DECK


def test_a_deal_of_another_deck():
    """The deck is the state's: here with jokers instead of two deuces."""
    s = states.empty()
    s.deck = DECK & ~(1 | 1 << 16) | 1 << 61 | 1 << 62
    seed_rng(s, 1, 2, 3)
    deal(s)
    dealt = hands(s)
    assert [hand.bit_count() for hand in dealt] == [13] * 4
    assert dealt[0] | dealt[1] | dealt[2] | dealt[3] == s.deck


def test_the_same_deal_whatever_was_dealt_before():
    fresh = hands(states.dealt(7, 123))
    s = states.dealt(99, 5)
    seed_rng(s, 7, 123, 0)
    deal(s)
    assert hands(s) == fresh


def test_seed_number_and_stream_all_matter():
    deals = set()
    for seed in range(5):
        for index in range(5):
            for stream in range(5):
                s = states.empty()
                seed_rng(s, seed, index, stream)
                deal(s)
                deals.add(hands(s))
    assert len(deals) == 125


def test_cards_fall_evenly():
    """2,000 deals: each card to each seat, chi-square with 156 degrees of freedom; fixed seed."""
    deals = 2000
    counts = [[0] * 64 for _ in range(4)]
    for index in range(deals):
        s = states.dealt(3, index)
        for seat in range(4):
            for card in cards_of(s.hand[seat]):
                counts[seat][card] += 1
    expected = deals / 4
    chi2 = sum((counts[seat][card] - expected) ** 2 / expected for seat in range(4) for card in cards_of(DECK))
    # Each hand has exactly 13 cards, which narrows the sum by 39/51: mean about 156 x 51/52, deviation below 18.
    assert 100 < chi2 < 215
