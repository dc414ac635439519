"""The inputs of the outcome model: a position and a bid as numbers near 0..1, as kernels.

The inputs include the score, because the later bidders also bid by the score: the points left to the goals, the bags
and the win probability before the round. So one model serves every game that has a win table. `model_position` and
`bid_inputs` prepare a decision for the service (`decision`), the simulator (`arena.engine.winprob`) and the training
labels (`tables.learning`).
"""

from typing import NamedTuple

from spades.bis.estimates import LOW_FOUR, Nil, NilTerms, Regular, certain_tricks, consider_nil, regular_takes
from spades.cards import spades_of, suits_of, without_jokers
from spades.legal import EVERY_BID, NIL, NIL_BIT, NO_BID, TRICKS, extra_spades_of, is_nil
from spades.options import FULL, PLAYER_KINDS
from spades.passing import cards_to_pass, given_by_partner, suits_after_pass
from spades.position import (
    Auction,
    contract_factors,
    expected_tricks,
    read_auction,
    sequence_after,
    tricks_of_sides,
)
from spades.rules import PARTNERSHIP, SUICIDE, WHIZ, Rules
from spades.scoring import Standing, bags_matter, side_nil_stake
from spades.tables import Tables, View
from spades.winprob.candidates import NO_NUMBER, candidates, far_bids, needed_number
from spades.winprob.games import WinTableSlice
from spades.winprob.outcomes import NO_NIL, later_nils, nil_stakes, win_probability_after

CARD_INPUTS = 52  # 13 ranks of each side suit, longest suit first, and of spades
POSITION_NAMES = (
    *(f"length_{suit}" for suit in ("longest", "middle", "shortest", "spades")),
    *(f"cnil_{suit}" for suit in ("longest", "middle", "shortest")),
    *("estimate", "takes", "nil_value", "nil_probability", "top_spades", "ruffs"),
    *(f"seat_{seat}" for seat in range(4)),
    *(f"{other}_{what}" for other in ("lho", "partner", "rho") for what in ("has_bid", "nil", "bid")),
    *("sum_of_bids", "sum_with_takes", "mean_next", "mean_second", "mean_third"),
    *(f"{side}_to_goal{within}" for side in ("us", "them") for within in ("", "_within_100", "_within_50")),
    *("us_bags", "them_bags", "us_to_losing", "them_to_losing", "lead", "p_win_minus_p_loss_before"),
    *(f"{other}_is_{kind}" for other in ("lho", "partner", "rho") for kind in PLAYER_KINDS[1:]),
    *("cnil_spades", "nil_pass", "more_spades", "is_whiz", "is_suicide", "no_bags", "nil_points"),
)
BID_NAMES = (
    *("bid", "is_nil", "over", "over_squared", "nil_probability", "side", "opponents", "sum", "late_nil"),
    *("nil_beside", "under_3", "under_2", "under_1", "takes", "over_1", "over_2", "over_3"),
    *("sum_13", "sum_below_10", "side_above_7", "past_goal", "reaches_goal"),
    *("p_win_made", "p_win_made_other_set", "p_win_bags", "p_win_set"),
)
MOST_NIL_POINTS = 200  # largest points of a nil in the games that the net learns; more points count as these
MOST_POINTS = 200  # points that a side can win with its contract: 130 for 13 tricks, 200 for ten with `ten_for_200`
INPUTS = CARD_INPUTS + len(POSITION_NAMES)  # inputs of a position
BID_INPUTS = len(BID_NAMES)  # inputs of a candidate bid
VALUES = BID_NAMES.index("p_win_made")  # index of the first bid input that is the win probability of an outcome
VALUED = (0, 3, 10, 20)  # the outcomes (see `outcomes`) whose win probabilities are the inputs from VALUES on

