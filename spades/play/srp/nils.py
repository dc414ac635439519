"""SRP's play if a nil is live, as kernels: play its own nil, cover partner's, attack an opponent's.

A nil is *live* until its bidder takes a trick. To *cover* a nil is to win tricks that the nil bidder might otherwise
have to take. The functions return a card, or NOTHING if the nil does not matter for this card.
"""

from spades.cards import JACK, SPADE_BITS, SUIT_BITS, TEN, highest, lowest, spades_of
from spades.passing import nil_danger
from spades.play.srp.follow import discard, may_ruff
from spades.play.srp.goals import (
    ATTACK_STAKES,
    BEATS_TABLE,
    COVER_FEW,
    COVER_KEPT,
    COVER_ODDS,
    LOW_RUFFS,
    OWN_CONTRACT,
    RUFF_BEHIND,
    SAFE_NIL,
    UNDER_BID,
    needs_after,
    sum_of_contracts,
    wants_tricks,
)
from spades.play.state import PlayState
from spades.play.tricks import (
    cards_above,
    cards_below,
    lowest_equal,
    plays_after,
    suit_mask,
    tricks_left,
    tricks_needed,
    winning_cards,
    without_bosses,
)

NOTHING = -1
LOW_CARDS = 3  # of each suit: the cards that decide how dangerous it is for a nil
# Probability, in thousandths, that one particular player of three (or two) holds none of n unseen cards: (2/3)^n and
# (1/2)^n.
NONE_OF_THREES = (1000, 667, 444, 296, 198, 132, 88, 59, 39, 26, 17, 12, 8, 5, 3, 2)
NONE_OF_TWOS = (1000, 500, 250, 125, 63, 31, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0)
SAFE_BELOW = 40_000  # a nil is safe below a card if it must win with at most this probability, in millionths
SAFE_SLACK = 3  # below a card under which the nil is safe, keep the boss only if the side can spare this many tricks
FEW_SPADES, LONG_SPADES = 2, 5
LAST_CHANCES = 8  # tricks
COVER_SLACK = 6  # keep a high card for a later cover only if the side can spare this many tricks


def nil_card(state: PlayState, hand: int, legal: int, unseen: int) -> int:
    """Return the card that a nil bidder plays: if possible, one that loses the trick."""
    if state.trick_size == 0:
        return _nil_lead(state, legal, unseen)
    winners = winning_cards(state, legal)
    losers = legal & ~winners
    if not losers:
        return highest(legal) if state.trick_size == 3 else lowest(legal)
    led = state.trick[0] >> 4
    if losers & suit_mask(led):
        return highest(losers & suit_mask(led))
    if losers & SPADE_BITS:
        return highest(losers)
    best = NOTHING
    best_gain = -1
    for suit in range(4):
        held = losers & suit_mask(suit)
        if held:
            card = highest(held)
            whole = hand >> 16 * suit & SUIT_BITS
            others = unseen >> 16 * suit & SUIT_BITS
            gain = nil_danger(whole, others, LOW_CARDS) - nil_danger(whole & ~(1 << (card & 15)), others, LOW_CARDS)
            gain = (gain if gain > 0 else 0) * 16 + (card & 15)
            if gain > best_gain:
                best_gain = gain
                best = card
    return best


def _nil_lead(state: PlayState, legal: int, unseen: int) -> int:
    """Return the lowest card of the suit with the least risk: few unseen cards below the card and many above it."""
    best = NOTHING
    best_risk = 1 << 30
    for suit in range(4):
        held = legal & suit_mask(suit)
        if held:
            card = lowest(held)
            lower = (unseen & cards_below(card)).bit_count()
            higher = (unseen & cards_above(card)).bit_count()
            risk = 1000 * (lower + 1) // (higher + 1) if higher else 100000
            if risk < best_risk:
                best_risk = risk
                best = card
    return best


