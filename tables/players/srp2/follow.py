"""How SRP 2 follows when it plays for tricks: as `srp1.follow`, but it keeps low cards and fears a ruff behind it."""

from typing import Any

from service.bidding.game.cards import FIRST_SPADE, JACK, KING, QUEEN, highest, lowest
from tables.engine.rules import BEST, CARD, COUNT, VOID, WINNER, suit_mask
from tables.players.common import above, lowest_equal, nil_alive, winning_cards
from tables.players.srp1.follow import SPADE_ACE, discard
from tables.players.srp1.goals import sum_of_contracts
from tables.players.srp2.goals import FEW_BID, LOW_KEPT, RUFF_BEHIND, UNDER_PARTNER, middle_card, pieces_in_use


def may_ruff(s: Any, seat: int, unseen: int) -> bool:
    """Whether ``seat`` is known to be out of the suit led, and may hold a spade."""
    return bool(s[VOID + seat] >> (s[CARD] >> 4) & 1 and not s[VOID + seat] & 8 and unseen >> 48)


def follow_for_tricks(s: Any, me: int, hand: int, legal: int, unseen: int) -> int:
    """The card SRP follows with when it wants the trick for its side."""
    led = s[CARD] >> 4
    lho = (me + 1) & 3
    winners = winning_cards(s, legal)
    losers = legal & ~winners
    best = s[BEST]
    partner_wins = s[WINNER] == (me + 2) & 3
    last = s[COUNT] == 3
    pieces = pieces_in_use(s, me)
    ruff_behind = pieces & RUFF_BEHIND and s[COUNT] == 1 and best < FIRST_SPADE and may_ruff(s, lho, unseen)
    attacks = nil_alive(s, lho) or nil_alive(s, (me + 3) & 3)  # low cards are what a nil is attacked with
    few_bid = sum_of_contracts(s) <= (FEW_BID + 1 if attacks else FEW_BID)
    if legal & suit_mask(led):
        if ruff_behind and winners:
            return lowest(legal)
        loser = lowest(legal)
        if pieces & LOW_KEPT and few_bid and losers:
            loser = middle_card(losers, unseen)
        if not winners:
            return loser
        if last:
            if partner_wins:
                if pieces & UNDER_PARTNER and few_bid:
                    return highest(losers) if losers else highest(legal)
                return lowest(legal)
            return lowest(winners)
        top = highest(winners)
        if partner_wins:
            # Third hand: better partner's card only where hers may be beaten and ours makes a difference.
            if not (unseen & above(best)) or not (unseen & above(best) & ~above(top)):
                return lowest(legal)
            if not (unseen & above(top)):
                return lowest_equal(top, legal, unseen)
            if (unseen & above(top)).bit_count() == 1 and best & 15 < QUEEN:
                return lowest_equal(top, legal, unseen)
            return loser
        covers_honour = led < 3 and top & 15 == KING and best & 15 >= JACK
        if s[COUNT] == 2 or covers_honour or not (unseen & above(top)):
            return lowest_equal(top, legal, unseen)
        return loser
    if ruff_behind:
        return discard(hand, legal, unseen)
    if winners and _ruff_pays(s, me, unseen, best, partner_wins, last):
        if not last and best < FIRST_SPADE:
            spades = hand >> 48
            if s[COUNT] == 1 and spades >> KING == 1 and spades.bit_count() == 2 and unseen >> SPADE_ACE & 1:
                return discard(hand, legal, unseen)  # the guard of the king
            if s[COUNT] == 2 and s[VOID + lho] >> led & 1 and not s[VOID + lho] & 8:
                return lowest_equal(highest(winners), winners, unseen)
        return lowest(winners)
    return discard(hand, legal, unseen)


def _ruff_pays(s: Any, me: int, unseen: int, best: int, partner_wins: bool, last: bool) -> bool:
    if not partner_wins:
        return True
    if last or best >= FIRST_SPADE:
        return False
    # Third hand, partner ahead: ruff her card only where it may well be beaten.
    return may_ruff(s, (me + 1) & 3, unseen) or (unseen & above(best)).bit_count() > 0
