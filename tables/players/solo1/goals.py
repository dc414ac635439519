"""What a player for herself plays for in the current state, as kernels: take tricks, or leave them?

All three others are opponents; each plays for her own contract. `srp1.goals` is the same for a side.
"""

from service.bidding.game.scoring import contract_of, is_nil
from tables.engine.play_state import PlayState
from tables.players.common import tricks_left
from tables.players.srp1.goals import sum_of_contracts, sure_takes

# Pieces that can be switched off one at a time, to measure what each is worth.
SURE_TAKES, SETTING, BAG_DODGING, NIL_PLAY, ATTACK, POSITION, LEADS = (1 << i for i in range(7))
PIECE_NAMES = ("sure takes", "setting", "bag dodging", "nil play", "attack", "position", "leads")


def own_need(state: PlayState, seat: int) -> int:
    """Tricks that ``seat`` still needs for her contract; 0 or less when made, and for a nil."""
    bid = state.bid[seat]
    return 0 if is_nil(bid) else int(contract_of(bid) - state.taken[seat])


def others_need(state: PlayState, me: int) -> int:
    """Tricks that the three others still need together, of those who can still make their contracts."""
    left = tricks_left(state)
    total = 0
    for step in range(1, 4):
        need = own_need(state, (me + step) & 3)
        if 0 < need <= left:
            total += need
    return total


def is_safe(state: PlayState, me: int, unseen: int) -> bool:
    """Whether her contract is made, or sure to be from spades alone: then others' nils may be gone for.

    Worth .5 (+-.5) percent of games against going for them while the contract can be made at all.
    """
    need = own_need(state, me)
    return need <= 0 or sure_takes(state.hand[me] >> 48, unseen >> 48) >= need


def wants_tricks(state: PlayState, me: int, unseen: int) -> bool:
    """Whether seat ``me`` plays to take tricks (with no live nil to think of)."""
    pieces = state.pieces[me]
    need = own_need(state, me)
    left = tricks_left(state)
    if 0 < need <= left:
        sure = pieces & SURE_TAKES and sum_of_contracts(state) <= 10
        return not (sure and sure_takes(state.hand[me] >> 48, unseen >> 48) >= need)
    if not pieces & BAG_DODGING:
        return True
    if not pieces & SETTING:
        return False
    # Made, or set for certain: a trick of ours can only set somebody, where few are to spare.
    theirs = others_need(state, me)
    spare = left - theirs
    if need > 0:  # set: tricks cost nothing
        return theirs > 0 and spare <= 3
    return theirs > 0 and spare <= 0
