"""The play state and the rules of play, as kernels: deal, legal cards, tricks.

A state is a flat array of SIZE int64; the constants below name its cells. Seats are 0..3 in bidding order:
seat 0 bids first and leads first. Players (`tables.players`) read of it only what their seat may see.
"""

from typing import Any

from service.bidding.game.cards import FIRST_SPADE, SPADE_BITS
from service.bidding.game.rules import Rules

HAND = 0  # four hands, card masks
BID = 4  # four bids, 0..13 or BLIND_NIL
TAKEN = 8  # four counts of tricks
VOID = 12  # four masks of the suits a seat has shown to be out of
SCORE = 16  # two sides' scores before the round, points (side = seat & 1)
BAG = 18  # two sides' bags before the round
PLAYED = 20  # mask of all cards played, the current trick's too
COUNT = 21  # cards in the current trick
CARD = 22  # four cards of the current trick in order of play
LEADER = 26  # seat that leads the current trick
WINNER = 27  # seat that wins the current trick so far
BEST = 28  # her card
BROKEN = 29  # 1 once a spade has been played
FOLLOWED = 30  # four: five bits a suit, rank + 1 of the first card with which a seat followed under a boss
SIGNAL = 34  # four masks of suits in which a seat has completed a high-low signal
PLAYER = 38  # four player ids (players.choose)
PIECES = 42  # four masks of SRP's pieces in use, above them UCT's options (players.srp1, players.uct)
RNG = 46  # four words of the generator's state
CHOICES = 50  # legal cards summed over all plays, for the branching factor
DECK_CELL = 51  # mask of all cards in play
RULE = 52  # the 16 fields of the rules, for players that reckon in points (players.uct)
SEAT_SCORE = 68  # four scores before the round, where each seat plays for itself (variant cutthroat)
SEAT_BAG = 72  # four seats' bags there
SIZE = 76

MASK32 = 0xFFFFFFFF


def carry_rules(state: Any, rules: Rules) -> None:
    """Write the rules into the state."""
    cell = RULE
    for value in rules:
        state[cell] = value
        cell += 1


def carried_rules(state: Any) -> Rules:
    """The rules as `carry_rules` wrote them."""
    return Rules(
        state[RULE],
        state[RULE + 1],
        state[RULE + 2],
        state[RULE + 3],
        state[RULE + 4],
        state[RULE + 5],
        state[RULE + 6],
        state[RULE + 7],
        state[RULE + 8],
        state[RULE + 9],
        state[RULE + 10],
        state[RULE + 11],
        state[RULE + 12],
        state[RULE + 13],
        state[RULE + 14],
        state[RULE + 15],
    )


def suit_mask(suit: int) -> int:
    """All cards of a suit."""
    return 0x7FFF << (suit << 4)


def legal_cards(hand: int, count: int, first: int, broken: int) -> int:
    """The cards of ``hand`` that may be played; ``first`` is the trick's first card where ``count`` > 0."""
    if count > 0:
        follow = hand & suit_mask(first >> 4)
        return follow if follow else hand
    if broken:
        return hand
    side = hand & ~SPADE_BITS
    return side if side else hand


def beats(card: int, best: int) -> bool:
    """Whether ``card`` wins over the card that wins so far: higher in its suit, or a spade on a side card."""
    return card > best and (card >> 4 == best >> 4 or card >= FIRST_SPADE)


def play_card(state: Any, seat: int, card: int) -> None:
    """Play ``card`` from ``seat``; the fourth card of a trick gives it to its winner, who leads next."""
    count = state[COUNT]
    suit = card >> 4
    if count == 0:
        state[BEST] = card
        state[WINNER] = seat
    else:
        led = state[CARD] >> 4
        best = state[BEST]
        if suit != led:
            state[VOID + seat] |= 1 << led
        else:
            _note_signal(state, seat, card, best)
        if beats(card, best):
            state[BEST] = card
            state[WINNER] = seat
    state[HAND + seat] &= ~(1 << card)
    state[PLAYED] |= 1 << card
    state[CARD + count] = card
    if card >= FIRST_SPADE:
        state[BROKEN] = 1
    if count == 3:
        winner = state[WINNER]
        state[TAKEN + winner] += 1
        state[LEADER] = winner
        state[COUNT] = 0
    else:
        state[COUNT] = count + 1


def _note_signal(state: Any, seat: int, card: int, best: int) -> None:
    # High-low doubleton (appendix D.3): followed under a boss, then lower in the next trick of the suit.
    suit = card >> 4
    if suit == 3:
        return
    shift = 5 * suit
    first = state[FOLLOWED + seat] >> shift & 31
    if first == 0:
        above_best = suit_mask(suit) & state[DECK_CELL] & ~((2 << best) - 1)
        under_boss = best >> 4 == suit and best > card and above_best & ~state[PLAYED] == 0
        state[FOLLOWED + seat] |= ((card & 15) + 1 if under_boss else 31) << shift
    elif first < 31:
        if card & 15 < first - 1:
            state[SIGNAL + seat] |= 1 << suit
        state[FOLLOWED + seat] |= 31 << shift