# Inputs for another seat's bid, from NO_BID to a blind nil: whether the seat has bid, whether it bid nil, and bid / 5.
# A blind nil counts as a bid of -5 to tell it from a nil, because any hand may have bid it.
_BID_OF_OTHER = ((0.0, 0.0, 0.0), (1.0, 1.0, 0.0), *((1.0, 0.0, bid / 5.0) for bid in range(1, 14)), (1.0, 1.0, -1.0))
# Inputs under_3 to over_3, by the bid minus the regular takes, from -12 on.
_STEPS = tuple(tuple(float(max(-3, min(3, step)) == near) for near in range(-3, 4)) for step in range(-12, 13))
_NO_STEP = (0.0,) * 7
# Inputs for how another player bids, by the index in PLAYER_KINDS; all 0 for an unknown player.
_KINDS = tuple(
    tuple(float(kind == known) for known in range(1, len(PLAYER_KINDS))) for kind in range(len(PLAYER_KINDS))
)


class ModelPosition(NamedTuple):
    """A position as the outcome model sees it, and the bids to consider."""

    seat: int
    auction: Auction  # with ordinary bids instead of blind numbers (`ordinary_auction`)
    shift: int  # tricks by which a number that we bid is larger beside this auction
    opposing: int  # tricks that the contract of opponents who bid blind has at least, 0 if they did not
    factors: tuple[int, int]  # by what the points of our contract and of the opponents' are multiplied
    standing: Standing  # with 0 bags if bags decide nothing
    regular: Regular
    nil: Nil
    weighed: int  # the set of bids to consider, as a bit mask
    held: tuple[int, int, int, int]  # the hand's cards, from `holdings`
    inputs: tuple[float, ...]  # in the order of POSITION_NAMES
    to_goal: int  # points that our side needs to reach the goal
    stake: int  # points at stake on partner's nil, NO_NIL if there is none
    stake_with_nil: int  # points at stake on our side's nils if the hand bids nil
    their_stake: int  # points at stake on the opponents' nils, NO_NIL if there is none
    later: int  # points of a nil that partner may bid later (`later_nils`)
    their_later: int  # points of a nil that an opponent may bid later
    certain: int  # tricks that the hand's spades take by force if it bids a number
    certain_nil: int  # the same if it bids nil: fewer if a nil bidder gives cards to partner
    needed: int  # the smallest number that wins the game if everybody makes their bid; NO_NUMBER if there is none
    far: int  # the set of further bids to compare; empty if the round can't end the game


class Expected(NamedTuple):
    """The bids of the other players, in tricks; bids still to come count as their means."""

    partner: float
    opponents: float  # sum of both
    partner_tricks: int  # rounded, as the outcomes count it
    opponents_tricks: int  # rounded


def side_order(clubs: int, diamonds: int, hearts: int) -> tuple[int, int, int]:
    """Return the holdings of the three side suits, longest first: the model treats side suits alike.

    Of two suits of the same length, the one with the higher bits comes first.

    >>> side_order(0b1, 0b110, 0b1000)
    (6, 8, 1)
    """
    a = clubs.bit_count() << 16 | clubs
    b = diamonds.bit_count() << 16 | diamonds
    c = hearts.bit_count() << 16 | hearts
    if a < b:
        a, b = b, a
    if b < c:
        b, c = c, b
    if a < b:
        a, b = b, a
    return a & 0xFFFF, b & 0xFFFF, c & 0xFFFF


