"""Playing a round: its state, the rules of tricks, and the card players, for the service and the simulator.

`spades.choose_card` plays a card from texts. With a play state of your own:

>>> from spades.cards import format_card, parse_pbn
>>> state = PlayState(bid=[6, 2, 3, 1])
>>> state.hand[0] = parse_pbn("AKJ62.AQ.Q.K9543")
>>> name, choose = PLAYERS[False]
>>> card = choose(state, 0)
>>> play_card(state, 0, card)
>>> name, state.trick_size, state.winner, card == state.best_card
('srp@4', 1, 0, True)
"""

from spades.play.card_reasons import PLAYERS, explain_card
from spades.play.history import Impossible, Known, state_before
from spades.play.state import PlayState
from spades.play.tricks import legal_cards, play_card, write_rules

__all__ = [
    "PLAYERS",
    "Impossible",
    "Known",
    "PlayState",
    "explain_card",
    "legal_cards",
    "play_card",
    "state_before",
    "write_rules",
]
