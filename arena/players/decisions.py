"""Play on to a decision, or to the end of the round, as kernels; the state's card players choose the cards."""

from arena.engine.deal import random_bit, uniform
from arena.engine.jit import register
from arena.players.choose_card import choose_card
from arena.players.touching import distinct_cards
from spades.cards import lowest
from spades.play import PlayState, legal_cards, play_card


def play_to_decision(state: PlayState, first: int, randomly: float) -> tuple[int, int]:
    """Play ``first`` cards, then continue until a seat has a choice: two legal cards that do not touch.

    Each card played is a random legal one with probability ``randomly``. Return the seat that decides, and its legal
    cards as a bit mask, without all touching cards but the lowest. If no seat has a choice, these are the seat and the
    card of the last play, which is not made.
    """
    seat = 0
    cards = 0
    for place in range(52):
        seat = (state.leader + state.trick_size) & 3
        if place >= first:
            cards = distinct_cards(state, seat)
            if cards & (cards - 1):
                break
        card = choose_card(state, seat)
        if uniform(state) < randomly:
            legal = legal_cards(state.hand[seat], state.trick_size, state.trick[0], state.broken)
            card = lowest(random_bit(state, legal))
        if place < 51:
            play_card(state, seat, card)
    return seat, cards


def finish_play(state: PlayState) -> None:
    """Play the rest of the round."""
    left = 0
    for seat in range(4):
        left += state.hand[seat].bit_count()
    for _ in range(left):
        seat = (state.leader + state.trick_size) & 3
        play_card(state, seat, choose_card(state, seat))


register(__name__)
