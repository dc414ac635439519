"""The goal of SRP 2, as kernels: like `srp1.goals`, but it also considers each seat's own bid and the game's score.

The pieces below are the new ones, as bits of `PlayState.pieces`. SRP 2 always uses all pieces of SRP 1.
"""

from service.bidding.bis.regular import sure_takes
from service.bidding.game.cards import highest, spades_of
from service.bidding.game.scoring import contract_of, is_nil, nil_stake
from service.playing.common import cards_above, tricks_left, tricks_needed
from service.playing.srp1.goals import OVER, UNDER, sum_of_contracts, type_by_sum
from service.playing.state import PlayState
from service.playing.tricks import carried_rules

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

# Found in duplicate games, like the weights of `srp1`.
FEW_BID = 9  # up to this sum of bids, a seat keeps low cards, and if sure of its own bid leaves the rest to partner
SHARE_SLACK = 2  # a seat leaves the rest to partner only if the side can lose this many tricks
SETTABLE = 4  # try to set opponents who would win the game otherwise, if they can lose at most this many more tricks


def pieces_in_use(state: PlayState, me: int) -> int:
    """Return the pieces that seat ``me`` plays with: 0 if both sides bid nil, because sums of bids then say little.

    With the pieces in such rounds, SRP 2 lost 3.5 points per round in variant `suicide`, where each side bids one nil.
    """
    if (is_nil(state.bid[0]) or is_nil(state.bid[2])) and (is_nil(state.bid[1]) or is_nil(state.bid[3])):
        return 0
    return int(state.pieces[me])


def wants_tricks(state: PlayState, me: int, unseen: int) -> bool:
    """Return whether seat ``me`` plays to take tricks. Nils that can still be made are not considered."""
    pieces = pieces_in_use(state, me)
    need = tricks_needed(state, me)
    theirs = tricks_needed(state, (me + 1) & 3)
    left = tricks_left(state)
    settable = 0 < theirs <= left
    if pieces & STAKES and settable and left - theirs <= SETTABLE and must_set(state, me):
        return True
    if is_nil(state.bid[me]):
        # The nil has failed, and its tricks do not count for the contract. They can only help to set the opponents.
        return settable and left - theirs <= 3
    if need > left:
        # Our side is already set, so tricks cost nothing. Take them while that can set the opponents; otherwise leave
        # them to the opponents as bags.
        return settable
    total = sum_of_contracts(state)
    if need > 0:
        sure = sure_takes(spades_of(state.hand[me]), spades_of(unseen))
        if pieces & OWN_SHARE and total <= FEW_BID and left - need >= SHARE_SLACK:
            if contract_of(state.bid[me]) - state.taken[me] <= sure:
                return False
        return not (type_by_sum(total) <= UNDER and sure >= need)
    # The opponents can lose `left - theirs` more tricks without being set.
    return settable and (type_by_sum(total) >= OVER or left - theirs <= 1)


def projected(state: PlayState, side: int) -> int:
    """Return a side's points after the round, without bags, if it makes its contract and its live nils are made."""
    rules = carried_rules(state)
    points = state.score[side]
    for seat in range(side, 4, 2):
        stake = nil_stake(state.bid[seat], rules)
        points += 10 * contract_of(state.bid[seat]) + (-stake if state.taken[seat] else stake)
    return int(points)


def must_set(state: PlayState, me: int) -> bool:
    """Return whether the opponents win the game unless they are set or one of their nils fails."""
    if state.rules[0] <= 0:
        return False  # the state carries no rules
    theirs = projected(state, 1 - (me & 1))
    return theirs >= state.rules[0] and theirs > projected(state, me & 1)


def wins_by_contract(state: PlayState, me: int) -> bool:
    """Return whether our contract alone wins the game, even if the opponents make theirs (except for a few bags)."""
    if state.rules[0] <= 0:
        return False
    ours = projected(state, me & 1)
    return ours >= state.rules[0] and ours > projected(state, 1 - (me & 1)) + 5


def middle_card(cards: int, unseen: int) -> int:
    """Return the highest of ``cards`` (one suit) that some unseen card beats, to keep both bosses and low cards.

    If all cards are bosses, return the lowest.
    """
    while cards & (cards - 1):
        top = highest(cards)
        if unseen & cards_above(top):
            return top
        cards &= ~(1 << top)
    return highest(cards)
