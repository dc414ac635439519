"""The Spades bot of Cards With Cats, as a kernel.

Source: https://github.com/dozingcat/CardsWithCats, lib/spades/spades_ai.dart (GPL-3.0; only the rules were taken), as
of commit aa05a6b of 2026-08-22. Nothing is left out: the bot does not see the score, and bids nil beside a nil.
"""

from arena.engine.jit import register
from spades.cards import ACE, JACK, KING, QUEEN, TEN, highest
from spades.position import Auction


def cards_with_cats(hand: int, auction: Auction) -> int:
    """Return the bid: the estimate to the nearest trick, or nil with no suit that is likely to win a trick.

    The fourth bidder adds a trick if the bids then leave three tricks free, and two if they leave more.
    """
    spades = hand >> 48
    low_spades = spades.bit_count() <= 3 and highest(spades) <= TEN
    tricks = _spades(spades)
    nil = low_spades
    for suit in range(3):
        cards = hand >> 16 * suit & 0xFFFF
        tricks += _side(cards)
        nil = nil and _safe_side(cards)
    bid = (tricks + 50) // 100
    if nil or bid == 0:
        return 0 if low_spades else 1
    if auction.seat == 3:
        free = 13 - auction.sum_of_bids - bid
        if free > 2:
            bid += 1 if free == 3 else 2
    return bid


def _spades(cards: int) -> int:
    # Each spade is a trick, but the first three lose 40, 80 or 100 for one, two or more missing higher spades.
    n = cards.bit_count()
    tricks = 100 * n
    for above in range(min(n, 3)):
        rank = highest(cards)
        cards ^= 1 << rank
        missing = ACE - rank - above
        tricks -= 100 if missing > 2 else 40 * missing
    return tricks


def _side(cards: int) -> int:
    n = cards.bit_count()
    top = highest(cards)
    if n < 2:
        return 100 if top == ACE else 60 if top == KING else 20 if top == QUEEN else 0
    second = highest(cards ^ 1 << top)
    tricks = 0
    if top == ACE:
        tricks = 200 if second == KING else 170 if second == QUEEN else 130 if second == JACK else 100
    elif top == KING:
        tricks = 110 if second == QUEEN else 80 if second == JACK else 60
    elif top == QUEEN:
        tricks = 30
    return tricks * (13 - max(n, 3)) // 10  # a tenth less for each card over three


def _safe_side(cards: int) -> bool:
    # No card from the ten up, or a long suit with enough low cards: a mean rank under 8, where 2 is the deuce.
    if highest(cards) < TEN:
        return True
    n = cards.bit_count()
    high = (cards >> JACK).bit_count()
    if (high > 0 and n < 4) or ((high > 1 or cards >> ACE) and n < 5):
        return False
    total = 0
    while cards:
        rank = highest(cards)
        cards ^= 1 << rank
        total += rank + 2
    return total < 8 * n


register(__name__)
