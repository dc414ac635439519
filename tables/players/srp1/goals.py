"""What SRP plays for in the current state (ECAI 2020, appendices D.1, D.2 and E), as kernels.

`sure_takes` is the worst-case count of spade tricks; `wants_tricks` turns bids, tricks and bags-to-come
into one question: take tricks, or leave them to the opponents?
"""

from service.bidding.game.scoring import contract_of, is_nil
from tables.engine.play_state import PlayState
from tables.players.common import tricks_left, tricks_needed

# Pieces that can be switched off one at a time, to measure what each is worth.
SURE_TAKES, SETTING, BAG_DODGING, NIL_PLAY, COVER, ATTACK, POSITION, LEADS, SIGNALS = (1 << i for i in range(9))
PIECE_NAMES = ("sure takes", "setting", "bag dodging", "nil play", "cover", "attack", "position", "leads", "signals")
ALL_PIECES = 511

# Round types (appendix E). Goals change between UNDER and OVER; finer steps lost points in duplicate games (ducking
# early only up to 8, or up to 11 or 12) or changed none (14 and more apart from 11-13).
STRONG_UNDER, UNDER, OVER, FOURTEEN, STRONG_OVER = range(5)
WE_NIL, PARTNER_NIL, OPPONENTS_NIL, NIL_VERSUS_NIL, DOUBLE_NIL = range(5, 10)


def sure_takes(spades: int, unseen: int) -> int:
    """Tricks that ``spades`` must win though one opponent held all ``unseen`` spades and we led each time.

    Both are masks of one suit. Each of ours is led from the top; the opponent beats it as cheaply as he
    can, or throws his lowest (Wastlund's one-suit whist, worst case).
    """
    sure = 0
    while spades:
        card = 1 << (spades.bit_length() - 1)
        spades ^= card
        higher = unseen & ~(card * 2 - 1)
        if higher:
            unseen ^= higher & -higher
        else:
            sure += 1
            unseen &= unseen - 1
    return sure


def round_type(state: PlayState, me: int) -> int:
    """The round's type as seat ``me`` sees it (appendix E): by who bid nil, else by the sum of the four bids."""
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
    """The type of a round by the sum of its four bids; nil rounds have one too, for what is left to play for."""
    if total <= 8:
        return STRONG_UNDER
    if total <= 10:
        return UNDER
    if total <= 13:
        return OVER
    return FOURTEEN if total == 14 else STRONG_OVER


def sum_of_contracts(state: PlayState) -> int:
    """Sum of the four bids, nils as 0."""
    return contract_of(state.bid[0]) + contract_of(state.bid[1]) + contract_of(state.bid[2]) + contract_of(state.bid[3])


def wants_tricks(state: PlayState, me: int, unseen: int) -> bool:
    """Whether seat ``me`` plays to take tricks (with no live nil to think of)."""
    pieces = state.pieces[me]
    need = tricks_needed(state, me)
    theirs = tricks_needed(state, (me + 1) & 3)
    left = tricks_left(state)
    kind = type_by_sum(sum_of_contracts(state))
    if is_nil(state.bid[me]):
        # A failed nil's tricks don't help its side's contract: only setting the others is left to play for.
        return 0 < theirs <= left and left - theirs <= 3
    if need > left:
        # Set already: tricks cost us nothing; take them while they can set the others, else give them bags.
        return 0 < theirs <= left
    if need > 0:
        if pieces & SURE_TAKES and kind <= UNDER and sure_takes(state.hand[me] >> 48, unseen >> 48) >= need:
            return False
        return True
    if not pieces & BAG_DODGING:
        return True
    if theirs <= 0 or theirs > left or not pieces & SETTING:
        return False
    # They can lose `spare` tricks more before they are set.
    spare = left - theirs
    return kind >= OVER or spare <= 1
