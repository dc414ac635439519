"""The Spades bot of the server Jus144tice/spades, which also looks at the score and at all bids, as a kernel.

Source: https://github.com/Jus144tice/spades, server/ai/bidding.js (Apache-2.0), as of commit c9d5248 of 2026-03-01.
Left out: other numbers of players, blind nil, and the bonus for a contract of ten tricks, which our rules do not have.
A last rule of the source wants a nil when the side is behind, but the source then raises that bid to 1; it is left out
as well.
"""

from arena.engine.jit import register
from spades.cards import ACE, JACK, KING, NINE, QUEEN, TEN, highest
from spades.legal import NO_BID, contract_of
from spades.position import Auction
from spades.rules import Rules
from spades.scoring import Standing

_EVERY_SUIT = 0x0001_0001_0001_0001
_HIGH = 0x1C00 * _EVERY_SUIT  # queen to ace
_MIDDLE = 0x0300 * _EVERY_SUIT  # ten and jack
_LOW = 0x003F * _EVERY_SUIT  # deuce to seven


def jus144tice(hand: int, auction: Auction, standing: Standing, rules: Rules) -> int:
    """Return the bid: the estimate to the nearest trick, changed by the other bids and by the score, or nil."""
    partner = auction.partner_bid if auction.partner_bid == NO_BID else contract_of(auction.partner_bid)
    theirs = auction.sum_of_bids - max(partner, 0)
    desperate = standing.them + 10 * theirs >= rules.win  # they win the game if they make their bids
    if _desperate_nil(hand, partner) if desperate else _nil(hand, partner):
        return 0
    tricks = _estimate(hand) - (30 if partner == 1 else 0)
    bid = (tricks + 50) // 100
    if auction.seat == 3 and not desperate:
        bid = _last_bid(hand, bid, tricks, partner, 13 - auction.sum_of_bids, rules.bag_limit - standing.us_bags)
        if bid == 0:
            return 0
    if partner == 0:
        bid = max(bid, 3) + 1
    if desperate:
        bid = _desperate_bid(bid, tricks, partner, theirs, standing, rules)
    else:
        if auction.seat < 3 and partner > 0 and bid + partner > 10:
            bid -= 1
        behind = standing.them > 0 and standing.us + 50 <= standing.them
        if behind and partner > 0 and theirs >= 3 and tricks >= 100 * bid - 50:
            if max(1, 14 - theirs - partner) == bid + 1:  # one more sets them if all is made
                bid += 1
    return max(1, min(13, bid))


def _estimate(hand: int) -> int:
    spades = hand >> 48
    n = spades.bit_count()
    tricks = 100 * (spades >> ACE & 1) + 90 * (spades >> KING & 1)
    if spades >> QUEEN & 1:
        tricks += 70 if n >= 3 else 30
    if spades >> JACK & 1:
        if n >= 4:
            tricks += 50
        elif n == 3 and (spades >> QUEEN).bit_count() == 2:
            tricks += 30
    if n >= 5:
        tricks += 30 * (spades >> TEN & 1) + 40 * (n - 4)
    for suit in range(3):
        tricks += _side(hand >> 16 * suit & 0xFFFF)
    return tricks + _ruffs(hand)


def _side(cards: int) -> int:
    n = cards.bit_count()
    top = cards >> QUEEN  # bits: queen, king, ace
    if top & 4:
        return 100 if top & 2 == 0 else 230 if top & 1 else 180
    if top & 2:
        guarded = top & 1 == 1
        if n == 1 or not guarded:
            return 45 if n == 3 else 35
        return 55 if n <= 3 else 45
    return 20 if top & 1 and n >= 3 else 0


def _ruffs(hand: int) -> int:
    # The spades below the queen ruff, in the shortest suits first. A ruff takes one spade, in a void two if there are.
    spades = (hand >> 48).bit_count()
    left = spades - (hand >> 48 + QUEEN).bit_count()
    tricks = 0
    for length in range(3):
        for suit in range(3):
            if (hand >> 16 * suit & 0xFFFF).bit_count() != length or left <= 0 or spades <= length:
                continue
            if length == 0:
                tricks += 140 if left >= 3 else 110 if left == 2 else 80
                left -= 2
            else:
                if length == 1:
                    tricks += 70 if left >= 2 else 50
                else:
                    tricks += 50 if spades >= 5 else 40
                left -= 1
    return tricks


