"""The goal of a player without a partner, as kernels: take tricks or lose them.

All three other players are opponents, and each plays for their own contract. `srp.goals` does the same for a side
of two partners.
"""

from spades.bis.regular import spade_tricks_against
from spades.cards import FIRST_SPADE, spades_of
from spades.play.common import tricks_left
from spades.play.srp.goals import bags_cost, sum_of_contracts
from spades.play.state import PlayState
from spades.play.tricks import beats
from spades.scoring import contract_of, is_nil

# The pieces of SOLO, as bits of `PlayState.pieces`. Each can be switched off to measure how much it wins. SOLO 2 added
# the last three.
SURE_TAKES, SETTING, BAG_DODGING, NIL_PLAY, ATTACK, POSITION, LEADS = (1 << i for i in range(7))
BEATS_TABLE, SURE_AFTER, FREE_TRICKS = (1 << i for i in range(7, 10))
PIECES_1 = BEATS_TABLE - 1  # the pieces of SOLO 1
PIECE_NAMES = (
    *("sure takes", "setting", "bag dodging", "nil play", "attack", "position", "leads"),
    *("beating the table", "sure after the card", "free tricks"),
)


def pieces_in_use(state: PlayState, me: int, version: int) -> int:
    """Return the pieces with which ``version`` (1 or 2) of SOLO plays from seat ``me``, as a bit mask."""
    pieces = int(state.pieces[me])
    return pieces & PIECES_1 if version == 1 else pieces


def own_need(state: PlayState, seat: int) -> int:
    """Return how many tricks ``seat`` still needs for its contract.

    The number is 0 or less if the contract is made, and 0 for a nil.
    """
    bid = state.bid[seat]
    return 0 if is_nil(bid) else int(contract_of(bid) - state.taken[seat])


def others_need(state: PlayState, me: int) -> int:
    """Return how many tricks the other three still need together.

    A player who can no longer make their contract counts 0.
    """
    left = tricks_left(state)
    total = 0
    for step in range(1, 4):
        need = own_need(state, (me + step) & 3)
        if 0 < need <= left:
            total += need
    return total


def is_safe(state: PlayState, me: int, unseen: int) -> bool:
    """Return whether the seat's contract is made or certain from spades alone, so that the seat may attack nils.

    With this rule, SOLO won 0.5 (+-0.5) percent more games than with attacks whenever the contract can still be made.
    """
    need = own_need(state, me)
    return need <= 0 or spade_tricks_against(spades_of(state.hand[me]), spades_of(unseen)) >= need


def needs_after(state: PlayState, me: int, card: int, unseen: int) -> bool:
    """Return whether the seat must win this trick, because ``card`` is one of the spades that its contract needs.

    The seat does not want tricks if its spades are certain to win those that it needs. That must still be so without
    the spade that it is about to play.
    """
    need = own_need(state, me)
    if card < FIRST_SPADE or not 0 < need <= tricks_left(state):
        return False
    wins = 1 if state.trick_size == 3 and beats(card, state.best_card) else 0
    left = spades_of(state.hand[me] & ~(1 << card))
    return spade_tricks_against(left, spades_of(unseen)) < need - wins


def wants_tricks(state: PlayState, me: int, unseen: int, pieces: int) -> bool:
    """Return whether seat ``me`` plays to take tricks. Nils that can still be made are not considered."""
    need = own_need(state, me)
    left = tricks_left(state)
    free = pieces & FREE_TRICKS and not bags_cost(state)
    if 0 < need <= left:
        sure = pieces & SURE_TAKES and sum_of_contracts(state) <= 10 and not free
        return not (sure and spade_tricks_against(spades_of(state.hand[me]), spades_of(unseen)) >= need)
    if not pieces & BAG_DODGING:
        return True
    if not pieces & SETTING:
        return False
    # Our contract is made, or already failed. Another trick only helps to set an opponent who can lose few more tricks.
    theirs = others_need(state, me)
    spare = left - theirs
    if free:
        return theirs > 0
    if need > 0:  # already set: extra tricks cost nothing
        return theirs > 0 and spare <= 3
    return theirs > 0 and spare <= 0