def cover_card(state: PlayState, me: int, hand: int, legal: int, unseen: int, pieces: int) -> int:
    """Return the card that covers partner's live nil, or NOTHING if partner needs no cover in this trick."""
    partner = (me + 2) & 3
    if state.trick_size == 0:
        return cover_lead(state, me, legal, unseen, pieces)
    led = state.trick[0] >> 4
    winners = winning_cards(state, legal)
    losers = legal & ~winners
    if state.winner == partner:
        return lowest(winners) if winners else NOTHING
    if not plays_after(state, me, partner):
        # Partner has already played, so this trick cannot hurt the nil. Keep the high cards for a later trick.
        if not legal & suit_mask(led):
            return NOTHING
        if pieces & OWN_CONTRACT and winners and tricks_needed(state, me) == 1 and _is_last_chance(state, me, unseen):
            if state.trick_size == 3:
                return lowest(winners)
            if not unseen & cards_above(highest(winners)):
                return lowest_equal(highest(winners), winners, unseen)
        if state.trick_size == 2:
            return lowest(losers) if losers else lowest(winners)
        few_bid = not pieces & COVER_FEW or sum_of_contracts(state) <= UNDER_BID
        if pieces & COVER_KEPT and few_bid and losers and winners and highest(winners) & 15 >= JACK:
            return lowest(losers) if tricks_left(state) - tricks_needed(state, me) >= COVER_SLACK else NOTHING
        return NOTHING
    # We play second and partner plays last. Partner is in danger if the best card is low and they have to follow suit.
    if state.void[partner] >> led & 1 or not winners:
        return NOTHING
    best = state.best_card
    has_boss = not unseen & cards_above(highest(winners))
    if pieces & SAFE_NIL and losers & suit_mask(led) and best & 15 >= JACK and has_boss:
        if _is_safe_below(state, me, best, unseen) and not needs_after(state, me, lowest(losers), unseen):
            return lowest(losers)  # keep the high card for a trick in which partner is in danger
    if not unseen & cards_above(best) & suit_mask(led) and best >> 4 == led:
        return NOTHING
    if not legal & suit_mask(led):
        # A ruff covers partner for certain.
        return lowest(winners) if best & 15 < TEN else NOTHING
    top = highest(winners)
    if top & 15 < TEN:
        return top
    return lowest_equal(top, winners if pieces & BEATS_TABLE else legal, unseen)


def _is_last_chance(state: PlayState, me: int, unseen: int) -> bool:
    """Return whether no other trick is likely for a seat that may win this one: few spades, and no boss elsewhere."""
    hand = state.hand[me]
    others = hand & ~suit_mask(state.trick[0] >> 4)
    few_spades = spades_of(hand).bit_count() <= FEW_SPADES
    return few_spades and without_bosses(others, unseen) == others and tricks_left(state) <= LAST_CHANCES


def _is_safe_below(state: PlayState, me: int, best: int, unseen: int) -> bool:
    """Return whether partner's nil, which plays last, is safe below ``best``, and our side can spare this trick."""
    higher = (unseen & cards_above(best)).bit_count()
    lower = (unseen & cards_below(best)).bit_count()
    if NONE_OF_THREES[lower] * (1000 - NONE_OF_THREES[higher]) > SAFE_BELOW:
        return False
    long_spades = spades_of(state.hand[me]).bit_count() >= LONG_SPADES  # these win the side's tricks
    return (higher > 0 or long_spades) and tricks_left(state) - tricks_needed(state, me) >= SAFE_SLACK


