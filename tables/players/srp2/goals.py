"""What SRP 2 plays for: as `srp1.goals`, with each seat's own share, the stakes of the game and cards worth keeping.

The pieces below are the new ones; those of SRP 1 are always in use here.
"""

from service.bidding.game.cards import highest
from service.bidding.game.scoring import contract_of, is_nil, nil_stake
from tables.engine.play import carried_rules
from tables.engine.play_state import PlayState
from tables.players.common import cards_above, tricks_left, tricks_needed
from tables.players.srp1.goals import OVER, UNDER, sum_of_contracts, sure_takes, type_by_sum

OWN_SHARE, LOW_KEPT, UNDER_PARTNER, TRUMPS_KEPT, RUFF_BEHIND, HIGH_LEADS, COVER_KEPT, COVER_ODDS, STAKES = (
    1 << i for i in range(9)
)
PIECE_NAMES = (
    "own share",
    "low cards kept",
    "high under partner",
    "trumps kept",
    "a ruff behind",
    "high leads",
    "covers kept",
    "odds of a cover",
    "stakes",
)

# Found in duplicate games, as the weights of `srp1`.
FEW_BID = 9  # up to this sum of bids a seat with its own tricks leaves the rest to partner, and low cards are kept
SHARE_SLACK = 2  # tricks of those left that the side can spare, for a share to be left to partner
SETTABLE = 4  # tricks the others may still lose and be thought settable when the game hangs on it


def pieces_in_use(state: PlayState, me: int) -> int:
    """The pieces that seat ``me`` plays with: none where both sides bid nil, for there sums of bids say little.

    With them it lost 3.5 points a round in variant `suicide`, where every side bids one.
    """
    if (is_nil(state.bid[0]) or is_nil(state.bid[2])) and (is_nil(state.bid[1]) or is_nil(state.bid[3])):
        return 0
    return int(state.pieces[me])


def wants_tricks(state: PlayState, me: int, unseen: int) -> bool:
    """Whether seat ``me`` plays to take tricks (with no live nil to think of)."""
    pieces = pieces_in_use(state, me)
    need = tricks_needed(state, me)
    theirs = tricks_needed(state, (me + 1) & 3)
    left = tricks_left(state)
    settable = 0 < theirs <= left
    if pieces & STAKES and settable and left - theirs <= SETTABLE and must_set(state, me):
        return True
    if is_nil(state.bid[me]):
        # A failed nil's tricks don't help its side's contract: only setting the others is left to play for.
        return settable and left - theirs <= 3
    if need > left:
        # Set already: tricks cost us nothing; take them while they can set the others, else give them bags.
        return settable
    total = sum_of_contracts(state)
    if need > 0:
        sure = sure_takes(state.hand[me] >> 48, unseen >> 48)
        if pieces & OWN_SHARE and total <= FEW_BID and left - need >= SHARE_SLACK:
            if contract_of(state.bid[me]) - state.taken[me] <= sure:
                return False
        return not (type_by_sum(total) <= UNDER and sure >= need)
    # They can lose `left - theirs` tricks more before they are set.
    return settable and (type_by_sum(total) >= OVER or left - theirs <= 1)


def projected(state: PlayState, side: int) -> int:
    """A side's points after the round if it makes its contract and keeps its live nils; bags not counted."""
    rules = carried_rules(state)
    points = state.score[side]
    for seat in range(side, 4, 2):
        stake = nil_stake(state.bid[seat], rules)
        points += 10 * contract_of(state.bid[seat]) + (-stake if state.taken[seat] else stake)
    return int(points)


def must_set(state: PlayState, me: int) -> bool:
    """Whether the others win the game unless they are set or a nil of theirs fails."""
    if state.rules[0] <= 0:
        return False  # a state that carries no rules
    theirs = projected(state, 1 - (me & 1))
    return theirs >= state.rules[0] and theirs > projected(state, me & 1)


def wins_by_contract(state: PlayState, me: int) -> bool:
    """Whether our contract alone wins the game, whatever the others make (a few bags apart)."""
    if state.rules[0] <= 0:
        return False
    ours = projected(state, me & 1)
    return ours >= state.rules[0] and ours > projected(state, 1 - (me & 1)) + 5


def middle_card(cards: int, unseen: int) -> int:
    """The highest of ``cards`` (one suit) that an unseen card beats: neither a boss nor a low card is given up.

    The lowest where all are bosses.
    """
    while cards & (cards - 1):
        top = highest(cards)
        if unseen & cards_above(top):
            return top
        cards &= ~(1 << top)
    return highest(cards)
