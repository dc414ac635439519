"""What a model of people sees of a position, as kernels: a row of numbers near 0..1, and what `bis` would bid.

A model states how people's bids differ from those of `bis` with the shipped tables, so both bids of `bis`, with and
without nils, are among the inputs. A change of the inputs changes VERSION.
"""

from typing import Any, NamedTuple

from arena.engine.choose_bid import auction_at, standing_at, tables_of
from arena.engine.jit import register
from spades.bis import Endgame, bis
from spades.cards import suits_of
from spades.legal import NO_BID, contract_of, nearest_number
from spades.play import PlayState
from spades.position import allowed_at_turn
from spades.rules import Rules
from spades.tables import profile_of
from spades.winprob import holdings, rule_inputs, to_goal, to_losing, top_spades

VERSION = 1
BIDS = 14  # nil and 1 to 13
NIL_VALUE_AT, P_NIL_AT = 4 + 2 * BIDS + 2, 4 + 2 * BIDS + 4  # inputs: the nil's value, first step of its probability
HONOURS = 4  # ranks from the jack to the ace
STEPS = 10  # of the nil's probability
REASONS = 9  # why a nil is ruled out without jokers, from NOT_RULED_OUT on
SEEN = 8  # another player's bid: not yet, 0 to 5, more
ENDGAMES = 7  # rules of the end of the game, from NO_RULE on
INPUTS = 4 + 2 * BIDS + 4 + STEPS + REASONS + ENDGAMES + 6 + 4 + 2 * HONOURS + 5 + 3 * SEEN + 2 + 11 + 8


class Reference(NamedTuple):
    """What `bis` would bid, and what the rules allow."""

    bid: int
    number: int  # the same without nils; 0 if the rules allow no number
    allowed: int  # the set of bids that the rules allow
    estimate: float  # tricks, before rounding
    changed: int  # 1 if the number is not the rounded estimate, such as at the end of a game; otherwise 0


def write_inputs(state: PlayState, seat: int, rules: Rules, policies: Any, profiles: Any, x: Any) -> Reference:
    """Write the inputs of the position at the turn of ``seat`` to ``x`` (INPUTS,), and return the reference.

    ``policies``: `bis`, and `bis` without nils. ``profiles``: `KernelTables` of the shipped tables.
    """
    hand, auction, standing = state.hand[seat], auction_at(state, seat), standing_at(state, seat)
    allowed = allowed_at_turn(hand, auction, rules)
    tables = tables_of(profiles, profile_of(rules, policies[0], standing))
    decision = bis(hand, auction, standing, allowed, rules, policies[0], tables)
    number = decision.bid
    if number == 0:
        number = bis(hand, auction, standing, allowed, rules, policies[1], tables).bid
        number = nearest_number(number if number > 1 else 1, allowed)
    regular, nil, suits = decision.regular, decision.nil, suits_of(hand)
    at = 0
    x[at + seat] = 1.0
    at += 4
    x[at + decision.bid] = 1.0
    x[at + BIDS + number] = 1.0
    at += 2 * BIDS
    x[at] = regular.estimate / 5.0
    x[at + 1] = regular.estimate + 0.5 - int(regular.estimate + 0.5)
    x[at + 2] = nil.value
    x[at + 3] = regular.ruffs / 2.0
    at += 4
    for step in range(STEPS):
        x[at + step] = min(1.0, max(0.0, STEPS * nil.probability - step))
    at += STEPS
    x[at + min(nil.ruled_out, REASONS - 1)] = 1.0
    at += REASONS
    at = _write_endgame(decision.endgame, rules, x, at)
    at = _write_cards(suits, x, at)
    at = _write_others(state, seat, x, at)
    x[at] = auction.sum_of_bids / 10.0
    x[at + 1] = (auction.sum_of_bids + number - 10.0) / 5.0
    at += 2
    _write_score(standing, rules, x, at)
    return Reference(
        bid=decision.bid,
        number=number,
        allowed=allowed,
        estimate=regular.estimate,
        changed=1 if number != regular.takes else 0,
    )


def see(state: PlayState, seat: int, rules: Rules, policies: Any, profiles: Any, seen: Any, n: int) -> None:
    """Write the position at the turn of ``seat`` to row ``n`` of ``seen``, a `bid_net.Seen`."""
    reference = write_inputs(state, seat, rules, policies, profiles, seen.x[n])
    seen.bids[n] = reference.bid
    seen.numbers[n] = reference.number
    seen.allowed[n] = reference.allowed
    seen.estimates[n] = reference.estimate
    seen.changed[n] = reference.changed


def _write_endgame(endgame: Endgame, rules: Rules, x: Any, at: int) -> int:
    x[at + endgame.rule] = 1.0
    at += ENDGAMES
    if endgame.total > 0.0:
        past_us, past_them = endgame.projected_us - rules.win, endgame.projected_them - rules.win
        x[at] = 1.0
        x[at + 1] = min(1.0, max(-1.0, past_us / 50.0))
        x[at + 2] = min(1.0, max(-1.0, past_them / 50.0))
        x[at + 3] = past_us >= 0.0
        x[at + 4] = past_them >= 0.0
        x[at + 5] = (endgame.total - 11.0) / 3.0
    return at + 6


def _write_cards(suits: tuple[int, int, int, int], x: Any, at: int) -> int:
    first, second, third, spades = holdings(suits)
    x[at] = first.bit_count() / 6.0
    x[at + 1] = second.bit_count() / 6.0
    x[at + 2] = third.bit_count() / 6.0
    x[at + 3] = spades.bit_count() / 6.0
    at += 4
    for honour in range(HONOURS):
        rank = 12 - honour
        x[at + honour] = ((first >> rank & 1) + (second >> rank & 1) + (third >> rank & 1)) / 2.0
        x[at + HONOURS + honour] = spades >> rank & 1
    at += 2 * HONOURS
    x[at] = top_spades(spades) / 3.0
    for length in range(2):  # void and singleton suits
        x[at + 1 + length] = (
            (first.bit_count() == length) + (second.bit_count() == length) + (third.bit_count() == length)
        )
    x[at + 3] = spades.bit_count() > 3
    x[at + 4] = spades.bit_count() == 0
    return at + 5


def _write_others(state: PlayState, seat: int, x: Any, at: int) -> int:
    # The bids of the left opponent, partner and the right opponent.
    for step in range(1, 4):
        other = (seat + step) & 3
        bid = state.bid[other] if other < seat else NO_BID
        x[at + (0 if bid == NO_BID else 1 + min(contract_of(bid), SEEN - 2))] = 1.0
        at += SEEN
    return at


def _write_score(standing: Any, rules: Rules, x: Any, at: int) -> None:
    us, them, us_bags, them_bags = standing
    for points in (us, them):
        for part in to_goal(points, rules.win):
            x[at] = part
            at += 1
    x[at] = us_bags / rules.bag_limit if rules.bags else 0.0
    x[at + 1] = them_bags / rules.bag_limit if rules.bags else 0.0
    x[at + 2] = to_losing(us, rules.lose)
    x[at + 3] = to_losing(them, rules.lose)
    x[at + 4] = min(2.0, max(-2.0, (us - them) / 100.0))
    at += 5
    for part in rule_inputs(rules):
        x[at] = part
        at += 1
    x[at] = rules.win / 500.0
    x[at + 1] = rules.min_bid


register(__name__)
