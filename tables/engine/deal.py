"""Deals from a seed and a deal's number, as kernels: the same deal whatever thread or machine plays it.

The generator is xoshiro128++ (Blackman and Vigna, 2021) on four 32-bit words, seeded through splitmix-style
mixing; all arithmetic stays within int64 after masking, so both worlds agree.
"""

from typing import Any

from service.bidding.game.cards import DECK, JOKER_DECK
from service.bidding.game.rules import JOKERS, Rules
from tables.engine.play import DECK_CELL, HAND, MASK32, RNG


def _mix(x: int) -> int:
    # The 32-bit finaliser "lowbias32" (Wellons, 2018).
    x = (x ^ (x >> 16)) * 0x7FEB352D & MASK32
    x = (x ^ (x >> 15)) * 0x846CA68B & MASK32
    return x ^ (x >> 16)


def seed_rng(state: Any, seed: int, index: int, stream: int) -> None:
    """Set the state's generator from a seed, a deal's number and a stream's; each 0..2^31."""
    a = _mix(seed & MASK32)
    b = _mix((index & MASK32) ^ a)
    c = _mix((index >> 31 & MASK32) ^ b ^ 0x9E3779B9)
    d = _mix((stream & MASK32) ^ c ^ 0x85EBCA6B)
    state[RNG] = a ^ d
    state[RNG + 1] = b
    state[RNG + 2] = c
    state[RNG + 3] = d | 1  # never all zero


def next32(state: Any) -> int:
    """The next 32 random bits."""
    s0 = state[RNG]
    s1 = state[RNG + 1]
    s2 = state[RNG + 2]
    s3 = state[RNG + 3]
    x = s0 + s3 & MASK32
    result = ((x << 7 | x >> 25) & MASK32) + s0 & MASK32
    t = s1 << 9 & MASK32
    s2 ^= s0
    s3 ^= s1
    state[RNG + 1] = s1 ^ s2
    state[RNG] = s0 ^ s3
    state[RNG + 2] = s2 ^ t
    state[RNG + 3] = (s3 << 11 | s3 >> 21) & MASK32
    return int(result)


def below(state: Any, n: int) -> int:
    """A random int 0..n-1 (n < 2^20: the bias is under n / 2^32)."""
    return next32(state) * n >> 32


def uniform(state: Any) -> float:
    """A random float in [0, 1)."""
    return next32(state) / 4294967296.0


def deck_of(rules: Rules) -> int:
    """The cards in play: 52, with jokers two of them in the place of the deuces of hearts and clubs."""
    return JOKER_DECK if rules.variant == JOKERS else DECK


def deal(state: Any, cards: Any) -> None:
    """Deal the state's deck to its four hands; ``cards`` is scratch of 52 int64."""
    deck = state[DECK_CELL]
    n = 0
    while deck:
        cards[n] = (deck & -deck).bit_length() - 1
        deck &= deck - 1
        n += 1
    for seat in range(3):
        hand = 0
        for _ in range(13):
            i = below(state, n)
            n -= 1
            hand |= 1 << cards[i]
            cards[i] = cards[n]
        state[HAND + seat] = hand
    hand = 0
    for i in range(13):
        hand |= 1 << cards[i]
    state[HAND + 3] = hand
