"""The goal of SRP in the current state, as kernels (ECAI 2020, appendices D.1, D.2 and E).

`wants_tricks` decides whether a seat takes tricks or leaves them to the opponents, from the bids, the tricks so far,
the spade tricks that are certain, the risk of bags and, from SRP 3 on, the game's score. SRP is made of pieces, and a
version of SRP is the set of pieces that it uses (`pieces_in_use`).
"""

from spades.bis.estimates import spade_tricks_against
from spades.cards import FIRST_SPADE, highest, spades_of
from spades.legal import contract_of, is_nil
from spades.play.state import PlayState
from spades.play.tricks import beats, cards_above, tricks_left, tricks_needed, written_rules
from spades.scoring import contract_factor, nil_stake

# The pieces of SRP, as bits of `PlayState.pieces`. Each can be switched off to measure how much it wins. The first nine
# are those of SRP 1. SRP 3 has the next nine and reads no signals; SRP 4 added the others.
SRP_PIECE_NAMES = (
    "sure takes",
    "setting",
    "bag dodging",
    "nil play",
    "cover",
    "attack",
    "position",
    "leads",
    "signals",
    "own share",
    "low cards kept",
    "high under partner",
    "trumps kept",
    "a ruff behind",
    "high leads",
    "covers kept",
    "odds of a cover",
    "stakes",
    "beating the table",
    "sure after the card",
    "a nil is caught",
    "attacks that pay",
    "a safe nil",
    "own contract",
    "low beside a nil",
    "aces kept",
    "low ruffs",
    "free tricks",
    "high when winning",
    "fitted leads",
    "covers kept if few bid",
    "second hand ruffs",
)
SURE_TAKES, SETTING, BAG_DODGING, NIL_PLAY, COVER, ATTACK, POSITION, LEADS, SIGNALS = (1 << i for i in range(9))
OWN_SHARE, LOW_KEPT, UNDER_PARTNER, TRUMPS_KEPT, RUFF_BEHIND, HIGH_LEADS, COVER_KEPT, COVER_ODDS, STAKES = (
    1 << i for i in range(9, 18)
)
(
    BEATS_TABLE,
    SURE_AFTER,
    NIL_CAUGHT,
    ATTACK_STAKES,
    SAFE_NIL,
    OWN_CONTRACT,
    LOW_BESIDE_NIL,
    ACES_KEPT,
    LOW_RUFFS,
    FREE_TRICKS,
    HIGH_WINNING,
    FITTED_LEADS,
    COVER_FEW,
    SECOND_RUFFS,
) = (1 << i for i in range(18, 32))
N_PIECES = len(SRP_PIECE_NAMES)
ALL_PIECES = (1 << N_PIECES) - 1
SRP_1_PIECES = OWN_SHARE - 1  # the pieces of SRP 1
SRP_3_COUNT = 18
SRP_3_PIECES = (1 << SRP_3_COUNT) - 1  # the pieces of SRP 3, and the signals that it does not read

# Appendix E names types of rounds by the sum of the four bids. Only one limit between two types matters here: up to
# this sum, the round is *under*, and tricks are left over.
UNDER_BID = 10
# Found in duplicate games, like the weights of all leads and discards.
FEW_BID = 9  # up to this sum of bids, a seat keeps low cards, and if sure of its own bid leaves the rest to partner
SHARE_SLACK = 2  # a seat leaves the rest to partner only if the side can lose this many tricks
SETTABLE = 4  # try to set opponents who would win the game otherwise, if they can lose at most this many more tricks


def pieces_in_use(state: PlayState, me: int, version: int) -> int:
    """Return the pieces with which ``version`` (1, 3 or 4) of SRP plays from seat ``me``, as a bit mask.

    SRP 1 knows only the first pieces. SRP 3 uses only these too if both sides bid nil, because sums of bids then say
    little: with all pieces in such rounds, SRP lost 3.5 points per round in variant `suicide`, where each side bids one
    nil. SRP 4 keeps its own pieces. SRP 3 and 4 read no signals.
    """
    pieces = int(state.pieces[me])
    both_bid_nil = (is_nil(state.bid[0]) or is_nil(state.bid[2])) and (is_nil(state.bid[1]) or is_nil(state.bid[3]))
    if version < 4:
        pieces &= SRP_3_PIECES
    if version == 1 or both_bid_nil:
        pieces &= SRP_1_PIECES | ~SRP_3_PIECES
    return pieces & ~SIGNALS if version >= 3 else pieces


