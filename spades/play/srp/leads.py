"""The leads of SRP when it wants tricks, as kernels. When it wants to lose, it leads `tricks.least_winning_lead`.

SRP 4 gives each card a value, the sum of its features times fitted weights. The value is the change of the win
probability, in percent, relative to other leads of the same hand. There is a row of weights for each situation: no nil
matters, the seat covers partner's nil, it attacks an opponent's nil, or both. The weights
were fitted by playing each lead of many rounds to the end of the round (docs/adr/0071-fitted-leads.md).
"""

from spades.cards import ACE, KING, QUEEN, highest, lowest, spades_of
from spades.play.srp.goals import HIGH_LEADS, SIGNALS, TRUMPS_KEPT, UNDER_BID, sum_of_contracts
from spades.play.state import PlayState
from spades.play.tricks import cards_above, cards_below, lowest_equal, nil_alive, suit_mask, tricks_left, tricks_needed

# ---- SRP 1 to 3 ------------------------------------------------------------------------------------------------------

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


# ---- SRP 4 -----------------------------------------------------------------------------------------------------------

# Probability that a player holds none of n unseen cards of a suit: (2/3)^n if three players may hold the suit, (1/2)^n
# if two may.
NONE_OF_THREE = tuple((2.0 / 3.0) ** n for n in range(17))
NONE_OF_TWO = tuple(0.5**n for n in range(17))
TIGHT = 2  # a side that can lose at most this many tricks is under pressure
NO_NIL_LIVE, COVERS, ATTACKS, COVERS_AND_ATTACKS, COVERS_WITHOUT_SPADES = range(5)
# Counts are in tenths, ranks 0 (deuce) to 1.2 (ace).
# By feature: its weights in the five situations, in the order of their names above.
# fmt: off
FITTED = {
    # Live nils: the probability that the bidder has the suit, but no card below the lead.
    "partner_caught": (0.0, -14.1, 0.0, -16.6, -18.3),
    "partner_caught_squared": (0.0, 3.0, 0.0, 7.6, 5.2),
    "partner_caught_spade": (0.0, 2.8, 0.0, -3.8, 0.0),
    "left_caught": (0.0, 0.0, 0.9, 0.1, -2.0),
    "right_caught": (0.0, 0.0, 0.2, 11.3, 6.8),
    "partner_void_nil": (0.0, 2.1, 0.0, 5.8, -0.6),  # partner has a live nil and no card of the suit
    "void_nil": (0.0, 0.0, -0.4, 0.6, -0.1),  # an opponent has a live nil and no card of the suit
    # Side suits.
    "rank": (0.2, 6.8, 1.8, 3.6, 3.2),
    "rank_squared": (-0.1, -4.9, -2.7, -2.4, -3.7),
    "higher": (0.0, 9.0, 0.1, 1.1, 11.4),  # unseen cards of the suit above this one
    "higher_times_lower": (-0.5, -17.7, 0.8, -2.4, -21.3),
    "held": (-0.6, -0.2, -1.4, -0.6, 6.9),  # cards of the suit in the hand
    "boss": (-0.9, 1.7, -1.1, 1.0, 1.7),
    "boss_stands": (0.7, -2.9, -0.3, -1.7, -1.6),  # probability that no opponent ruffs it
    "boss_made": (-0.4, 0.3, -0.5, -0.1, 0.1),  # a boss, and the contract is made
    "rank_made": (0.3, -1.4, 0.5, -1.4, 0.2),
    "boss_over": (0.6, 1.1, 1.3, 1.7, 0.5),  # a boss, and the bids sum to more than UNDER_BID
    "under_boss": (-0.9, -3.0, -0.6, -0.9, -5.2),  # a lower card of a suit in which the hand has the boss
    "king_unprotected": (-1.0, -1.3, -0.6, -0.6, -0.6),  # a king below the ace
    "with_king": (-0.1, -1.4, -0.1, -0.9, -0.6),  # another card of a suit whose highest is such a king
    "ruff_later": (0.2, 0.9, 0.3, 0.4, 1.1),  # a single card, and the hand has one to four spades
    "partner_ruffs": (0.8, -2.4, 0.3, -5.9, 0.0),
    "left_ruffs": (0.1, -1.3, -0.2, -1.6, -0.7),
    "right_ruffs": (-1.2, -2.1, -1.2, -3.5, -1.3),
    "opponent_void": (0.2, -0.8, 0.3, 1.2, -1.2),
    # Spades.
    "spade": (-1.0, 0.9, -0.7, 0.4, -4.1),
    "spade_boss": (1.5, 2.9, -0.4, 2.2, 3.1),
    "spade_draws": (0.0, 0.2, -0.3, 0.9, -1.0),  # a boss that draws the opponents' trumps
    "spade_held": (4.7, 4.8, 2.1, 3.9, 18.1),
    "spade_lower": (-2.2, -5.1, -3.2, -3.5, -1.6),
    "spade_over": (-0.8, -0.8, 0.1, -1.6, -0.9),
    "spade_tight": (1.4, -1.7, 0.3, -3.1, -2.8),
    "spade_boss_tight": (0.9, 3.5, 1.1, 3.2, 3.7),
    "spade_made": (-0.2, 1.4, 0.0, 1.3, 3.0),
    "spade_boss_made": (-0.7, -1.7, -0.4, -2.6, -2.2),
    "spade_alone": (-0.4, -6.1, -1.3, -9.1, 0.2),  # no opponent has a spade
    "spade_boss_alone": (-1.8, 5.4, -0.3, 10.5, 0.2),
}
# fmt: on
LEAD_FEATURES = tuple(FITTED)
LEAD_WEIGHTS = tuple(zip(*FITTED.values(), strict=True))  # by situation
# The weights of each feature by situation, for `lead_value`.
(
    PARTNER_CAUGHT,
    PARTNER_CAUGHT_SQUARED,
    PARTNER_CAUGHT_SPADE,
    LEFT_CAUGHT,
    RIGHT_CAUGHT,
    PARTNER_VOID_NIL,
    VOID_NIL,
    RANK,
    RANK_SQUARED,
    HIGHER,
    HIGHER_TIMES_LOWER,
    HELD,
    BOSS,
    BOSS_STANDS,
    BOSS_MADE,
    RANK_MADE,
    BOSS_OVER,
    UNDER_BOSS,
    KING_UNPROTECTED,
    WITH_KING,
    RUFF_LATER,
    PARTNER_RUFFS,
    LEFT_RUFFS,
    RIGHT_RUFFS,
    OPPONENT_VOID,
    SPADE,
    SPADE_BOSS,
    SPADE_DRAWS,
    SPADE_HELD,
    SPADE_LOWER,
    SPADE_OVER,
    SPADE_TIGHT,
    SPADE_BOSS_TIGHT,
    SPADE_MADE,
    SPADE_BOSS_MADE,
    SPADE_ALONE,
    SPADE_BOSS_ALONE,
) = FITTED.values()
_NO_SIDE_SUIT, _NO_SPADE = (0.0,) * 18, (0.0,) * 12  # features of side suits and of spades


