"""Playing a round: its state, the rules of tricks, and the card players, for the service and the simulator.

`spades.choose_card` plays a card from texts. With a play state of your own:

>>> from spades.cards import parse_pbn
>>> state = PlayState(bid=[6, 2, 3, 1])
>>> state.hand[0] = parse_pbn("AKJ62.AQ.Q.K9543")
>>> name, choose = PLAYERS[False]
>>> card = choose(state, 0)
>>> play_card(state, 0, card)
>>> name, state.trick_size, state.winner, card == state.best_card
('srp@4', 1, 0, True)
"""

from spades.play.card_explanation import PLAYERS, SRP_OF_SEARCH, card_reason, explain_card
from spades.play.distilled import check_net, net_choice
from spades.play.history import Impossible, Known, state_at_turn, state_before, write_scores
from spades.play.mistakes import mistaken_card
from spades.play.net_inputs import CARD_INPUTS, POSITION_INPUTS, card_inputs, position_inputs
from spades.play.solo import solo1, solo2
from spades.play.srp.goals import (
    ALL_PIECES,
    SRP_3_COUNT,
    SRP_3_PIECES,
)
from spades.play.srp.player import srp1, srp3, srp4
from spades.play.state import PlayState, rule_values
from spades.play.tricks import (
    MASK32,
    beats,
    cards_above,
    cards_below,
    cards_between,
    copy_state,
    group_of,
    legal_cards,
    lowest_club,
    open_cards,
    play_card,
    start_play,
    suit_mask,
    tricks_needed,
    unseen_cards,
    write_rules,
    written_rules,
)
from spades.play.wrp import wrp_card

__all__ = [
    "ALL_PIECES",
    "CARD_INPUTS",
    "MASK32",
    "PLAYERS",
    "POSITION_INPUTS",
    "SRP_3_COUNT",
    "SRP_3_PIECES",
    "SRP_OF_SEARCH",
    "Impossible",
    "Known",
    "PlayState",
    "beats",
    "card_inputs",
    "card_reason",
    "cards_above",
    "cards_below",
    "cards_between",
    "check_net",
    "copy_state",
    "explain_card",
    "group_of",
    "legal_cards",
    "lowest_club",
    "mistaken_card",
    "net_choice",
    "open_cards",
    "play_card",
    "position_inputs",
    "rule_values",
    "solo1",
    "solo2",
    "srp1",
    "srp3",
    "srp4",
    "start_play",
    "state_at_turn",
    "state_before",
    "suit_mask",
    "tricks_needed",
    "unseen_cards",
    "write_rules",
    "write_scores",
    "written_rules",
    "wrp_card",
]
