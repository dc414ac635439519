"""What SRP 2 leads when it plays for tricks: as `srp1.lead`, but it keeps trumps and leads high from long suits."""

from service.bidding.game.cards import ACE, KING, QUEEN, highest, lowest
from tables.engine.play import suit_mask
from tables.engine.play_state import PlayState
from tables.players.common import cards_above, cards_below, lowest_equal, tricks_left, tricks_needed
from tables.players.srp1.goals import UNDER, sum_of_contracts, type_by_sum
from tables.players.srp1.lead import STANDS_UP
from tables.players.srp2.goals import HIGH_LEADS, TRUMPS_KEPT, pieces_in_use


def lead_for_tricks(state: PlayState, me: int, hand: int, legal: int, unseen: int) -> int:
    """The lead of the highest worth over the suits.

    A worth is a rough percentage: of a boss's standing up, of partner's ruff, of what the suit may still bring;
    the adjustments (a ruff to come, an honour better led up to) were found in duplicate games.
    """
    partner = (me + 2) & 3
    lho = (me + 1) & 3
    rho = (me + 3) & 3
    enemy_trumps = unseen >> 48 != 0 and not (state.void[lho] & 8 and state.void[rho] & 8)
    partner_trumps = unseen >> 48 != 0 and not state.void[partner] & 8
    pieces = pieces_in_use(state, me)
    high_leads = pieces & HIGH_LEADS and type_by_sum(sum_of_contracts(state)) <= UNDER
    spades = hand >> 48
    best = -1
    best_worth = -10000
    for suit in range(3):
        held = legal & suit_mask(suit)
        if not held:
            continue
        card = highest(held)
        top = card & 15
        out = unseen & suit_mask(suit)
        n_out = out.bit_count()
        n_under = (out & cards_below(card)).bit_count()
        boss = not out & cards_above(card)
        bit = 1 << suit
        ruffed = enemy_trumps and (
            (state.void[lho] & bit and not state.void[lho] & 8) or (state.void[rho] & bit and not state.void[rho] & 8)
        )
        partner_ruffs = partner_trumps and (state.void[partner] | state.signalled[partner]) & bit
        if boss:
            # Cash it while it stands up.
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
        if held.bit_count() == 1 and spades and spades.bit_count() <= 4 and not ruffed:
            worth += 12  # a ruff to come
        elif top == KING and not boss:
            worth -= 12  # a king is better led up to
        elif top == QUEEN:
            worth -= 6
        elif top == ACE:
            worth -= 4
        else:
            worth += 3
        if worth > best_worth:
            best_worth = worth
            best = card
    held = legal & suit_mask(3)
    if held:
        card = highest(held)
        n = held.bit_count()
        out = unseen >> 48
        if not (unseen & cards_above(card)):
            worth = 30
            if enemy_trumps and n >= 3 and out.bit_count() <= 2 * n:
                worth = 60  # draw trumps for the side bosses and the long spades
            if out == 0:
                worth = 50
        else:
            worth = 4 if n < 5 else 25
            card = lowest(held)
        if pieces & TRUMPS_KEPT and enemy_trumps and tricks_left(state) > tricks_needed(state, me):
            worth -= 70  # with a trick to lose a trump is worth more later: last resort
        if worth > best_worth:
            best_worth = worth
            best = lowest_equal(card, held, unseen)
    return best
