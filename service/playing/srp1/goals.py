"""The goal of SRP in the current state, as kernels (ECAI 2020, appendices D.1, D.2 and E).

`wants_tricks` decides whether a seat takes tricks or leaves them to the opponents, from the bids, the tricks so far,
the spade tricks that are certain and the risk of bags.
"""

from service.bidding.bis.regular import sure_takes
from service.bidding.game.cards import spades_of
from service.bidding.game.scoring import contract_of, is_nil
from service.playing.common import tricks_left, tricks_needed
from service.playing.state import PlayState

# The pieces of SRP, as bits of `PlayState.pieces`. Each can be switched off to measure how much it wins.
SURE_TAKES, SETTING, BAG_DODGING, NIL_PLAY, COVER, ATTACK, POSITION, LEADS, SIGNALS = (1 << i for i in range(9))
PIECE_NAMES = ("sure takes", "setting", "bag dodging", "nil play", "cover", "attack", "position", "leads", "signals")
ALL_PIECES = 511

# Round types (appendix E): by the sum of the four bids, and by who bid nil. Of the types by sum, the goal differs only
# between UNDER (up to 10) and OVER. In duplicate games, other limits (8, 11 or 12) lost points, and a different goal
# from 14 on changed nothing.
STRONG_UNDER, UNDER, OVER, FOURTEEN, STRONG_OVER = range(5)
WE_NIL, PARTNER_NIL, OPPONENTS_NIL, NIL_VERSUS_NIL, DOUBLE_NIL = range(5, 10)


def round_type(state: PlayState, me: int) -> int:
    """Return the type of the round as seat ``me`` sees it.

    The type depends on who bid nil. Without nils it depends on the sum of the four bids (appendix E).
    """
    ours = is_nil(state.bid[me]) or is_nil(state.bid[((me + 2) & 3)])
    theirs = is_nil(state.bid[((me + 1) & 3)])
    if is_nil(state.bid[((me + 3) & 3)]):
        if theirs and not ours:
            return DOUBLE_NIL
        theirs = True
    if ours:
        if theirs:
            return NIL_VERSUS_NIL
        return WE_NIL if is_nil(state.bid[me]) else PARTNER_NIL
    return OPPONENTS_NIL if theirs else type_by_sum(sum_of_contracts(state))


def type_by_sum(total: int) -> int:
    """Return the round type for ``total``, the sum of the four bids.

    `wants_tricks` uses it in rounds with a nil too.
    """
    if total <= 8:
        return STRONG_UNDER
    if total <= 10:
        return UNDER
    if total <= 13:
        return OVER
    return FOURTEEN if total == 14 else STRONG_OVER


def sum_of_contracts(state: PlayState) -> int:
    """Return the sum of the four bids; a nil counts as 0."""
    return contract_of(state.bid[0]) + contract_of(state.bid[1]) + contract_of(state.bid[2]) + contract_of(state.bid[3])


def wants_tricks(state: PlayState, me: int, unseen: int) -> bool:
    """Return whether seat ``me`` plays to take tricks. Nils that can still be made are not considered."""
    pieces = state.pieces[me]
    need = tricks_needed(state, me)
    theirs = tricks_needed(state, (me + 1) & 3)
    left = tricks_left(state)
    kind = type_by_sum(sum_of_contracts(state))
    if is_nil(state.bid[me]):
        # The nil has failed, and its tricks do not count for the contract. They can only help to set the opponents.
        return 0 < theirs <= left and left - theirs <= 3
    if need > left:
        # Our side is already set, so tricks cost nothing. Take them while that can set the opponents; otherwise leave
        # them to the opponents as bags.
        return 0 < theirs <= left
    if need > 0:
        if pieces & SURE_TAKES and kind <= UNDER and sure_takes(spades_of(state.hand[me]), spades_of(unseen)) >= need:
            return False
        return True
    if not pieces & BAG_DODGING:
        return True
    if theirs <= 0 or theirs > left or not pieces & SETTING:
        return False
    # The opponents can lose `spare` more tricks without being set.
    spare = left - theirs
    return kind >= OVER or spare <= 1
