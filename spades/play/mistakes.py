"""Mistakes of people who play cards, as kernels: what they forget, and a nil that they cover too late.

A player of a level below the full one sees the round as it remembers it (`remember`), and chooses its card by rules
from that. So it makes no absurd plays, and every mistake has a reason. What it forgets depends only on the seed, and
the same seed belongs to a seat for a whole round: a card that is forgotten stays forgotten.
"""

from spades.cards import lowest
from spades.play.solo import solo2
from spades.play.srp.player import srp4
from spades.play.state import PlayState
from spades.play.tricks import copy_state, nil_alive
from spades.random_numbers import hash_uniform

# By level, up to the full one, which makes no mistakes: the share of the played cards, of the shown voids and of the
# tricks of partner's nil that go unnoticed.
UNNOTICED = (0.0, 0.95, 0.6, 0.36, 0.16, 0.0)
HONOUR = 9  # ranks from this one, the jack, are forgotten half as often
# Random numbers of one seed: of the 64 cards, of 4 suits by 4 seats, and of 13 tricks.
_OF_VOIDS, _OF_TRICKS = 64, 80
_SPREAD = 0x9E3779B1  # an odd number that makes neighbouring seeds differ in many bits


def mistaken_card(state: PlayState, me: int, level: int, seed: int, alone: bool, memory: list[PlayState]) -> int:
    """Return the card (0..63) that the newest player by rules plays from seat ``me`` at ``level`` (1..5).

    ``seed``: 0..2^53 - 1, the same for a seat during a round. ``alone``: whether the variant is cutthroat. ``memory``:
    one state, working memory.
    """
    remember(state, me, level, seed, alone, memory[0])
    return solo2(memory[0], me) if alone else srp4(memory[0], me)


def remember(state: PlayState, me: int, level: int, seed: int, alone: bool, memory: PlayState) -> None:
    """Write to ``memory`` the round as seat ``me`` remembers it; the arguments are those of `mistaken_card`.

    Cards of earlier tricks that it forgets count as unseen. It does not think of partner's nil in some tricks, unless
    partner is about to win the trick.
    """
    copy_state(state, memory)
    share = UNNOTICED[level]
    earlier = state.played
    for i in range(state.trick_size):
        earlier &= ~(1 << state.trick[i])
    while earlier:
        card = lowest(earlier)
        earlier &= earlier - 1
        if _drawn(seed, card) < (0.5 * share if card & 15 >= HONOUR else share):
            memory.played &= ~(1 << card)
    for seat in range(4):
        for suit in range(4):
            if _drawn(seed, _OF_VOIDS + 4 * seat + suit) < share:
                memory.void[seat] &= ~(1 << suit)
    partner = me ^ 2
    in_danger = state.trick_size > 0 and state.winner == partner
    if not alone and nil_alive(state, partner) and not in_danger:
        trick = state.taken[0] + state.taken[1] + state.taken[2] + state.taken[3]
        if _drawn(seed, _OF_TRICKS + trick) < share:
            memory.taken[partner] = 1  # as if it had failed


def _drawn(seed: int, number: int) -> float:
    # A random number in [0, 1) for the event ``number``.
    return hash_uniform((seed ^ seed >> 32) & 0xFFFFFFFF ^ (number + 1) * _SPREAD & 0xFFFFFFFF)
