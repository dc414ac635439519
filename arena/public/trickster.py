"""The Spades bot of Trickster Cards, as a kernel.

Source: https://github.com/TricksterCards/TricksterBots, TricksterBots/Bots/Spades/SpadesBot.cs (MIT), as of commit
8d7f92a of 2026-02-23. Left out: jokers, three players, passing of cards, blind nil, whiz and suicide.
"""

from arena.engine.jit import register
from spades.cards import ACE, KING, QUEEN, highest
from spades.legal import contract_of, is_nil
from spades.position import Auction
from spades.rules import Rules
from spades.scoring import TEN_TRICKS


def trickster(hand: int, auction: Auction, rules: Rules) -> int:
    """Return the bid: the whole tricks of the estimate, or nil with less than one trick and no bare high card."""
    tricks = _estimate(hand)
    partner = auction.partner_bid
    if not is_nil(partner) and tricks < 100 and _low_enough(hand):
        return 0
    most = TEN_TRICKS if rules.ten_for_200 else 13
    if partner >= 0:
        most -= contract_of(partner)
    return max(1, min(most, tricks // 100))


def _estimate(hand: int) -> int:
    spades = hand >> 48
    ruffs, tricks = 0, 0
    for suit in range(3):
        cards = hand >> 16 * suit & 0xFFFF
        n = cards.bit_count()
        if n < 2:
            ruffs += 100 * (2 - n)
        elif n == 2:
            ruffs += 25
        if cards >> ACE & 1:
            tricks += 100 if n <= 6 else 50
        if cards >> KING & 1 and n > 1:
            tricks += 100 if n <= 5 else 25
        if cards >> QUEEN & 1 and 3 <= n <= 4:
            tricks += 50
    ruffs = min(ruffs, 100 * spades.bit_count())
    return tricks + ruffs + _high_spades(spades, 100 * spades.bit_count() - ruffs)


def _high_spades(spades: int, unused: int) -> int:
    # unused: the spades that do not ruff, in hundredths. The highest of them are counted; half a spade is rounded to
    # an even number of spades.
    kept, rest = unused // 100, unused % 100
    if rest > 50 or (rest == 50 and kept & 1):
        kept += 1
    tricks = 0
    for above in range(kept):
        rank = highest(spades)
        spades ^= 1 << rank
        missing = ACE - rank - above - (kept - 1 - above)  # higher spades of others, less the kept spades below
        if missing <= 0:
            tricks += 100
        elif missing == 1:
            tricks += 75
        elif missing == 2:
            tricks += 25
    return tricks


def _low_enough(hand: int) -> bool:
    # At most three spades, no ace, and in no suit more cards from the queen up than below it.
    if (hand >> 48).bit_count() > 3:
        return False
    for suit in range(4):
        cards = hand >> 16 * suit & 0xFFFF
        if cards >> ACE or 2 * (cards >> QUEEN).bit_count() > cards.bit_count():
            return False
    return True


register(__name__)
