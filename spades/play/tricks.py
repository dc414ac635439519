"""Tricks, as kernels: the rules of play on a play state, and what all card players ask of it.

Card players read only what the seat to play may see. Cards are numbers, and sets of cards bit masks, as in
`spades.cards`. *Unseen* cards are neither in the seat's own hand nor played yet: they are the other three hands
together. A *boss* is a card with no higher unseen card in its suit. *Legal* cards are those that may be played.
"""

from typing import Any

from spades.cards import FIRST_SPADE, SPADE_BITS, highest, lowest
from spades.legal import (
    FIRST_WITHOUT_SPADES,
    LOWEST_CLUB_FIRST,
    SPADES_LED,
    broken_after,
    broken_at_start,
    contract_of,
    is_nil,
)
from spades.play.state import PlayState, rule_values
from spades.rules import Rules

MASK32 = 0xFFFFFFFF


def write_rules(state: PlayState, rules: Rules) -> None:
    """Write the values of ``rules`` to the state; `written_rules` reads them back."""
    for i in range(len(rules)):
        state.rules[i] = rules[i]


def written_rules(state: PlayState) -> Rules:
    """Return the rules that `write_rules` wrote."""
    return Rules(*rule_values(state.rules))


def copy_state(source: PlayState, target: PlayState) -> None:
    """Copy all fields of ``source`` to ``target``, as a kernel."""
    for seat in range(4):
        target.hand[seat] = source.hand[seat]
        target.bid[seat] = source.bid[seat]
        target.taken[seat] = source.taken[seat]
        target.void[seat] = source.void[seat]
        target.trick[seat] = source.trick[seat]
        target.followed[seat] = source.followed[seat]
        target.signalled[seat] = source.signalled[seat]
        target.player[seat] = source.player[seat]
        target.pieces[seat] = source.pieces[seat]
        target.rng[seat] = source.rng[seat]
        target.seat_score[seat] = source.seat_score[seat]
        target.seat_bags[seat] = source.seat_bags[seat]
    for side in range(2):
        target.score[side] = source.score[side]
        target.bags[side] = source.bags[side]
    for i in range(3):
        target.passes[i] = source.passes[i]
    for i in range(len(source.rules)):
        target.rules[i] = source.rules[i]
    target.played = source.played
    target.trick_size = source.trick_size
    target.leader = source.leader
    target.winner = source.winner
    target.best_card = source.best_card
    target.broken = source.broken
    target.choices = source.choices
    target.deck = source.deck


def suit_mask(suit: int) -> int:
    """Return the bit mask of all cards of a suit."""
    return 0xFFFF << (suit << 4)


def legal_cards(hand: int, count: int, first: int, broken: int) -> int:
    """Return the cards of ``hand`` that may be played, as a bit mask.

    ``count``: cards in the trick so far; ``first``: the trick's first card, if there is one; ``broken``: as in
    `PlayState`.
    """
    if count > 0:
        follow = hand & suit_mask(first >> 4)
        if follow:
            return follow
        if not broken & FIRST_WITHOUT_SPADES:
            return hand
    elif broken == SPADES_LED:
        return hand
    elif broken & LOWEST_CLUB_FIRST:
        return hand & -hand
    elif broken & SPADES_LED and not broken & FIRST_WITHOUT_SPADES:
        return hand
    side = hand & ~SPADE_BITS
    return side if side else hand


def beats(card: int, best: int) -> bool:
    """Return whether ``card`` wins over the best card so far: a higher card of its suit, or a spade on another suit."""
    return card > best and (card >> 4 == best >> 4 or card >= FIRST_SPADE)


def start_play(state: PlayState) -> None:
    """Write who leads the first trick, and what may be led, by the rules that the state holds and its hands."""
    rules = written_rules(state)
    state.broken = broken_at_start(rules)
    state.leader = 0
    if state.broken & LOWEST_CLUB_FIRST:
        for seat in range(4):
            if state.hand[seat] & lowest_club(state.deck):
                state.leader = seat


def lowest_club(deck: int) -> int:
    """Return the lowest club of a deck as a bit mask."""
    return deck & -deck


