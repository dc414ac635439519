"""Numbers that are bid before the hand is seen, as kernels: with which hands and bids policy `winprob` compares them.

The policy bids as it would over many random hands: the mean win probability of a blind number over these hands is
compared with that of the best bid of each hand. The net sees a blind number as the number that makes the same contract
beside an ordinary bid of partner. A partner who is still to bid adds as little as the rules allow. The service computes
the sums with numpy (`decision`), the simulator with loops (`arena.engine.winprob`).
"""

from spades.legal import NO_BID, TRICKS
from spades.position import Auction, allowed_at_turn
from spades.random_numbers import hash_uniform
from spades.rules import Rules
from spades.scoring import Standing
from spades.tables import Tables
from spades.winprob.features import ModelPosition, expected_bids

HANDS = 32  # random hands, which are those of HANDS / 4 deals
# A number is bid blind if its win probability is less than MOST_WORSE below that of a look, and above LEAST_SHARE of
# it. The win tables know no blind numbers, so they probably underrate a side that is far behind and can bid more of
# them. Without LEAST_SHARE, and with 0, 0.01, 0.02 and 0.04 as MOST_WORSE, `winprob` won 51.2%, 51.6%, 52.0% and 51.6%
# of 20,000 games against `winprob` that bids no blind numbers.
MOST_WORSE = 0.02
LEAST_SHARE = 0.6
MOST_NUMBERS = 3  # numbers that are compared: the smallest that may be bid blind, and the next ones
_CARDS = 64  # card numbers


def random_hand(number: int, deck: int) -> int:
    """Return hand ``number`` (from 0) of 13 random cards of ``deck``, always the same; each four make a deal.

    >>> hands = [random_hand(number, 0x1FFF1FFF1FFF1FFF) for number in range(4)]
    >>> sum(hands) == 0x1FFF1FFF1FFF1FFF, [hand.bit_count() for hand in hands]
    (True, [13, 13, 13, 13])
    """
    hand, deal, wanted = 0, number // 4, number % 4
    left = 4 * TRICKS  # cards still to be dealt
    ours, before = TRICKS, wanted * TRICKS  # those that this hand, and the hands before it, still get
    for card in range(_CARDS):
        if deck >> card & 1:
            place = int(hash_uniform(_CARDS * (deal + 1) + card) * left)
            if place < before:
                before -= 1
            elif place < before + ours:
                ours -= 1
                hand |= 1 << card
            left -= 1
    return hand


def blind_numbers(auction: Auction, standing: Standing, rules: Rules) -> int:
    """Return the set of numbers that may be bid blind and are compared; empty if the rules allow none here."""
    if rules.blind_min == 0 or standing.them - standing.us < rules.blind_nil_deficit:
        return 0
    numbers = (1 << MOST_NUMBERS) - 1 << rules.blind_min
    return numbers & allowed_at_turn(0, auction, rules)


def with_blind_number(auction: Auction) -> Auction:
    """Return the auction of a player who bids a number blind, so that the contract of the side counts double."""
    return auction._replace(blind=auction.blind | 1 << auction.seat)


def is_worth_it(p_win: float, p_look: float) -> bool:
    """Return whether a number is bid blind; ``p_win``: its win probability, ``p_look``: that of a look.

    >>> is_worth_it(0.03, 0.04), is_worth_it(0.002, 0.01), is_worth_it(0.3, 0.33)
    (True, False, False)
    """
    return p_win > p_look - MOST_WORSE and p_win > LEAST_SHARE * p_look


def number_for_net(number: int, position: ModelPosition, rules: Rules, tables: Tables) -> int:
    """Return the number that the net sees instead of the blind bid of ``number``, 1 to 13.

    ``position``: of a hand, with the auction of `with_blind_number`.
    """
    if position.auction.partner_bid != NO_BID:
        return min(TRICKS, number + position.shift)
    contract = number + max(1, rules.min_bid)
    seen = min(TRICKS, number)
    while seen > 1 and seen + expected_bids(seen, position.auction, tables).partner_tricks > contract:
        seen -= 1
    return seen