def holdings(suits: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Return a hand's cards by suit as the model sees them: side suits in the order of `side_order`, spades last."""
    clubs, diamonds, hearts, spades = suits
    first, second, third = side_order(clubs, diamonds, hearts)
    return first, second, third, spades


def top_spades(spades: int) -> int:
    """Return how many of the highest spades the hand holds without a gap.

    >>> top_spades(0b1101000000000)
    2
    """
    return 13 - (0x1FFF & ~spades).bit_length()


def model_nil(
    suits: tuple[int, int, int, int], auction: Auction, honours: int, allowed: int, rules: Rules, tables: Tables
) -> Nil:
    """Return the hand's nil, considered with threshold 0.

    ``honours``: LOW_FOUR for the model's inputs; 1 for explanations and skill levels, as BIS sees a nil.
    """
    terms = NilTerms(
        threshold=0.0, curves=FULL, honours=honours, nils=1, extra_spades=extra_spades_of(rules.variant, rules)
    )
    return consider_nil(suits, auction, terms, allowed, rules, tables)


def bids_to_weigh(
    suits: tuple[int, int, int, int], auction: Auction, allowed: int, rules: Rules, tables: Tables
) -> tuple[Regular, Nil, int, int]:
    """Return a hand's regular takes, its nil, the set of bids to consider, and the hand's certain tricks.

    ``suits``: from `suits_of`; ``allowed``: the set of bids that the rules allow.
    """
    partner_bid, factor = auction.partner_bid, tables.factor[auction.seat, auction.sum_of_bids]
    regular = regular_takes(suits, 2 - auction.opponents_nils, partner_bid, factor, 0.0, tables)
    nil = model_nil(suits, auction, LOW_FOUR, allowed, rules, tables)
    certain = certain_with_number(suits, partner_bid, rules)
    return regular, nil, candidates(regular.takes, certain, partner_bid, nil.ruled_out, allowed), certain


def certain_with_number(suits: tuple[int, int, int, int], partner_bid: int, rules: Rules) -> int:
    """Return the certain tricks of a hand that bids a number: beside a nil of partner, after giving cards to partner.

    ``suits``: from `suits_of`.
    """
    spades = suits[3]
    given = cards_to_pass(1, partner_bid, rules.nil_pass, rules.blind_nil_pass)
    if given > 0:
        hand = suits[0] | suits[1] << 16 | suits[2] << 32 | spades << 48
        spades = spades_of(hand & ~given_by_partner(hand, given))
    return certain_tricks(spades, extra_spades_of(rules.variant, rules))


def certain_with_nil(suits: tuple[int, int, int, int], rules: Rules) -> int:
    """Return the certain tricks of a hand that bids nil: if nil bidders pass, after giving cards to partner.

    ``suits``: from `suits_of`.
    """
    spades = suits_after_pass(suits, rules)[3] if rules.nil_pass else suits[3]
    return certain_tricks(spades, extra_spades_of(rules.variant, rules))


class OrdinaryAuction(NamedTuple):
    """An auction in which ordinary bids take the place of blind numbers."""

    auction: Auction  # `blind` is as it was
    shift: int  # tricks by which partner's number is smaller, so that a number that we bid is larger
    opposing: int  # tricks that the opponents' contract has at least, if one of them has bid blind and one is to bid


def ordinary_auction(auction: Auction, allowed: int, rules: Rules, tables: Tables) -> OrdinaryAuction:
    """Return the auction as the net sees it: a player who bid a number blind has bid the mean of hands in this place.

    Such a player has any hand, which the net knows as a mean bid. The contract of the side stays: its other player has
    bid the rest, or bids it (``shift``, ``opposing``). If that player has bid nil, the number stays too. ``allowed``:
    the set of bids that we may make; the smallest number stays at most 13.
    """
    if auction.blind == 0:
        return OrdinaryAuction(auction, 0, 0)
    seat, b0, b1, b2, blind = auction.seat, auction.b0, auction.b1, auction.b2, auction.blind
    first, second, third = b0, b1, b2
    if blind & 1:
        first = _mean_bid(b0, 0, tables)
    if blind & 2:
        second = _mean_bid(b1, sequence_after(0, b0), tables)
    if blind & 4:
        third = _mean_bid(b2, sequence_after(sequence_after(0, b0), b1), tables)
    room, shift, opposing = TRICKS - smallest_number(allowed), 0, 0
    last = max(1, rules.min_bid)  # the least that an opponent adds who is still to bid
    if seat == 1 and blind & 1:
        opposing = min(TRICKS, b0 + last)
    elif seat == 2:
        shift = min(b0 - first, room)
        first = b0 - shift
        if blind & 2:
            opposing = min(TRICKS, b1 + last)
    elif seat == 3:
        shift = min(b1 - second, room)
        second = b1 - shift
        if is_nil(b0) or is_nil(b2):
            first, third = b0, b2
        elif blind & 1:
            third = min(TRICKS, b0 + b2 - first)
        else:
            first = min(TRICKS, b0 + b2 - third)
    seen = read_auction(seat, first, second, third)
    return OrdinaryAuction(seen._replace(blind=blind), shift, opposing)


def smallest_number(bids: int) -> int:
    """Return the smallest number in a set of bids, 1 if there is none.

    >>> smallest_number(0b11001), smallest_number(0b1)
    (3, 1)
    """
    numbers = bids & ~NIL_BIT
    return (numbers & -numbers).bit_length() - 1 if numbers else 1


def _mean_bid(bid: int, sequence: int, tables: Tables) -> int:
    """Return the mean bid after the bids of row ``sequence``, 1 or more and at most ``bid``, rounded."""
    mean = int(tables.mean_bids[sequence, 0] + 0.5)
    return max(1, min(mean, bid))


def shifted(bids: int, shift: int) -> int:
    """Return a set of bids with numbers that are larger by ``shift``; a number above 13 is left out.

    >>> bin(shifted(0b111, 3))
    '0b110001'
    """
    return ((bids & ~NIL_BIT) << shift | bids & NIL_BIT) & EVERY_BID


def model_position(
    hand: int,
    auction: Auction,
    standing: Standing,
    allowed: int,
    others: tuple[int, int, int],
    p_win: float,
    rules: Rules,
    tables: Tables,
) -> ModelPosition:
    """Return the position as the outcome model sees it. In it, all numbers that we may bid are larger by its `shift`.

    ``allowed``: the set of bids that the rules allow; ``others``: how the left opponent, partner and the right opponent
    bid, as indices of PLAYER_KINDS; ``p_win``: from `p_win_before`.
    """
    suits = suits_of(hand)
    us, them = standing.us, standing.them
    if rules.blind_min == 0:
        auction = auction._replace(blind=0)  # the policy does not see the rule
    ordinary = ordinary_auction(auction, allowed, rules, tables)
    auction, shift, factors = ordinary.auction, ordinary.shift, contract_factors(auction)
    allowed = shifted(allowed, shift)
    if not bags_matter(rules):  # ignore the bags of the request
        standing = standing._replace(us_bags=0, them_bags=0)
    regular, nil, weighed, certain = bids_to_weigh(suits, auction, allowed, rules, tables)
    certain_nil = certain_with_nil(suits, rules) if rules.nil_pass or rules.blind_nil_pass else certain
    plain = extra_spades_of(rules.variant, rules) == 0
    held = holdings(suits if plain else suits_of(without_jokers(hand)))  # there is an input for each of 13 ranks
    left, partner, right = others
    inputs = position_inputs(held, auction, standing, p_win, rules, regular, nil, tables)
    kinds = _KINDS[left] + _KINDS[partner] + _KINDS[right]
    inputs = inputs + (kinds + (tables.cnil[-1, suits[3]] + 0.0,) + rule_inputs(rules))
    stake, their_stake, stake_with_nil = NO_NIL, NO_NIL, rules.nil_points
    if auction.opponents_nils or is_nil(auction.partner_bid):
        stake, their_stake = nil_stakes(auction, rules)
        stake_with_nil = side_nil_stake(NIL, auction.partner_bid, rules)
    needed, far = NO_NUMBER, 0
    us, them = us + max(0, stake), them + max(0, their_stake)
    if us + factors[0] * MOST_POINTS >= rules.win or them + factors[1] * MOST_POINTS >= rules.win:
        expected = expected_bids(regular.takes, auction, tables)
        tricks, opposing = expected.partner_tricks, max(expected.opponents_tricks, ordinary.opposing)
        needed, they_win = needed_number(us, them, tricks, opposing, factors, allowed, rules)
        if they_win or needed < NO_NUMBER:
            far = far_bids(weighed, needed, certain, certain_nil, allowed)
    to_goal = rules.win - standing.us
    later, their_later = later_nils(auction.seat, rules)
    return ModelPosition(
        seat=auction.seat,
        auction=auction,
        shift=shift,
        opposing=ordinary.opposing,
        factors=factors,
        standing=standing,
        regular=regular,
        nil=nil,
        weighed=weighed,
        held=held,
        inputs=inputs,
        to_goal=to_goal,
        stake=stake,
        stake_with_nil=stake_with_nil,
        their_stake=their_stake,
        later=later,
        their_later=their_later,
        certain=certain,
        certain_nil=certain_nil,
        needed=needed,
        far=far,
    )


def p_win_before(seat: int, standing: Standing, win_slice: WinTableSlice, rules: Rules, win: View) -> float:
    """Return the win probability of ``seat``'s side before the round.

    ``win_slice``: where in ``win`` the game's win table is.
    """
    if not bags_matter(rules):  # ignore the bags of the request
        standing = standing._replace(us_bags=0, them_bags=0)
    return win_probability_after(standing, 1 - (seat & 1), win_slice, rules, win)


def as_worthless_bags(rules: Rules) -> Rules:
    """Return the rules as decisions give them to the net: a game without bags is one whose bags are worth nothing.

    The net's input for games without bags costs games: without it, `winprob` wins 51.2% [50.7, 51.8] of games to 500
    against `winprob` with it.

    >>> as_worthless_bags(Rules(bags=0)) == Rules(bag_points=0, bag_penalty=0)
    True
    """
    return rules if rules.bags else rules._replace(bags=1, bag_points=0, bag_penalty=0)


def rule_inputs(rules: Rules) -> tuple[float, float, float, float, float, float]:
    """Return the inputs for the rules that change how rounds are bid and played; all 0 for classic rules."""
    if rules.nil_points == 100 and rules.variant == PARTNERSHIP and rules.bags and not rules.nil_pass:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    return (
        rules.nil_pass / 4.0,
        extra_spades_of(rules.variant, rules) / 3.0,
        1.0 if rules.variant == WHIZ else 0.0,
        1.0 if rules.variant == SUICIDE else 0.0,
        0.0 if rules.bags else 1.0,
        (rules.nil_points if rules.nil_points < MOST_NIL_POINTS else MOST_NIL_POINTS) / 100.0 - 1.0,
    )


def position_inputs(
    held: tuple[int, int, int, int],
    auction: Auction,
    standing: Standing,
    p_win: float,
    rules: Rules,
    regular: Regular,
    nil: Nil,
    tables: Tables,
) -> tuple[float, ...]:
    """Return a position's inputs from `length_longest` to `p_win_minus_p_loss_before`, in the order of POSITION_NAMES.

    ``held``: from `holdings`; ``p_win``: from `p_win_before`; ``regular`` and ``nil``: from `bids_to_weigh`.
    """
    seat, b0, b1, known, sequence = auction.seat, auction.b0, auction.b1, auction.sum_of_bids, auction.sequence
    us, them, us_bags, them_bags = standing
    first, second, third, spades = held
    lho = b0 if seat == 3 else NO_BID
    partner = b1 if seat == 3 else (b0 if seat == 2 else NO_BID)
    rho = auction.b2 if seat == 3 else (b1 if seat == 2 else (b0 if seat == 1 else NO_BID))
    cnil, mean_bids = tables.cnil, tables.mean_bids
    takes = regular.takes
    lead = us - them
    return (
        (
            first.bit_count() / 6.0,
            second.bit_count() / 6.0,
            third.bit_count() / 6.0,
            spades.bit_count() / 6.0,
            # With `jokers` and `jokers-deuce`, of the side suits only diamonds have a deuce. Row -2 is theirs.
            cnil[-2 if first & 1 else 0, first],
            cnil[-2 if second & 1 else 0, second],
            cnil[-2 if third & 1 else 0, third],
            regular.estimate / 5.0,
            takes / 5.0,
            nil.value,
            nil.probability,
            top_spades(spades) / 3.0,
            regular.ruffs / 2.0,
            1.0 if seat == 0 else 0.0,
            1.0 if seat == 1 else 0.0,
            1.0 if seat == 2 else 0.0,
            1.0 if seat == 3 else 0.0,
        )
        + (_BID_OF_OTHER[lho + 1] + _BID_OF_OTHER[partner + 1] + _BID_OF_OTHER[rho + 1])
        + (
            known / 10.0,
            (known + takes) / 13.0,
            mean_bids[sequence, 0] / 5.0,
            mean_bids[sequence, 1] / 5.0,
            mean_bids[sequence, 2] / 5.0,
        )
        + (to_goal(us, rules.win) + to_goal(them, rules.win))
        + (
            us_bags / rules.bag_limit,
            them_bags / rules.bag_limit,
            to_losing(us, rules.lose),
            to_losing(them, rules.lose),
            -2.0 if lead < -200 else (2.0 if lead > 200 else lead / 100.0),
            2.0 * p_win - 1.0,
        )
    )


def to_goal(score: int, goal: int) -> tuple[float, float, float]:
    """Return the points left to ``goal``, scaled in three ways: in hundreds 0..3, in hundreds 0..1, in fifties 0..1."""
    left = goal - score
    if left >= 300:
        return 3.0, 1.0, 1.0
    if left < 0:
        left = 0
    return left / 100.0, left / 100.0 if left < 100 else 1.0, left / 50.0 if left < 50 else 1.0


def to_losing(score: int, lose: int) -> float:
    """Return the points left to the losing goal, in hundreds, 0 to 1.5."""
    left = score - lose
    if left >= 150:
        return 1.5
    return left / 100.0 if left > 0 else 0.0


def expected_bids(bid: int, auction: Auction, tables: Tables) -> Expected:
    """Return the bids of partner and the opponents; bids to come count as their means after our ``bid``."""
    tricks = expected_tricks(bid, auction, tables)
    partner = tricks[auction.seat ^ 2]
    _, opponents = tricks_of_sides(auction.seat, tricks)
    return Expected(
        partner=partner, opponents=opponents, partner_tricks=int(partner + 0.5), opponents_tricks=int(opponents + 0.5)
    )


def expected_beside(bid: int, expected: Expected, position: ModelPosition) -> Expected:
    """Return the bids of the others beside our ``bid``, a nil or a number that is larger by the position's `shift`.

    Beside a nil, partner has the whole contract. The opponents have at least the contract of one who bid blind.
    ``expected``: from `expected_bids` for the same bid.
    """
    ours = position.shift if bid == NIL else 0
    theirs = max(0, position.opposing - expected.opponents_tricks)
    if ours == 0 and theirs == 0:
        return expected
    return Expected(
        partner=expected.partner + ours,
        opponents=expected.opponents + theirs,
        partner_tricks=expected.partner_tricks + ours,
        opponents_tricks=expected.opponents_tricks + theirs,
    )


def bid_inputs(bid: int, expected: Expected, position: ModelPosition) -> tuple[float, ...]:
    """Return a candidate's inputs, in the order of BID_NAMES, without those from VALUES on.

    ``expected``: from `expected_bids` for the same bid.
    """
    partner, theirs = expected.partner, expected.opponents
    regular, to_goal = position.regular, position.to_goal
    side = bid + partner
    total = side + theirs
    past = 10.0 * side - to_goal
    ours, others, both = side / 6.0, theirs / 6.0, (total - 11.0) / 3.0
    if bid:
        over = bid - regular.estimate
        first = (bid / 5.0, 0.0, over / 2.0, over * over / 4.0, 0.0, ours, others, both, 0.0, 0.0)
        near = _STEPS[bid - regular.takes + 12]
    else:
        late = 1.0 if position.seat > 1 else 0.0
        first = (0.0, 1.0, 0.0, 0.0, position.nil.probability, ours, others, both, late, partner / 4.0)
        near = _NO_STEP
    rest = (
        1.0 if total >= 13.0 else 0.0,
        1.0 if total < 10.0 else 0.0,
        (side - 7.0) / 3.0 if side > 7.0 else 0.0,
        past / 50.0 if -50.0 < past < 50.0 else (1.0 if past > 0.0 else -1.0),
        1.0 if past >= 0.0 else 0.0,
    )
    return first + near + rest