def play_card(state: PlayState, seat: int, card: int) -> None:
    """Play ``card`` from ``seat``; after the fourth card, count the trick for its winner, who leads next."""
    count = state.trick_size
    suit = card >> 4
    if count == 0:
        state.best_card = card
        state.winner = seat
    else:
        led = state.trick[0] >> 4
        best = state.best_card
        if suit != led:
            state.void[seat] |= 1 << led
        else:
            _note_signal(state, seat, card, best)
        if beats(card, best):
            state.best_card = card
            state.winner = seat
    state.hand[seat] &= ~(1 << card)
    state.played |= 1 << card
    state.trick[count] = card
    if state.broken != SPADES_LED:
        state.broken = broken_after(state.broken, card, count)
    if count == 3:
        winner = state.winner
        state.taken[winner] += 1
        state.leader = winner
        state.trick_size = 0
    else:
        state.trick_size = count + 1


def _note_signal(state: PlayState, seat: int, card: int, best: int) -> None:
    # High-low signal of a doubleton (ECAI 2020, appendix D.3): the seat follows to a trick that the suit's highest
    # remaining card is winning, and plays a lower card in the suit's next trick.
    suit = card >> 4
    if suit == 3:
        return
    shift = 5 * suit
    first = state.followed[seat] >> shift & 31
    if first == 0:
        above_best = suit_mask(suit) & state.deck & ~((2 << best) - 1)
        under_boss = best >> 4 == suit and best > card and above_best & ~state.played == 0
        state.followed[seat] |= ((card & 15) + 1 if under_boss else 31) << shift
    elif first < 31:
        if card & 15 < first - 1:
            state.signalled[seat] |= 1 << suit
        state.followed[seat] |= 31 << shift


# ---- what card players ask -------------------------------------------------------------------------------------------


def unseen_cards(state: PlayState, seat: int) -> int:
    """Return the cards in the other three hands."""
    return int(state.deck & ~state.played & ~state.hand[seat])


def cards_above(card: int) -> int:
    """Return all higher cards of the card's suit."""
    return suit_mask(card >> 4) & ~((2 << card) - 1)


def cards_below(card: int) -> int:
    """Return all lower cards of the card's suit."""
    return suit_mask(card >> 4) & ((1 << card) - 1)


def nil_alive(state: PlayState, seat: int) -> bool:
    """Return whether a seat has bid nil and taken no trick yet."""
    return bool(state.taken[seat] == 0 and is_nil(state.bid[seat]))


def tricks_needed(state: PlayState, seat: int) -> int:
    """Return how many tricks the seat's side still needs for its contract.

    Tricks taken by a nil bidder do not count. The number is 0 or less if the contract is made.
    """
    partner = (seat + 2) & 3
    need = 0
    if not is_nil(state.bid[seat]):
        need += contract_of(state.bid[seat]) - state.taken[seat]
    if not is_nil(state.bid[partner]):
        need += contract_of(state.bid[partner]) - state.taken[partner]
    return int(need)


def tricks_left(state: PlayState) -> int:
    """Return how many tricks are not decided yet, including the current one."""
    return int(13 - state.taken[0] - state.taken[1] - state.taken[2] - state.taken[3])


def winning_cards(state: PlayState, legal: int) -> int:
    """Return the legal cards that beat the best card of the current trick."""
    best = state.best_card
    winners = legal & cards_above(best)
    if best < FIRST_SPADE:
        winners |= legal & SPADE_BITS
    return int(winners)


def plays_after(state: PlayState, seat: int, other: int) -> bool:
    """Return whether ``other`` plays to the current trick after ``seat``, which is about to play."""
    ahead = 3 - state.trick_size
    return bool(0 < ((other - seat) & 3) <= ahead)


def lowest_equal(card: int, hand: int, unseen: int) -> int:
    """Return the lowest card of ``hand`` that is as good as ``card``: no unseen card lies between the two."""
    lower = hand & cards_below(card)
    while lower:
        next_lower = highest(lower)
        if unseen & cards_above(next_lower) & cards_below(card):
            return card
        card = next_lower
        lower &= ~(1 << card)
    return card


