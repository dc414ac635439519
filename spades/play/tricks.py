"""The rules of play on a play state, as kernels: legal cards and tricks."""

from spades.cards import FIRST_SPADE, SPADE_BITS
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


def suit_mask(suit: int) -> int:
    """Return the bit mask of all cards of a suit."""
    return 0xFFFF << (suit << 4)


def legal_cards(hand: int, count: int, first: int, broken: int) -> int:
    """Return the cards of ``hand`` that may be played, as a bit mask.

    ``count``: cards in the trick so far; ``first``: the trick's first card, if there is one; ``broken``: 1 after the
    first spade has been played.
    """
    if count > 0:
        follow = hand & suit_mask(first >> 4)
        return follow if follow else hand
    if broken:
        return hand
    side = hand & ~SPADE_BITS
    return side if side else hand


def beats(card: int, best: int) -> bool:
    """Return whether ``card`` wins over the best card so far: a higher card of its suit, or a spade on another suit."""
    return card > best and (card >> 4 == best >> 4 or card >= FIRST_SPADE)


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
    if card >= FIRST_SPADE:
        state.broken = 1
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