def lead_situation(state: PlayState, me: int) -> int:
    """Return which live nils matter for the lead of seat ``me``, whose own nil is not live."""
    attacks = nil_alive(state, (me + 1) & 3) or nil_alive(state, (me + 3) & 3)
    partner = (me + 2) & 3
    if nil_alive(state, partner):
        if state.void[partner] & 8:
            return COVERS_WITHOUT_SPADES
        return COVERS_AND_ATTACKS if attacks else COVERS
    return ATTACKS if attacks else NO_NIL_LIVE


def best_lead(state: PlayState, me: int, legal: int, unseen: int) -> int:
    """Return the legal card with the highest value; of cards that are equally good, the lowest."""
    situation = lead_situation(state, me)
    best = -1
    most = -1e9
    for suit in range(4):
        held = legal & suit_mask(suit)
        while held:
            card = lowest_equal(highest(held), held, unseen)
            held &= cards_below(card)
            value = lead_value(state, me, card, unseen, situation)
            if value > most:
                most = value
                best = card
    return best


def lead_value(state: PlayState, me: int, card: int, unseen: int, situation: int) -> float:
    """Return the value of a lead: the sum of its `lead_features` times their weights, in that order.

    Features that are 0 are left out, which does not change the sum.
    """
    value = 0.0 if situation == NO_NIL_LIVE else _value_of_nils(state, me, card, unseen, situation)
    lho, partner, rho = (me + 1) & 3, (me + 2) & 3, (me + 3) & 3
    suit = card >> 4
    hand = state.hand[me]
    held = hand & suit_mask(suit)
    out = unseen & suit_mask(suit)
    higher = (out & cards_above(card)).bit_count()
    lower = out.bit_count() - higher
    n_held = held.bit_count()
    boss = higher == 0
    trumps_out = unseen >> 48 != 0
    trumps_left = trumps_out and not state.void[lho] & 8
    trumps_right = trumps_out and not state.void[rho] & 8
    need = tricks_needed(state, me)
    over = sum_of_contracts(state) > UNDER_BID
    if suit == 3:
        tight = tricks_left(state) - need <= TIGHT
        value += SPADE[situation]
        if boss:
            value += SPADE_BOSS[situation]
            if n_held >= 3 and out.bit_count() <= 2 * n_held and (trumps_left or trumps_right):
                value += SPADE_DRAWS[situation]
        value += n_held / 10.0 * SPADE_HELD[situation]
        value += lower / 10.0 * SPADE_LOWER[situation]
        if over:
            value += SPADE_OVER[situation]
        if tight:
            value += SPADE_TIGHT[situation]
            if boss:
                value += SPADE_BOSS_TIGHT[situation]
        if need <= 0:
            value += SPADE_MADE[situation]
            if boss:
                value += SPADE_BOSS_MADE[situation]
        if not (trumps_left or trumps_right):
            value += SPADE_ALONE[situation]
            if boss:
                value += SPADE_BOSS_ALONE[situation]
        return value
    left_void, right_void = state.void[lho] >> suit & 1, state.void[rho] >> suit & 1
    left_ruffs, right_ruffs = left_void and trumps_left, right_void and trumps_right
    rank = (card & 15) / 10.0
    value += rank * RANK[situation]
    value += rank * rank * RANK_SQUARED[situation]
    value += higher / 10.0 * HIGHER[situation]
    value += higher * lower / 100.0 * HIGHER_TIMES_LOWER[situation]
    value += n_held / 10.0 * HELD[situation]
    if boss:
        value += BOSS[situation]
        stands = 1.0
        if trumps_left or trumps_right:
            stands = 0.05 if left_ruffs or right_ruffs else STANDS_UP[out.bit_count()] / 100.0
        value += stands * BOSS_STANDS[situation]
    if need <= 0:
        if boss:
            value += BOSS_MADE[situation]
        value += rank * RANK_MADE[situation]
    if boss:
        if over:
            value += BOSS_OVER[situation]
    else:
        top = highest(held)
        if not out & cards_above(top):
            value += UNDER_BOSS[situation]
        elif top & 15 == KING:
            value += KING_UNPROTECTED[situation] if card == top else WITH_KING[situation]
    if n_held == 1 and 0 < spades_of(hand).bit_count() <= 4 and not (left_ruffs or right_ruffs):
        value += RUFF_LATER[situation]
    if trumps_out and state.void[partner] & (1 << suit | 8) == 1 << suit:
        value += PARTNER_RUFFS[situation]
    if left_ruffs:
        value += LEFT_RUFFS[situation]
    if right_ruffs:
        value += RIGHT_RUFFS[situation]
    if left_void or right_void:
        value += OPPONENT_VOID[situation]
    return value


