"""SRP 2 with a live nil at the table: as `srp1.nils`, but it leads covers by their odds and keeps them for the need.

Each function answers with a card, or NOTHING where the nil makes no difference to this play.
"""

from service.bidding.game.cards import JACK, TEN, highest, lowest
from tables.engine.play import suit_mask
from tables.engine.play_state import PlayState
from tables.players.common import (
    cards_above,
    cards_below,
    lowest_equal,
    plays_after,
    tricks_left,
    tricks_needed,
    winning_cards,
)
from tables.players.srp1.follow import discard
from tables.players.srp1.nils import NOTHING, attack_discard, attack_lead
from tables.players.srp2.follow import may_ruff
from tables.players.srp2.goals import COVER_KEPT, COVER_ODDS, RUFF_BEHIND, pieces_in_use, wants_tricks

# Chance in thousandths that one of three, or of two, players holds none of this many unseen cards: (2/3)^n, (1/2)^n.
NONE_OF_THREES = (1000, 667, 444, 296, 198, 132, 88, 59, 39, 26, 17, 12, 8, 5, 3, 2)
NONE_OF_TWOS = (1000, 500, 250, 125, 63, 31, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0)
COVER_SLACK = 6  # tricks of those left that the side can spare, for a high card to be kept for a later cover


def cover_card(state: PlayState, me: int, hand: int, legal: int, unseen: int) -> int:
    """The card that covers partner's live nil, or NOTHING where she needs no cover in this trick."""
    partner = (me + 2) & 3
    if state.trick_size == 0:
        return cover_lead(state, me, hand, legal, unseen)
    led = state.trick[0] >> 4
    winners = winning_cards(state, legal)
    losers = legal & ~winners
    if state.winner == partner:
        return lowest(winners) if winners else NOTHING
    if not plays_after(state, me, partner):
        # She is safe: high cards are wanted for the next time.
        if not legal & suit_mask(led):
            return NOTHING
        if state.trick_size == 2:
            return lowest(losers) if losers else lowest(winners)
        if pieces_in_use(state, me) & COVER_KEPT and losers and winners and highest(winners) & 15 >= JACK:
            return lowest(losers) if tricks_left(state) - tricks_needed(state, me) >= COVER_SLACK else NOTHING
        return NOTHING
    # Second hand, partner last: she is in danger where the best card is low and she has to follow.
    if state.void[partner] >> led & 1 or not winners:
        return NOTHING
    best = state.best_card
    if not unseen & cards_above(best) & suit_mask(led) and best >> 4 == led:
        return NOTHING
    if not legal & suit_mask(led):
        # Ruffing covers her for certain.
        return lowest(winners) if best & 15 < TEN else NOTHING
    top = highest(winners)
    return lowest_equal(top, legal, unseen) if top & 15 >= TEN else top


def cover_lead(state: PlayState, me: int, hand: int, legal: int, unseen: int) -> int:
    """Lead high from the suit in which partner is least likely to be caught.

    She is caught where she holds cards above our highest and none below it; each unseen card is taken to be anyone's
    who may hold the suit. Weights found in duplicate games.
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
            # She throws a dangerous card whatever we lead.
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
    """The card that attacks the live nil of ``niler``, or NOTHING where this trick can't hurt it."""
    coverer = (niler + 2) & 3
    if state.trick_size == 0:
        return attack_lead(state, niler, coverer, legal, unseen)
    led = state.trick[0] >> 4
    best = state.best_card
    winners = winning_cards(state, legal)
    if state.winner == niler:
        # Stay under her. Where that can't be, her nil is safe this time.
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
        # Over the coverer as cheaply as can be: the nil may still have to go over us.
        return lowest(winners & suit_mask(led))
    if state.winner == coverer and (best >> 4 != led or best & 15 >= TEN):
        return NOTHING  # he is high enough to keep her safe, and we can't go over him
    if best >> 4 != led or not (unseen & cards_above(best) & suit_mask(led)):
        return NOTHING
    if legal & suit_mask(led):
        return lowest(legal)
    return attack_discard(legal)


def attack_win(state: PlayState, me: int, legal: int, unseen: int) -> int:
    """A trick that can't hurt the nil: win with high cards and keep the low ones to attack with."""
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
