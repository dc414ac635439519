"""The leads of SRP when it wants tricks, as kernels. When it wants to lose, it leads `common.least_winning_lead`."""

from spades.cards import ACE, KING, QUEEN, highest, lowest, spades_of
from spades.play.common import cards_above, cards_below, lowest_equal, tricks_left, tricks_needed
from spades.play.srp.goals import HIGH_LEADS, SIGNALS, TRUMPS_KEPT, UNDER_BID, sum_of_contracts
from spades.play.state import PlayState
from spades.play.tricks import suit_mask

# Percent chance that both opponents hold a card of a side suit, by the number of its unseen cards. The unseen cards are
# dealt evenly to 3 players; exact for full hands, see table p_length.
STANDS_UP = (0, 0, 22, 46, 62, 73, 81, 87, 92, 95, 97, 98, 99, 100)


def lead_for_tricks(state: PlayState, me: int, hand: int, legal: int, unseen: int, pieces: int) -> int:
    """Return the best lead of all suits for a seat that wants tricks.

    The value of a lead is roughly a chance in percent: that a boss wins, that partner ruffs, or that the suit brings a
    trick later. The adjustments (a later ruff, an honour that should not be led) were found in duplicate games.
    """
    partner = (me + 2) & 3
    lho = (me + 1) & 3
    rho = (me + 3) & 3
    enemy_trumps = unseen >> 48 != 0 and not (state.void[lho] & 8 and state.void[rho] & 8)
    partner_trumps = unseen >> 48 != 0 and not state.void[partner] & 8
    partner_out = state.void[partner] | (state.signalled[partner] if pieces & SIGNALS else 0)
    high_leads = pieces & HIGH_LEADS and sum_of_contracts(state) <= UNDER_BID
    spades = spades_of(hand)
    best = -1
    best_worth = -10000
    for suit in range(3):
        held = legal & suit_mask(suit)
        if not held:
            continue
        card = highest(held)
        out = unseen & suit_mask(suit)
        n_out = out.bit_count()
        n_under = (out & cards_below(card)).bit_count()
        boss = not out & cards_above(card)
        bit = 1 << suit
        ruffed = enemy_trumps and (state.void[lho] & (bit | 8) == bit or state.void[rho] & (bit | 8) == bit)
        partner_ruffs = partner_trumps and partner_out & bit
        if boss:
            # Lead it while it is likely to win.
            stands = 100 if not enemy_trumps else (5 if ruffed else STANDS_UP[n_out])
            worth = stands - 10
            if stands > 35:
                if worth > best_worth:
                    best_worth = worth
                    best = lowest_equal(card, held, unseen)
                continue
        worth = 20 + n_out
        if partner_ruffs:
            worth += 40
        if ruffed:
            worth -= 30
        if high_leads and n_out >= 8 and n_under >= 6:
            worth += 20
        else:
            card = lowest(held)
        worth += holding_adjustment(held, boss, spades, ruffed)
        if worth > best_worth:
            best_worth = worth
            best = card
    held = legal & suit_mask(3)
    if held:
        card = highest(held)
        n = held.bit_count()
        out = spades_of(unseen)
        if not (unseen & cards_above(card)):
            worth = 30
            if enemy_trumps and n >= 3 and out.bit_count() <= 2 * n:
                worth = 60  # draw the opponents' trumps, so that side-suit bosses and long spades win
            if out == 0:
                worth = 50
        else:
            worth = 4 if n < 5 else 25
            card = lowest(held)
        if pieces & TRUMPS_KEPT and enemy_trumps and tricks_left(state) > tricks_needed(state, me):
            worth -= 70  # the side can lose a trick, and a trump is worth more later: lead it only as a last resort
        if worth > best_worth:
            best_worth = worth
            best = lowest_equal(card, held, unseen)
    return best


def holding_adjustment(held: int, boss: bool, spades: int, ruffed: bool) -> int:
    """Return what the cards ``held`` of a side suit add to the value of leading it.

    ``boss``: no unseen card beats the highest one; ``spades``: those of the hand; ``ruffed``: an opponent may ruff.
    """
    top = highest(held) & 15
    if held & (held - 1) == 0 and spades and spades.bit_count() <= 4 and not ruffed:
        return 12  # the seat can ruff this suit later
    if top == KING and not boss:
        return -12  # a king wins more often if another player leads the suit
    if top == QUEEN:
        return -6
    return -4 if top == ACE else 3