def _value_of_nils(state: PlayState, me: int, card: int, unseen: int, situation: int) -> float:
    # Return what live nils add to the value of a lead.
    lho, partner, rho = (me + 1) & 3, (me + 2) & 3, (me + 3) & 3
    suit = card >> 4
    left_void, right_void = state.void[lho] >> suit & 1, state.void[rho] >> suit & 1
    left_nil, right_nil, partner_nil = nil_alive(state, lho), nil_alive(state, rho), nil_alive(state, partner)
    value = 0.0
    if partner_nil:
        caught = p_caught(state, partner, card, unseen, bool(left_void or right_void))
        value += caught * PARTNER_CAUGHT[situation]
        value += caught * caught * PARTNER_CAUGHT_SQUARED[situation]
        if suit == 3:
            value += caught * PARTNER_CAUGHT_SPADE[situation]
    if left_nil:
        value += p_caught(state, lho, card, unseen, False) * LEFT_CAUGHT[situation]
    if right_nil:
        value += p_caught(state, rho, card, unseen, False) * RIGHT_CAUGHT[situation]
    if partner_nil and state.void[partner] >> suit & 1:
        value += PARTNER_VOID_NIL[situation]
    if (left_nil and left_void) or (right_nil and right_void):
        value += VOID_NIL[situation]
    return value


