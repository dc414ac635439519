"""Deals from a seed and a deal's number, as kernels: every thread and every machine gets the same deal.

The generator is xoshiro128++ (Blackman and Vigna, 2021) on four 32-bit words. A hash function makes the four words from
the seed, the index and the stream number. Every result is masked to 32 bits. So plain Python and compiled code agree,
even where a product overflows int64 in compiled code.
"""

from typing import Any, NamedTuple

from arena.engine.jit import entry, register
from arena.engine.states import scratch
from spades.cards import SPADE_BITS
from spades.legal import NO_BID
from spades.play import MASK32, PlayState, start_play
from spades.rules import CUTTHROAT, Rules

NO_ANSWER = -1
NOISE_STREAM = 1 << 20  # first stream of the noise's random numbers; deals use the round's number as their stream


def _mix(x: int) -> int:
    # The 32-bit hash function "lowbias32" (Wellons, 2018).
    x = (x ^ (x >> 16)) * 0x7FEB352D & MASK32
    x = (x ^ (x >> 15)) * 0x846CA68B & MASK32
    return x ^ (x >> 16)


def seed_rng(state: PlayState, seed: int, index: int, stream: int) -> None:
    """Seed the state's random generator.

    ``index``: for example the number of the deal; ``stream``: number of a separate sequence of random numbers for the
    same index. Only the low 32 bits of ``seed`` and ``stream`` and the low 63 bits of ``index`` are used.
    """
    a = _mix(seed & MASK32)
    b = _mix((index & MASK32) ^ a)
    c = _mix((index >> 31 & MASK32) ^ b ^ 0x9E3779B9)
    d = _mix((stream & MASK32) ^ c ^ 0x85EBCA6B)
    state.rng[0] = a ^ d
    state.rng[1] = b
    state.rng[2] = c
    state.rng[3] = d | 1  # the four words must not all be 0


def next32(state: PlayState) -> int:
    """Return the next 32 random bits."""
    s0 = state.rng[0]
    s1 = state.rng[1]
    s2 = state.rng[2]
    s3 = state.rng[3]
    x = s0 + s3 & MASK32
    result = ((x << 7 | x >> 25) & MASK32) + s0 & MASK32
    t = s1 << 9 & MASK32
    s2 ^= s0
    s3 ^= s1
    state.rng[1] = s1 ^ s2
    state.rng[0] = s0 ^ s3
    state.rng[2] = s2 ^ t
    state.rng[3] = (s3 << 11 | s3 >> 21) & MASK32
    return int(result)


def below(state: PlayState, n: int) -> int:
    """Return a random int 0..n - 1, for n up to 2^31.

    The probability of each number differs from 1/n by less than 2^-32.
    """
    return next32(state) * n >> 32


def uniform(state: PlayState) -> float:
    """Return a random float in [0, 1)."""
    return next32(state) / 4294967296.0


def deal(state: PlayState) -> None:
    """Deal the state's deck to its four hands."""
    cards = scratch(52)
    deck = state.deck
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
        state.hand[seat] = hand
    hand = 0
    for i in range(13):
        hand |= 1 << cards[i]
    state.hand[3] = hand


def random_bit(state: PlayState, bits: int) -> int:
    """Return one of the bits that are set in ``bits``, at random. ``bits`` must not be 0."""
    for _ in range(below(state, bits.bit_count())):
        bits &= bits - 1
    return bits & -bits


def give_spades(state: PlayState, seat: int, number: int) -> None:
    """Exchange ``number`` random side-suit cards of ``seat`` for random spades of the other hands.

    Exchange fewer if the seat has no more side-suit cards, or the others no more spades.
    """
    for _ in range(number):
        spades = state.deck & SPADE_BITS & ~state.hand[seat]
        side = state.hand[seat] & ~SPADE_BITS
        if spades == 0 or side == 0:
            return
        spade, card = random_bit(state, spades), random_bit(state, side)
        for other in range(4):
            if state.hand[other] & spade:
                state.hand[other] ^= spade | card
        state.hand[seat] ^= spade | card


def start_round(state: PlayState) -> None:
    """Clear the bids, the tricks, and what the cards played have shown about voids and signals.

    Write who leads first (`start_play`). Do not change hands, players, scores, bags or the random generator.
    """
    for seat in range(4):
        state.bid[seat] = NO_BID
        state.taken[seat] = 0
        state.void[seat] = 0
        state.followed[seat] = 0
        state.signalled[seat] = 0
    state.played = 0
    state.trick_size = 0
    state.choices = 0
    start_play(state)


class Deals(NamedTuple):
    """A seed, and a range of numbers of deals (in a match: of duplicate pairs), ``first`` to ``last - 1``."""

    seed: int
    first: int
    last: int


def deal_round(state: PlayState, seed: int, number: int, stream: int) -> None:
    """Deal the round that follows from ``seed``, ``number`` and ``stream``, and start it.

    In a game, ``number`` is the number of the duplicate pair and ``stream`` the number of the round. Otherwise
    ``number`` is the number of the deal.
    """
    seed_rng(state, seed, number, stream)
    deal(state)
    start_round(state)


register(__name__, arrays=(deal,))


def _deal(states: Any, rounds: Any, active: Any, seed: int, rules: Rules, players: Any) -> None:
    # players (n, 4, 2): number and pieces of the card player by chair.
    for i in range(len(rounds)):
        if not active[i]:
            continue
        state, row = states[i], rounds[i]
        deal_round(state, seed, row.deal, row.number)
        for seat in range(4):
            chair = (row.first_chair + seat) & 3
            state.player[seat] = players[i, chair, 0]
            state.pieces[seat] = players[i, chair, 1]
            row.hands[seat] = state.hand[seat]
            row.bids[seat] = NO_BID
            row.passed[seat] = 0
            if rules.variant == CUTTHROAT:
                state.seat_score[seat] = row.scores[seat]
                state.seat_bags[seat] = row.bags[seat]
            elif seat < 2:
                state.score[seat] = row.scores[seat]
                state.bags[seat] = row.bags[seat]


def _seed_noise(states: Any, rounds: Any, active: Any, seed: int) -> None:
    for i in range(len(rounds)):
        if active[i]:
            row = rounds[i]
            seed_rng(states[i], seed, row.deal, NOISE_STREAM + 2 * row.number + row.swap)


def _draw(states: Any, active: Any, limits: Any, drawn: Any) -> None:
    for i in range(len(states)):
        for k in range(len(limits)):
            if active[i]:
                drawn[i, k] = below(states[i], limits[k])


deal_all, seed_noise_of_all, draw_all = entry(_deal), entry(_seed_noise), entry(_draw)
