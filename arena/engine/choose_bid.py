"""One bid from any policy, as a kernel that the simulator calls at every turn; a seat's auction and standing."""

from typing import Any

from arena.engine.jit import register
from spades.baselines import fixed, io, ms, rb
from spades.bis import bis, bis_cutthroat, own_and_best
from spades.cards import without_jokers
from spades.legal import nearest_allowed, sees_no_jokers, simplified_rules
from spades.options import BIS, IO, MS, RB, Policy
from spades.play import PlayState
from spades.position import Auction, allowed_at_turn, read_auction
from spades.rules import Rules
from spades.scoring import START, Standing
from spades.tables import profile_of


def tables_of(profiles: Any, number: int) -> Any:
    """Return the tables of a profile; ``profiles``: `simulate.KernelTables`."""
    return profiles.rows[profiles.row_of[number]]


def auction_at(state: PlayState, seat: int) -> Auction:
    """Return the auction at the turn of ``seat``."""
    return read_auction(seat, state.bid[0], state.bid[1], state.bid[2])


def standing_at(state: PlayState, seat: int) -> Standing:
    """Return both sides' points and bags, from the side of ``seat``."""
    us, them = seat & 1, 1 - (seat & 1)
    return Standing(us=state.score[us], them=state.score[them], us_bags=state.bags[us], them_bags=state.bags[them])


def choose_bid(hand: int, auction: Auction, standing: Standing, rules: Rules, policy: Policy, profiles: Any) -> int:
    """Return the bid of ``policy``, which the rules always allow; ``profiles``: `KernelTables`.

    Not for `winprob`, which `bidding.bid_seat` calls.
    """
    partner_bid = auction.partner_bid
    allowed = allowed_at_turn(hand, auction, rules)
    tables = tables_of(profiles, profile_of(rules, policy, standing))
    if sees_no_jokers(rules, policy):
        hand = without_jokers(hand)
    if policy.kind == BIS:
        if policy.ignores_rules:
            seen = simplified_rules(rules)
            free = allowed_at_turn(hand, auction, seen)
            decided = bis(hand, auction, standing, free, seen, policy, tables)
            return nearest_allowed(decided.bid, decided.number, allowed)
        return bis(hand, auction, standing, allowed, rules, policy, tables).bid
    if policy.kind == RB:
        made = rb(hand, partner_bid, policy, tables)
    elif policy.kind == MS:
        made = ms(hand, partner_bid, policy, tables)
    elif policy.kind == IO:
        made = io(hand, partner_bid, policy, tables)
    else:
        made = fixed(partner_bid, policy)
    return nearest_allowed(made.bid, made.takes, allowed)


def choose_cutthroat_bid(
    hand: int,
    auction: Auction,
    scores: tuple[int, int, int, int],
    bags: int,
    rules: Rules,
    policy: Policy,
    profiles: Any,
) -> int:
    """Return the bid of ``policy`` in cutthroat; ``scores``: points by seat, ``bags``: the bidder's own.

    A policy that does not know cutthroat treats the opposite seat as partner and the best other score as the
    opponents'.
    """
    if policy.kind == BIS and not policy.ignores:
        allowed = allowed_at_turn(hand, auction, rules)
        seen = simplified_rules(rules) if policy.ignores_rules else rules
        tables = tables_of(profiles, profile_of(rules, policy, START))
        return bis_cutthroat(hand, auction, scores, bags, allowed, seen, policy, tables).bid
    own, best = own_and_best(auction.seat, scores)
    return choose_bid(hand, auction, Standing(us=own, them=best, us_bags=bags, them_bags=0), rules, policy, profiles)


register(__name__)
