"""BIS with a partner (ECAI 2020, Algorithm 1), as kernels: regular takes, nil, convention, end of game, in that order.

Before the nil step, the rules, the variant and the policy's options may change the number of tricks to bid and the nil
threshold. At the end, if the rules do not allow the bid, the nearest allowed bid replaces it.

End of game (appendices E and G.1): projected score = score + 10 x contract + the side's nil points. A seat that has not
bid yet counts with its mean bid, given the bids so far (`position.expected_tricks`). A contract of ten counts the
points that the rules give for ten, once both partners have bid. The first end-of-game rule that matches changes the
bid. The new bid is always allowed by the game's rules. See docs/explanation/how-bis-bids.md, "The end of the game".
"""

from typing import NamedTuple

from spades.bis.conventions import (
    NO_CONVENTION_STEP,
    ConventionStep,
    answer_signal,
    is_signal,
    partner_signalled,
    reserved_bid,
    signal,
)
from spades.bis.estimates import (
    AS_COUNTED,
    CERTAIN,
    NIL_STAKE,
    NOT_RULED_OUT,
    Nil,
    NilTerms,
    Regular,
    at_least_certain,
    bag_offset,
    consider_nil,
    contract_is_ten,
    limit_takes,
    number_under_rules,
    partnership_threshold,
    regular_takes,
    ruled_out,
    scaled_nil_threshold,
    shifted_threshold,
)
from spades.cards import suits_of
from spades.legal import BLIND_NIL, NO_BID, contract_of, extra_spades_of, nearest_allowed, nil_threshold
from spades.options import NO_CONVENTION, Policy
from spades.position import Auction, expected_tricks, tricks_of_sides
from spades.rules import PARTNERSHIP, Rules
from spades.scoring import TEN_POINTS, Standing, contract_points, nil_stake, side_nil_stake
from spades.tables import Tables, convention_of

# ---- the end of the game ---------------------------------------------------------------------------------------------

NO_RULE, OPPONENTS_NIL, COMPLETE_TO_14, CLOSE_RACE, DESPERATE_NIL, REGULAR_WINS_TOO, LAST_SEAT_ONE_LESS = range(7)
RULE_NAMES = (
    "",
    "opponents-nil",
    "complete-to-14",
    "close-race",
    "desperate-nil",
    "regular-wins-too",
    "last-seat-one-less",
)


# Largest contract of one side: 14 if partner bid 13 and the smallest bid is 1, otherwise 13. A sum with mean
# bids is always smaller.
MOST_TRICKS = 14


class Proposal(NamedTuple):
    """The bid of a hand before the end of the game changes it."""

    bid: int  # 0 for a nil, otherwise the number or a convention's bid
    number: int  # the number to bid if the hand does not bid nil
    regular: Regular
    nil: Nil
    # NO_BID, or a bid reserved as a convention's signal; the end-of-game rules never produce it
    reserved: int


class Endgame(NamedTuple):
    """How the end of the game changed a bid. The last three fields are 0 if no side can reach the goal this round."""

    bid: int
    rule: int  # NO_RULE, or the first rule that matched (index in RULE_NAMES)
    before: int  # the bid before the change
    projected_us: float  # points of our side if all players make their bids as they were before the change
    projected_them: float  # points of the opponents in the same case
    total: float  # sum of the four bids, tricks


def project(bid: int, auction: Auction, standing: Standing, rules: Rules, tables: Tables) -> tuple[float, float, float]:
    """Return our points and the opponents' points if all players make their bids, and the sum of the four bids.

    ``bid``: the bid of the player whose turn it is.
    """
    seat, b0, b1, b2, partner_bid, _, _, _, _ = auction
    ours, theirs = tricks_of_sides(seat, expected_tricks(bid, auction, tables))
    our_nils = side_nil_stake(bid, partner_bid, rules)
    their_nils = 0
    if seat == 3:
        their_nils = side_nil_stake(b0, b2, rules)
    elif seat > 0:
        their_nils = nil_stake(b1 if seat == 2 else b0, rules)
    our_points, their_points = 10.0 * ours, 10.0 * theirs
    if rules.ten_for_200 and seat > 1:
        our_points = float(contract_points(int(ours), rules))
        if seat == 3:
            their_points = float(contract_points(int(theirs), rules))
    return standing.us + our_points + our_nils, standing.them + their_points + their_nils, ours + theirs