def _nil(hand: int, partner: int) -> bool:
    top, n = highest(hand >> 48), (hand >> 48).bit_count()
    high, middle, low = (hand & _HIGH).bit_count(), (hand & _MIDDLE).bit_count(), (hand & _LOW).bit_count()
    if top >= QUEEN or (top == JACK and n >= 3) or high >= 2 or high + middle >= 4 or low < 6:
        return False
    for suit in range(3):
        cards = hand >> 16 * suit & 0xFFFF
        if cards >> ACE:
            if cards.bit_count() < 5 or (cards & _LOW).bit_count() < 4:
                return False
        elif cards >> KING and cards.bit_count() <= 2:
            return False
    if partner >= 3 or (low >= 9 and high == 0 and top < NINE):
        return True
    return low >= 8 and high == 0 and top < TEN and (partner != NO_BID or middle <= 1)


def _desperate_nil(hand: int, partner: int) -> bool:
    top, n = highest(hand >> 48), (hand >> 48).bit_count()
    high, low = (hand & _HIGH).bit_count(), (hand & _LOW).bit_count()
    if top >= KING or (top == QUEEN and n >= 3) or (top == JACK and n >= 4):
        return False
    if high >= 3 or high + (hand & _MIDDLE).bit_count() >= 5 or low < 4:
        return False
    aces = 0
    for suit in range(3):
        cards = hand >> 16 * suit & 0xFFFF
        if cards >> ACE:
            length = cards.bit_count()
            if length > 1 and (length < 4 or (cards & _LOW).bit_count() < 3):
                return False
            aces += 1
    return aces < 2 and (partner >= 3 or (low >= 5 and high <= 1))


def _last_bid(hand: int, bid: int, tricks: int, partner: int, left: int, to_penalty: int) -> int:
    # The fourth bidder aims at a number of free tricks, fewer with a strong hand. left: tricks that no one has bid.
    above_nine = (hand & (_HIGH | _MIDDLE)).bit_count()
    free = 4
    if tricks >= 500 or above_nine >= 6:
        free = 2
    elif tricks >= 300 or above_nine >= 4:
        free = 3
    if to_penalty <= 5:
        free -= 1
    least = max(1, (tricks - 30) // 100)
    most = (tricks + 149) // 100  # the estimate and half a trick, rounded up
    wanted = max(least, min(most, left - free))
    step = 2 if abs(tricks - 100 * wanted) <= 50 else 1
    wanted = max(1, bid - step, min(bid + step, wanted))
    if wanted <= 2 and left - wanted <= 1 and partner >= 3 and tricks < 150 and _nil_instead_of_one(hand):
        return 0
    return wanted


def _nil_instead_of_one(hand: int) -> bool:
    top, n = highest(hand >> 48), (hand >> 48).bit_count()
    if top >= KING or (top >= JACK and n >= 3) or (hand & _HIGH).bit_count() >= 2 or (hand & _LOW).bit_count() < 5:
        return False
    for suit in range(3):
        cards = hand >> 16 * suit & 0xFFFF
        if cards >> ACE and cards.bit_count() >= 3:
            return False
    return True


def _desperate_bid(bid: int, tricks: int, partner: int, theirs: int, standing: Standing, rules: Rules) -> int:
    # Win the game first if the bids suffice. Otherwise try to set them, or let them take bags up to the penalty.
    partners = max(partner, 0)
    if standing.us + 10 * (bid + partners) >= rules.win:
        return bid
    to_set = max(1, 14 - theirs - partners)
    if 100 * to_set <= tricks + 200:
        one_more = partners > 0 and to_set + partners <= 13 and 100 * (to_set + 1) <= tricks + 200
        return to_set + 1 if one_more else to_set
    return bid - 1 if 0 < rules.bag_limit - standing.them_bags <= 4 else bid


register(__name__)
