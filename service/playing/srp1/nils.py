"""SRP's play if a nil is live, as kernels: play its own nil, cover partner's, attack an opponent's.

A nil is *live* until its bidder takes a trick. To *cover* a nil is to win tricks that the nil bidder might otherwise
have to take. The functions return a card, or NOTHING if the nil makes no difference to this play.
"""

from service.bidding.game.cards import SPADE_BITS, TEN, highest, lowest
from service.playing.common import cards_above, cards_below, lowest_equal, plays_after, winning_cards
from service.playing.srp1.follow import discard
from service.playing.srp1.goals import wants_tricks
from service.playing.state import PlayState
from service.playing.tricks import suit_mask

NOTHING = -1


def danger(held: int, unseen: int) -> int:
    """Return how dangerous the cards ``held`` of one suit are for a nil bidder: 0 is safe, more is worse.

    For each of the three lowest cards, the function compares the unseen cards below it with those above it. The number
    below counts one less for each lower card of the hand, because the nil bidder plays that one first.
    """
    total = 0
    rank = 0
    while held and rank < 3:
        card = lowest(held)
        held &= held - 1
        low = (unseen & cards_below(card)).bit_count() - rank
        if low > 0:
            high = (unseen & cards_above(card)).bit_count()
            total += low * 16 // (high + 2)
        rank += 1
    return total


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
            whole = hand & suit_mask(suit)
            gain = danger(whole, unseen) - danger(whole & ~(1 << card), unseen)
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


def cover_card(state: PlayState, me: int, hand: int, legal: int, unseen: int) -> int:
    """Return the card that covers partner's live nil, or NOTHING if partner needs no cover in this trick."""
    partner = (me + 2) & 3
    if state.trick_size == 0:
        return cover_lead(state, partner, hand, legal, unseen)
    led = state.trick[0] >> 4
    winners = winning_cards(state, legal)
    if state.winner == partner:
        return lowest(winners) if winners else NOTHING
    if not plays_after(state, me, partner):
        if state.trick_size == 2 and legal & suit_mask(led):
            # Partner has led and is safe: keep the high cards for a later trick.
            losers = legal & ~winners
            return lowest(losers) if losers else lowest(winners)
        return NOTHING
    # We play second and partner plays last. Partner is in danger if the best card is low and they have to follow suit.
    if state.void[partner] & 1 << led or not winners:
        return NOTHING
    best = state.best_card
    if (unseen & cards_above(best) & suit_mask(led)).bit_count() == 0 and best >> 4 == led:
        return NOTHING
    if not legal & suit_mask(led):
        # A ruff covers partner for certain.
        return lowest(winners) if best & 15 < TEN else NOTHING
    top = highest(winners)
    if top & 15 >= TEN:
        return lowest_equal(top, legal, unseen)
    return top


def cover_lead(state: PlayState, partner: int, hand: int, legal: int, unseen: int) -> int:
    """Return a high lead from a suit in which partner may take a trick, or a lead from a suit that partner is out of.

    The value of a suit falls by twelve for each unseen card above our highest card and rises by one for each below. The
    weights were found in duplicate games.
    """
    best = NOTHING
    best_worth = -1000
    for suit in range(4):
        held = legal & suit_mask(suit)
        if not held:
            continue
        out = unseen & suit_mask(suit)
        card = highest(held)
        higher = (out & cards_above(card)).bit_count()
        if state.void[partner] & 1 << suit and suit < 3:
            # Partner is void and can discard a dangerous card, whichever card we lead.
            worth = 60
            if higher:
                card = lowest(held)
        else:
            worth = 50 - 12 * higher + (card & 15) + (out & cards_below(card)).bit_count()
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
    if state.winner == niler:
        # Play below the nil bidder's card. If we cannot, the nil is safe in this trick.
        losers = legal & ~winning_cards(state, legal)
        if losers:
            if not losers & suit_mask(led):
                return discard(hand, losers, unseen)
            return highest(losers & suit_mask(led))
        return NOTHING
    if not plays_after(state, me, niler) or state.void[niler] & 1 << led:
        return attack_win(state, me, hand, legal, unseen)
    if state.winner == coverer and best >> 4 == led and (state.trick_size == 1 or best & 15 >= TEN):
        winners = winning_cards(state, legal) & suit_mask(led)
        if winners:
            # Beat the nil bidder's partner as cheaply as possible: the nil bidder may still have to beat us.
            return lowest(winners)
    if state.winner == coverer and (best >> 4 != led or best & 15 >= TEN):
        return NOTHING  # the nil bidder's partner keeps the nil safe, and we cannot beat them
    if best >> 4 != led or not (unseen & cards_above(best) & suit_mask(led)):
        return NOTHING
    if legal & suit_mask(led):
        return lowest(legal)
    if legal & ~SPADE_BITS:
        return attack_discard(legal)
    return NOTHING


def attack_win(state: PlayState, me: int, hand: int, legal: int, unseen: int) -> int:
    """Return a card for a trick that cannot hurt the nil: a high one, to keep low ones for the attack, or NOTHING."""
    led = state.trick[0] >> 4
    winners = winning_cards(state, legal)
    partner_wins = state.winner == (me + 2) & 3
    if legal & suit_mask(led):
        if not wants_tricks(state, me, unseen):
            return NOTHING
        if partner_wins and state.trick_size == 2 and winners:
            return highest(winners)
        return NOTHING
    if winners and not (partner_wins and state.trick_size == 3):
        return highest(winners)
    if legal & ~SPADE_BITS:
        return attack_discard(legal)
    return NOTHING


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


def attack_lead(state: PlayState, niler: int, coverer: int, legal: int, unseen: int) -> int:
    """Return a low lead from a suit in which the nil bidder may have to play higher, or NOTHING.

    The value of a suit falls by seven for each unseen card below ours, because the nil bidder can play it and lose the
    trick, and rises by two for each card above. If the nil bidder's partner (``coverer``) is out of the suit, the value
    rises, unless this partner may still ruff. The weights were found in duplicate games.
    """
    best = NOTHING
    best_worth = 0
    for suit in range(4):
        held = legal & suit_mask(suit)
        if not held:
            continue
        if state.void[niler] & 1 << suit:
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
