"""What a player for herself plays for in the current state, as kernels: take tricks, or leave them?

All three others are opponents; each plays for her own contract. `srp1.goals` is the same for a side.
"""

from typing import Any

from service.bidding.game.scoring import contract_of, is_nil
from tables.engine.rules import BID, HAND, PIECES, TAKEN
from tables.players.common import tricks_left
from tables.players.srp1.goals import sum_of_contracts, sure_takes

# Pieces that can be switched off one at a time, to measure what each is worth.
SURE_TAKES, SETTING, BAG_DODGING, NIL_PLAY, ATTACK, POSITION, LEADS = (1 << i for i in range(7))
PIECE_NAMES = ("sure takes", "setting", "bag dodging", "nil play", "attack", "position", "leads")


def own_need(s: Any, seat: int) -> int:
    """Tricks that ``seat`` still needs for her contract; 0 or less when made, and for a nil."""
    bid = s[BID + seat]
    return 0 if is_nil(bid) else int(contract_of(bid) - s[TAKEN + seat])


def others_need(s: Any, me: int) -> int:
    """Tricks that the three others still need together, of those who can still make their contracts."""
    left = tricks_left(s)
    total = 0
    for step in range(1, 4):
        need = own_need(s, (me + step) & 3)
        if 0 < need <= left:
            total += need
    return total


def is_safe(s: Any, me: int, unseen: int) -> bool:
    """Whether her contract is made, or sure to be from spades alone: then others' nils may be gone for.

    Worth .5 (+-.5) percent of games against going for them while the contract can be made at all.
    """
    need = own_need(s, me)
    return need <= 0 or sure_takes(s[HAND + me] >> 48, unseen >> 48) >= need


def wants_tricks(s: Any, me: int, unseen: int) -> bool:
    """Whether seat ``me`` plays to take tricks (with no live nil to think of)."""
    pieces = s[PIECES + me]
    need = own_need(s, me)
    left = tricks_left(s)
    if 0 < need <= left:
        sure = pieces & SURE_TAKES and sum_of_contracts(s) <= 10
        return not (sure and sure_takes(s[HAND + me] >> 48, unseen >> 48) >= need)
    if not pieces & BAG_DODGING:
        return True
    if not pieces & SETTING:
        return False
    # Made, or set for certain: a trick of ours can only set somebody, where few are to spare.
    theirs = others_need(s, me)
    spare = left - theirs
    if need > 0:  # set: tricks cost nothing
        return theirs > 0 and spare <= 3
    return theirs > 0 and spare <= 0
