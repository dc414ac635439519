"""SRP 2's play if a nil is live, as kernels.

It differs from `srp1.nils` in two ways: to cover partner's nil, it leads the suit in which partner is least likely to
take a trick, and it keeps high cards that partner's nil does not need in this trick. The functions return a card, or
NOTHING if the nil makes no difference to this play.
"""

from service.bidding.game.cards import JACK, TEN, highest, lowest
from service.playing.common import (
    cards_above,
    cards_below,
    lowest_equal,
    plays_after,
    tricks_left,
    tricks_needed,
    winning_cards,
)
from service.playing.srp1.follow import discard
from service.playing.srp1.nils import NOTHING, attack_discard, attack_lead
from service.playing.srp2.follow import may_ruff
from service.playing.srp2.goals import COVER_KEPT, COVER_ODDS, RUFF_BEHIND, pieces_in_use, wants_tricks
from service.playing.state import PlayState
from service.playing.tricks import suit_mask

# Chance in thousandths that a given one of three (or two) players holds none of n unseen cards: (2/3)^n and (1/2)^n.
NONE_OF_THREES = (1000, 667, 444, 296, 198, 132, 88, 59, 39, 26, 17, 12, 8, 5, 3, 2)
NONE_OF_TWOS = (1000, 500, 250, 125, 63, 31, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0)
COVER_SLACK = 6  # keep a high card for a later cover only if the side can spare this many tricks


def cover_card(state: PlayState, me: int, hand: int, legal: int, unseen: int) -> int:
    """Return the card that covers partner's live nil, or NOTHING if partner needs no cover in this trick."""
    partner = (me + 2) & 3
    if state.trick_size == 0:
        return cover_lead(state, me, hand, legal, unseen)
    led = state.trick[0] >> 4
    winners = winning_cards(state, legal)
    losers = legal & ~winners
    if state.winner == partner:
        return lowest(winners) if winners else NOTHING
    if not plays_after(state, me, partner):
        # Partner is safe: keep the high cards for a later trick.
        if not legal & suit_mask(led):
            return NOTHING
        if state.trick_size == 2:
            return lowest(losers) if losers else lowest(winners)
        if pieces_in_use(state, me) & COVER_KEPT and losers and winners and highest(winners) & 15 >= JACK:
            return lowest(losers) if tricks_left(state) - tricks_needed(state, me) >= COVER_SLACK else NOTHING
        return NOTHING
    # We play second and partner plays last. Partner is in danger if the best card is low and they have to follow suit.
    if state.void[partner] >> led & 1 or not winners:
        return NOTHING
    best = state.best_card
    if not unseen & cards_above(best) & suit_mask(led) and best >> 4 == led:
        return NOTHING
    if not legal & suit_mask(led):
        # A ruff covers partner for certain.
        return lowest(winners) if best & 15 < TEN else NOTHING
    top = highest(winners)
    return lowest_equal(top, legal, unseen) if top & 15 >= TEN else top


def cover_lead(state: PlayState, me: int, hand: int, legal: int, unseen: int) -> int:
    """Return a high lead from the suit in which partner is least likely to take the trick.

    Partner takes it if they hold cards above our highest card and none below it. The function takes each player who may
    hold the suit as equally likely to hold each unseen card. The weights were found in duplicate games.
    """
    partner = (me + 2) & 3
    shown_out = state.void[((me + 1) & 3)] | state.void[((me + 3) & 3)]
    best = NOTHING
    best_worth = -1000
    for suit in range(4):
        held = legal & suit_mask(suit)
        if not held:
            continue
        out = unseen & suit_mask(suit)
        card = highest(held)
        higher = (out & cards_above(card)).bit_count()
        lower = (out & cards_below(card)).bit_count()
        if state.void[partner] >> suit & 1 and suit < 3:
            # Partner is void and can discard a dangerous card, whichever card we lead.
            worth = 60
            if higher:
                card = lowest(held)
        elif pieces_in_use(state, me) & COVER_ODDS:
            if shown_out >> suit & 1:
                p_caught = NONE_OF_TWOS[lower] * (1000 - NONE_OF_TWOS[higher])
            else:
                p_caught = NONE_OF_THREES[lower] * (1000 - NONE_OF_THREES[higher])
            worth = 60 + (card & 15) - p_caught // 8000
        else:
            worth = 50 + (card & 15) - 12 * higher + lower
        if suit == 3:
            worth -= 8
        if worth > best_worth:
            best_worth = worth
            best = lowest_equal(card, held, unseen)
    return best


def attack_card(state: PlayState, me: int, niler: int, hand: int, legal: int, unseen: int) -> int:
    """Return the card that attacks the live nil of seat ``niler``, or NOTHING if this trick cannot hurt it."""
    coverer = (niler + 2) & 3
    if state.trick_size == 0:
        return attack_lead(state, niler, coverer, legal, unseen)
    led = state.trick[0] >> 4
    best = state.best_card
    winners = winning_cards(state, legal)
    if state.winner == niler:
        # Play below the nil bidder's card. If we cannot, the nil is safe in this trick.
        losers = legal & ~winners
        if not losers:
            return NOTHING
        return highest(losers & suit_mask(led)) if losers & suit_mask(led) else discard(hand, losers, unseen)
    if not plays_after(state, me, niler) or state.void[niler] >> led & 1:
        return attack_win(state, me, legal, unseen)
    if (
        state.winner == coverer
        and best >> 4 == led
        and (state.trick_size == 1 or best & 15 >= TEN)
        and winners & suit_mask(led)
    ):
        # Beat the nil bidder's partner as cheaply as possible: the nil bidder may still have to beat us.
        return lowest(winners & suit_mask(led))
    if state.winner == coverer and (best >> 4 != led or best & 15 >= TEN):
        return NOTHING  # the nil bidder's partner keeps the nil safe, and we cannot beat them
    if best >> 4 != led or not (unseen & cards_above(best) & suit_mask(led)):
        return NOTHING
    if legal & suit_mask(led):
        return lowest(legal)
    return attack_discard(legal)


def attack_win(state: PlayState, me: int, legal: int, unseen: int) -> int:
    """Return a card for a trick that cannot hurt the nil: a high one, to keep low ones for the attack, or NOTHING."""
    winners = winning_cards(state, legal)
    partner_wins = state.winner == (me + 2) & 3
    if legal & suit_mask(state.trick[0] >> 4):
        if partner_wins and state.trick_size == 2 and winners and wants_tricks(state, me, unseen):
            return highest(winners)
        return NOTHING
    ruff_behind = (
        pieces_in_use(state, me) & RUFF_BEHIND and state.trick_size == 1 and may_ruff(state, (me + 1) & 3, unseen)
    )
    if winners and not (partner_wins and state.trick_size == 3) and not ruff_behind:
        return highest(winners)
    return attack_discard(legal)