def sum_of_contracts(state: PlayState) -> int:
    """Return the sum of the four bids; a nil counts as 0."""
    return contract_of(state.bid[0]) + contract_of(state.bid[1]) + contract_of(state.bid[2]) + contract_of(state.bid[3])


def wants_tricks(state: PlayState, me: int, unseen: int, pieces: int) -> bool:
    """Return whether seat ``me`` plays to take tricks. Nils that can still be made are not considered."""
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
    free = pieces & FREE_TRICKS and not bags_cost(state)
    if need > 0:
        if free:
            return True
        sure = spade_tricks_against(spades_of(state.hand[me]), spades_of(unseen))
        if pieces & OWN_SHARE and total <= FEW_BID and left - need >= SHARE_SLACK:
            if contract_of(state.bid[me]) - state.taken[me] <= sure:
                return False
        return not (pieces & SURE_TAKES and total <= UNDER_BID and sure >= need)
    if not pieces & BAG_DODGING:
        return True
    if free:
        return settable
    # The opponents can lose `left - theirs` more tricks without being set.
    return bool(pieces & SETTING and settable and (total > UNDER_BID or left - theirs <= 1))


def bags_cost(state: PlayState) -> bool:
    """Return whether a side loses something by tricks beyond its contract; also if the state holds no rules."""
    rules = written_rules(state)
    return rules.win <= 0 or (rules.bags > 0 and rules.bag_penalty > 0)


def needs_after(state: PlayState, me: int, card: int, unseen: int) -> bool:
    """Return whether seat ``me``, which meant to lose tricks, must win this one, because ``card`` is a trick it needs.

    The seat does not want tricks if its spades are certain to win those that are needed. That must still be so without
    the spade that it is about to play.
    """
    need = tricks_needed(state, me)
    if card < FIRST_SPADE or need <= 0 or need > tricks_left(state) or is_nil(state.bid[me]):
        return False
    hand = state.hand[me]
    before = spade_tricks_against(spades_of(hand), spades_of(unseen))
    after = spade_tricks_against(spades_of(hand & ~(1 << card)), spades_of(unseen))
    if after == before:
        return False
    last = state.trick_size == 3
    wins = 1 if last and beats(card, state.best_card) else 0
    ours = 1 if wins or (last and state.winner == (me + 2) & 3) else 0  # tricks that our side has after this card
    own = contract_of(state.bid[me]) - state.taken[me]
    return after < need - ours if before >= need else after < own - wins


def projected(state: PlayState, side: int) -> int:
    """Return a side's points after the round, without bags, if it makes its contract and its live nils are made."""
    rules = written_rules(state)
    points, factor = state.score[side], contract_factor(state.bid[side], state.bid[side + 2])
    for seat in range(side, 4, 2):
        stake = nil_stake(state.bid[seat], rules)
        points += 10 * factor * contract_of(state.bid[seat]) + (-stake if state.taken[seat] else stake)
    return int(points)


def contract_at_stake(state: PlayState, me: int) -> int:
    """Return the points of our side's contract."""
    bid, partner_bid = state.bid[me], state.bid[(me + 2) & 3]
    return 10 * contract_factor(bid, partner_bid) * (contract_of(bid) + contract_of(partner_bid))


def nil_at_stake(state: PlayState, nil_seat: int) -> int:
    """Return the points of the nil of ``nil_seat``; 100 if the state holds no rules."""
    return nil_stake(state.bid[nil_seat], written_rules(state)) if state.rules[0] > 0 else 100


def must_set(state: PlayState, me: int) -> bool:
    """Return whether the opponents win the game unless they are set or one of their nils fails."""
    if state.rules[0] <= 0:
        return False  # the state holds no rules
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