def duck(state: PlayState, legal: int) -> int:
    """Return the highest legal card that does not beat the best card of the trick, if there is one.

    A card of the suit led comes first, then a spade, then the side-suit card with the highest rank. If every legal card
    beats the best card, the last player takes the trick with the highest card. An earlier player plays the lowest card,
    because a later player may still beat it.
    """
    losers = legal & ~winning_cards(state, legal)
    if losers:
        led = state.trick[0] >> 4
        if losers & suit_mask(led):
            return highest(losers & suit_mask(led))
        if losers & SPADE_BITS:
            return highest(losers)
        return highest_rank(losers)
    if state.trick_size == 3:
        return highest(legal)
    return lowest(legal)


def highest_rank(cards: int) -> int:
    """Return the side-suit card with the highest rank, -1 if there is none; of equal ranks, from the shorter suit."""
    best = -1
    best_key = -100  # below every key; the lowest is -1, for a single deuce
    for suit in range(3):
        held = cards & suit_mask(suit)
        if held:
            card = highest(held)
            key = (card & 15) * 16 - held.bit_count()
            if key > best_key:
                best_key = key
                best = card
    return best


def without_bosses(cards: int, unseen: int) -> int:
    """Return the cards of ``cards`` that some unseen card of the same suit beats."""
    beaten = 0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if unseen & cards_above(card):
            beaten |= 1 << card
    return beaten


def lowest_rank(cards: int) -> int:
    """Return the side-suit card with the lowest rank, or the lowest spade if all ``cards`` are spades."""
    best = -1
    best_rank = 99
    for suit in range(3):
        held = cards & suit_mask(suit)
        if held and lowest(held) & 15 < best_rank:
            best = lowest(held)
            best_rank = best & 15
    return best if best >= 0 else lowest(cards)


def least_winning_lead(legal: int, unseen: int) -> int:
    """Return the lowest card of the suit in which it is least likely to take the trick.

    That is a suit with many unseen cards above the card and few below it.
    """
    best = -1
    best_key = -1000
    for suit in range(4):
        held = legal & suit_mask(suit)
        if held:
            card = lowest(held)
            higher = (unseen & cards_above(card)).bit_count()
            lower = (unseen & cards_below(card)).bit_count()
            key = 2 * higher - 3 * lower - (card & 15) - (6 if suit == 3 else 0)
            if higher == 0:
                key -= 100
            if key > best_key:
                best_key = key
                best = card
    return best


# ---- touching cards --------------------------------------------------------------------------------------------------

# Touching cards are cards of one hand and suit with no card of another player between them. A card of the current trick
# counts as lying between; a card of an earlier trick does not. All touching cards are worth the same.


def cards_between(state: PlayState, seat: int) -> int:
    """Return the unseen cards and those of the current trick: only these can lie between two cards of ``seat``."""
    found: int = unseen_cards(state, seat)
    for i in range(state.trick_size):
        found |= 1 << state.trick[i]
    return found


def group_of(card: int, cards: int, others: int) -> int:
    """Return ``card`` and those higher ``cards`` of its suit that touch it, as a bit mask. Lower ones are not included.

    ``cards``: cards of one hand; ``others``: the cards that can lie between them (`cards_between`).
    """
    suit = suit_mask(card >> 4)
    above = others & suit & ~((2 << card) - 1)
    reach = (above & -above) - 1 if above else suit
    return cards & suit & reach & ~((1 << card) - 1)


def open_cards(cards: Any, legal: int, preferred: int, others: int) -> int:
    """Write the cards to try to ``cards``, the ``preferred`` one first, and return their number.

    Of touching cards only one is tried: the preferred one, or else the lowest. ``legal``: set of the legal cards;
    ``others``: set of the cards that may lie between two of them.
    """
    cards[0] = preferred
    n = 1
    while legal:
        card = lowest(legal)
        group = group_of(card, legal, others)
        legal &= ~group
        if not group >> preferred & 1:
            cards[n] = card
            n += 1
    return n