def contract_gain(partner_bid: int, bid: int, new: int, rules: Rules) -> int:
    """Return the points that a made contract gains if the bidder bids the number ``new`` instead of ``bid``."""
    if rules.ten_for_200 and partner_bid != NO_BID:
        tricks = contract_of(partner_bid)
        return contract_points(tricks + new, rules) - contract_points(tricks + bid, rules)
    return 10 * (new - bid)


def can_win(projected: float, other: float, win: int) -> bool:
    """Return whether a side reaches the goal ``win`` and is ahead if the other side reaches it too."""
    return projected >= win and (other < win or projected > other)


def out_of_reach(standing: Standing, rules: Rules) -> bool:
    """Return whether neither side can reach the goal in this round, whatever is bid."""
    us, them, _, _ = standing
    # A side gains at most the points of MOST_TRICKS and one nil, or of two nils.
    stake = rules.nil_points
    if rules.blind_nil and rules.blind_nil_points > stake:
        stake = rules.blind_nil_points
    tricks = TEN_POINTS if rules.ten_for_200 else 10 * MOST_TRICKS
    reach = stake + max(stake, tricks, rules.double_nil_points)
    return us + reach < rules.win and them + reach < rules.win


def apply_endgame(
    proposal: Proposal,
    auction: Auction,
    standing: Standing,
    allowed: int,
    rules: Rules,
    policy: Policy,
    tables: Tables,
) -> Endgame:
    """Change the proposed bid by the first end-of-game rule that matches.

    A side must be able to reach the goal in this round (`out_of_reach`). ``allowed``: the set of bids that the rules
    allow; a changed bid is moved to the nearest bid in it.
    """
    bid, number, regular, nil, reserved = proposal
    win = rules.win
    now_us, now_them, total = project(bid, auction, standing, rules, tables)
    partner_bid = auction.partner_bid
    new = bid
    rule = NO_RULE
    # If both sides reach the same score, the bidder's side does not win, so the tie counts for the opponents.
    if now_them >= win and (now_us < win or now_them >= now_us):
        if auction.opponents_nils > 0:
            if bid > 0:
                rule = OPPONENTS_NIL
                new = min(bid, limit_takes(regular.estimate - 0.5, partner_bid))
        elif bid > 0 and not (partner_bid == 0 or partner_bid == BLIND_NIL) and total >= 11.0:
            if total < 14.0:
                rule = COMPLETE_TO_14
                new = bid + int(14.0 - total + 0.5)
        elif bid > 0 and now_them - now_us < 20.0:
            rule = CLOSE_RACE
            for more in range(1, 3):
                new = bid + more
                if now_us + contract_gain(partner_bid, bid, new, rules) > now_them:
                    break
        elif (
            bid > 0 and nil.ruled_out == NOT_RULED_OUT and nil.probability >= policy.nil_floor and rules.nil_points > 0
        ):
            rule = DESPERATE_NIL
            new = 0
    elif auction.seat == 3 and can_win(now_us, now_them, win):
        if bid == 0 and number > 0:
            regular_us, regular_them, _ = project(number, auction, standing, rules, tables)
            if can_win(regular_us, regular_them, win):
                rule = REGULAR_WINS_TOO
                new = number
        elif bid > 1 and (not rules.bags or standing.us_bags + 2 < rules.bag_limit):
            change = contract_gain(partner_bid, bid, bid - 1, rules)
            if can_win(now_us + change, now_them, win):
                rule = LAST_SEAT_ONE_LESS
                new = bid - 1
    if new > 0:
        new = nearest_allowed(new, bid, allowed)
        if new == reserved:  # partner would read it as a signal
            new = bid
    return Endgame(
        bid=new,
        rule=rule if new != bid else NO_RULE,
        before=bid,
        projected_us=now_us,
        projected_them=now_them,
        total=total,
    )


# ---- the decision ----------------------------------------------------------------------------------------------------

MANY_SPADES = 9  # up to this many spades, a hand's certain tricks are at most its `spade_takes`


class BisDecision(NamedTuple):
    """A BIS bid with the numbers behind it."""

    bid: int
    regular: Regular
    number: int  # tricks to bid if not nil, before convention and end of game; 0 if the rules allow only nil
    number_rule: int  # what changed the number, an index in regular.NUMBER_RULES; regular.AS_COUNTED if nothing did
    nil: Nil
    convention_step: ConventionStep  # what the convention did
    endgame: Endgame