def cover_lead(state: PlayState, me: int, legal: int, unseen: int, pieces: int) -> int:
    """Return a high card to lead, from the suit in which partner is least likely to win the trick.

    Partner wins the trick if partner's cards of the suit are all higher than our highest card (and partner has some).
    The function assumes that each unseen card is equally likely in the hand of every player who may hold the suit. The
    weights were found in duplicate games.
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
        elif pieces & COVER_ODDS:
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


def attack_card(state: PlayState, me: int, nil_seat: int, hand: int, legal: int, unseen: int, pieces: int) -> int:
    """Return the card that attacks the live nil of seat ``nil_seat``, or NOTHING if this trick cannot hurt it."""
    coverer = (nil_seat + 2) & 3
    if state.trick_size == 0:
        return attack_lead(state, nil_seat, coverer, legal, unseen)
    led = state.trick[0] >> 4
    best = state.best_card
    winners = winning_cards(state, legal)
    if state.winner == nil_seat:
        # Play below the nil bidder's card. If we cannot, the nil is safe in this trick.
        losers = legal & ~winners
        if not losers:
            return NOTHING
        return highest(losers & suit_mask(led)) if losers & suit_mask(led) else discard(hand, losers, unseen)
    if not plays_after(state, me, nil_seat) or state.void[nil_seat] >> led & 1:
        return attack_win(state, me, legal, unseen, pieces)
    if (
        state.winner == coverer
        and best >> 4 == led
        and (state.trick_size == 1 or best & 15 >= TEN)
        and winners & suit_mask(led)
    ):
        # Beat the nil bidder's partner as cheaply as possible, so that the nil bidder may have to play a higher card.
        cheapest = lowest(winners & suit_mask(led))
        if pieces & ATTACK_STAKES and not unseen & cards_above(cheapest) and unseen & cards_above(best):
            return NOTHING  # over this card the nil would be safe
        return cheapest
    if state.winner == coverer and (best >> 4 != led or best & 15 >= TEN):
        return NOTHING  # the nil bidder's partner protects the nil, and we cannot beat them in the suit led
    if best >> 4 != led or not (unseen & cards_above(best) & suit_mask(led)):
        return NOTHING
    if legal & suit_mask(led):
        return lowest(legal)
    return attack_discard(legal)


def attack_win(state: PlayState, me: int, legal: int, unseen: int, pieces: int) -> int:
    """Return a card for a trick in which the nil is safe, or NOTHING.

    It is a high card, so that low cards remain for later attacks.
    """
    winners = winning_cards(state, legal)
    partner_wins = state.winner == (me + 2) & 3
    if legal & suit_mask(state.trick[0] >> 4):
        if partner_wins and state.trick_size == 2 and winners and wants_tricks(state, me, unseen, pieces):
            return highest(winners)
        return NOTHING
    ruff_behind = pieces & RUFF_BEHIND and state.trick_size == 1 and may_ruff(state, (me + 1) & 3, unseen)
    if winners and not (partner_wins and state.trick_size == 3) and not ruff_behind:
        over = sum_of_contracts(state) > UNDER_BID
        if pieces & LOW_RUFFS and over and (state.trick_size == 3 or not may_ruff(state, (me + 1) & 3, unseen)):
            others = without_bosses(winners, unseen)
            return lowest_equal(highest(others) if others else lowest(winners), winners, unseen)
        return highest(winners)
    return attack_discard(legal)


def attack_discard(legal: int) -> int:
    """Return the highest card of the shortest side suit, to keep low cards for the attack; NOTHING if there is none."""
    best = NOTHING
    fewest = 99
    for suit in range(3):
        held = legal & suit_mask(suit)
        if held and held.bit_count() < fewest:
            fewest = held.bit_count()
            best = highest(held)
    return best


def attack_lead(state: PlayState, nil_seat: int, coverer: int, legal: int, unseen: int) -> int:
    """Return a low card to lead, from a suit in which the nil bidder may have to play higher, or NOTHING.

    The value of a suit falls by seven for each unseen card below ours, because the nil bidder can play it and lose the
    trick, and rises by two for each card above. If the nil bidder's partner (``coverer``) has no card of a side suit,
    its value rises, but it falls if this partner may still have spades to ruff with. If nobody covers the nil,
    ``coverer`` is ``nil_seat``. The weights were found in duplicate games.
    """
    best = NOTHING
    best_worth = 0
    for suit in range(4):
        held = legal & suit_mask(suit)
        if not held:
            continue
        if state.void[nil_seat] & 1 << suit:
            continue
        card = lowest(held)
        out = unseen & suit_mask(suit)
        higher = (out & cards_above(card)).bit_count()
        lower = (out & cards_below(card)).bit_count()
        if higher < 2:
            continue
        worth = 40 + 2 * higher - 7 * lower
        if state.void[coverer] & 1 << suit and suit < 3:
            worth += 10 if state.void[coverer] & 8 else -10
        if worth > best_worth:
            best_worth = worth
            best = card
    return best