def p_caught(state: PlayState, seat: int, card: int, unseen: int, fewer: bool) -> float:
    """Return the probability that ``seat`` has only cards above ``card`` in its suit, and at least one.

    ``fewer``: another player has shown to be out of the suit, so that two players may hold the unseen cards, not three.
    """
    if state.void[seat] >> (card >> 4) & 1:
        return 0.0
    out = unseen & suit_mask(card >> 4)
    higher = (out & cards_above(card)).bit_count()
    lower = (out & cards_below(card)).bit_count()
    if fewer:
        return NONE_OF_TWO[lower] * (1.0 - NONE_OF_TWO[higher])
    return NONE_OF_THREE[lower] * (1.0 - NONE_OF_THREE[higher])


def lead_features(state: PlayState, me: int, card: int, unseen: int) -> tuple[float, ...]:
    """Return the features of a lead, in the order of LEAD_FEATURES."""
    lho, partner, rho = (me + 1) & 3, (me + 2) & 3, (me + 3) & 3
    suit = card >> 4
    bit = 1 << suit
    hand = state.hand[me]
    held = hand & suit_mask(suit)
    out = unseen & suit_mask(suit)
    higher = (out & cards_above(card)).bit_count()
    lower = (out & cards_below(card)).bit_count()
    n_held = held.bit_count()
    n_out = out.bit_count()
    boss = higher == 0
    trumps_left = 1 if unseen >> 48 and not state.void[lho] & 8 else 0
    trumps_right = 1 if unseen >> 48 and not state.void[rho] & 8 else 0
    left_void, right_void = state.void[lho] >> suit & 1, state.void[rho] >> suit & 1
    opponent_void = bool(left_void or right_void)
    caught = p_caught(state, partner, card, unseen, opponent_void) if nil_alive(state, partner) else 0.0
    partner_void_nil = nil_alive(state, partner) and state.void[partner] & bit
    left_nil, right_nil = nil_alive(state, lho), nil_alive(state, rho)
    nils = (
        caught,
        caught * caught,
        caught if suit == 3 else 0.0,
        p_caught(state, lho, card, unseen, False) if left_nil else 0.0,
        p_caught(state, rho, card, unseen, False) if right_nil else 0.0,
        1.0 if partner_void_nil else 0.0,
        1.0 if (left_nil and left_void) or (right_nil and right_void) else 0.0,
    )
    made = tricks_needed(state, me) <= 0
    over = sum_of_contracts(state) > UNDER_BID
    if suit == 3:
        tight = tricks_left(state) - tricks_needed(state, me) <= TIGHT
        enemy_trumps = trumps_left or trumps_right
        draws = boss and n_held >= 3 and n_out <= 2 * n_held and enemy_trumps
        return (
            nils
            + _NO_SIDE_SUIT
            + (
                1.0,
                1.0 if boss else 0.0,
                1.0 if draws else 0.0,
                n_held / 10.0,
                lower / 10.0,
                1.0 if over else 0.0,
                1.0 if tight else 0.0,
                1.0 if boss and tight else 0.0,
                1.0 if made else 0.0,
                1.0 if boss and made else 0.0,
                0.0 if enemy_trumps else 1.0,
                1.0 if boss and not enemy_trumps else 0.0,
            )
        )
    top = highest(held)
    has_boss = not out & cards_above(top)
    spades = spades_of(hand).bit_count()
    left_ruffs, right_ruffs = left_void and trumps_left, right_void and trumps_right
    stands = 0.0
    if boss:
        stands = 1.0
        if trumps_left or trumps_right:
            stands = 0.05 if left_ruffs or right_ruffs else STANDS_UP[n_out] / 100.0
    partner_ruffs = state.void[partner] & bit and unseen >> 48 and not state.void[partner] & 8
    king = top & 15 == KING and not has_boss
    rank = (card & 15) / 10.0
    side_suit = (
        rank,
        rank * rank,
        higher / 10.0,
        higher * lower / 100.0,
        n_held / 10.0,
        1.0 if boss else 0.0,
        stands,
        1.0 if boss and made else 0.0,
        rank if made else 0.0,
        1.0 if boss and over else 0.0,
        1.0 if has_boss and not boss else 0.0,
        1.0 if king and card == top else 0.0,
        1.0 if king and card != top else 0.0,
        1.0 if n_held == 1 and 0 < spades <= 4 and not (left_ruffs or right_ruffs) else 0.0,
        1.0 if partner_ruffs else 0.0,
        1.0 if left_ruffs else 0.0,
        1.0 if right_ruffs else 0.0,
        1.0 if opponent_void else 0.0,
    )
    return nils + side_suit + _NO_SPADE