def bis(
    hand: int, auction: Auction, standing: Standing, allowed: int, rules: Rules, policy: Policy, tables: Tables
) -> BisDecision:
    """Return the bid of ``hand`` with the numbers behind it.

    ``allowed``: the set of bids that the rules allow; ``tables``: those of the table profile.
    """
    seat, _, _, _, partner_bid, opponents_nils, sum_of_bids, _, _ = auction
    factor = 0.0
    if policy.factor:
        factor = tables.factor[seat, sum_of_bids]
    suits, offset = suits_of(hand), policy.offset + bag_offset(rules)
    ruffers = 2 - opponents_nils
    regular = regular_takes(suits, ruffers, partner_bid, factor, offset, tables)
    # From here on, the rules, the variant and the options may change the number and the threshold. Calls that would
    # change nothing are skipped: in plain Python they would take a tenth of the time of an ordinary decision.
    number = regular.takes
    number_rule = AS_COUNTED
    if rules.ten_for_200 or not allowed >> number & 1:
        number, number_rule = number_under_rules(regular, partner_bid, allowed, rules, policy)
    threshold = policy.nil_threshold
    variant = PARTNERSHIP if policy.ignores else rules.variant
    extra_spades = 0
    if variant != PARTNERSHIP:
        threshold = nil_threshold(variant, policy, regular.estimate, number)
        extra_spades = extra_spades_of(variant, rules)
    # Most hands need no count of the certain tricks: up to MANY_SPADES spades, there are at most `spade_takes` of them.
    spades = suits[3]
    many = spades.bit_count() > MANY_SPADES
    if policy.certain and (many or number < tables.spade_takes[spades, 0]):
        certain = at_least_certain(number, spades, extra_spades, partner_bid, allowed)
        if certain > number and not contract_is_ten(number, partner_bid, rules):
            number, number_rule = certain, CERTAIN
    if rules.nil_points < NIL_STAKE or rules.min_bid:
        threshold = scaled_nil_threshold(threshold, rules.min_bid - regular.takes, policy.forced_trick, rules)
    if policy.dynamic:
        threshold = partnership_threshold(regular.takes, auction, tables)
    if policy.level:
        threshold = shifted_threshold(threshold, policy.nil_shift, rules.nil_points)
    convention = policy.convention
    asked = False
    unasked_threshold = threshold
    if convention != NO_CONVENTION:
        convention = convention_of(rules, policy, standing)
        asked = partner_signalled(partner_bid, convention)
        if asked:
            threshold = min(threshold, scaled_nil_threshold(policy.answer_threshold, 0, 0.0, rules))
    honours = 1 if asked else policy.spade_honours
    terms = NilTerms(
        threshold=threshold, curves=policy.curves, honours=honours, nils=policy.nils, extra_spades=extra_spades
    )
    nil = consider_nil(suits, auction, terms, allowed, rules, tables)
    bid = 0 if nil.chosen else number
    step = NO_CONVENTION_STEP
    if convention != NO_CONVENTION:
        if asked and nil.chosen:
            unasked = bid
            if (
                nil.expected_points <= unasked_threshold
                or ruled_out(suits[3], partner_bid, policy.spade_honours, policy.nils, allowed) != NOT_RULED_OUT
            ):
                unasked = number
            step = answer_signal(unasked, convention)
        else:
            step = signal(hand, seat, bid, regular.takes, convention, policy.signal_takes, allowed)
        bid = step.bid
    signalled = convention != NO_CONVENTION and is_signal(step.rule)
    only_one_allowed = allowed & (allowed - 1) == 0
    if signalled or not policy.endgame or only_one_allowed or out_of_reach(standing, rules):
        end = Endgame(bid=bid, rule=NO_RULE, before=bid, projected_us=0.0, projected_them=0.0, total=0.0)
    else:
        reserved = reserved_bid(convention, seat) if convention != NO_CONVENTION else NO_BID
        proposal = Proposal(bid=bid, number=number, regular=regular, nil=nil, reserved=reserved)
        end = apply_endgame(proposal, auction, standing, allowed, rules, policy, tables)
    return BisDecision(
        bid=nearest_allowed(end.bid, number, allowed),
        regular=regular,
        number=number,
        number_rule=number_rule,
        nil=nil,
        convention_step=step,
        endgame=end,
    )
