"""A position at a player's turn to bid: as a caller gives it, the auction as kernels read it, and what policies get.

Seats are 0..3 in bidding order. The previous bids are three ints ``b0, b1, b2`` in that order; a bid that has not been
made yet is NO_BID. The bidder's seat equals the number of previous bids.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

from spades.cards import CARD_NAMES, cards_of, parse_hand
from spades.errors import Contradiction, PositionError, refuse
from spades.legal import (
    BLIND_NIL,
    BLIND_NUMBER,
    HIGHEST_BID,
    NO_BID,
    TRICKS,
    allowed_bids,
    bid_contradictions,
    bid_word,
    contract_of,
    deck_number,
    is_blind_bid,
    is_blind_number,
    is_nil,
    without_mark,
    without_sum,
)
from spades.options import Policy
from spades.rules import CLASSIC, CUTTHROAT, Rules, overrides_of
from spades.scoring import START, Standing, accepted_bags, bags_below, scores_beyond_goals
from spades.tables import Tables

# ---- the auction -----------------------------------------------------------------------------------------------------

_UNBID = ((NO_BID, NO_BID, NO_BID), (NO_BID, NO_BID), (NO_BID,), ())


class Auction(NamedTuple):
    """The auction at a bidder's turn."""

    seat: int  # 0..3 in bidding order
    b0: int  # first previous bid, NO_BID if not made yet; b1 and b2 likewise
    b1: int
    b2: int
    partner_bid: int  # NO_BID if partner has not bid yet, or if each player plays alone
    opponents_nils: int  # number of nils that opponents have bid so far, 0..3
    sum_of_bids: int  # tricks; a nil counts 0
    sequence: int  # row of the previous bids in every table that has one row per sequence of bids
    blind: int  # set of seats that have bid a number blind, bit s for seat s; their bids above are the numbers


def read_auction(seat: int, b0: int, b1: int, b2: int) -> Auction:
    """Return the auction at the turn of ``seat``.

    Bids of ``seat`` and later seats are ignored. A blind nil uses the table row of a nil, and a number that was bid
    blind that of the number.

    >>> read_auction(3, 4, 0, 14)[4:], read_auction(1, 14, -1, -1)[4:]
    ((0, 1, 4, 995, 0), (-1, 1, 0, 1, 0))
    """
    partner_bid, nils, total, sequence, blind = NO_BID, 0, 0, 0, 0
    if b0 > BLIND_NIL or b1 > BLIND_NIL or b2 > BLIND_NIL:
        blind = (1 if is_blind_number(b0) else 0) | (2 if is_blind_number(b1) else 0)
        blind = (blind | (4 if is_blind_number(b2) else 0)) & (1 << seat) - 1
        b0, b1, b2 = without_mark(b0), without_mark(b1), without_mark(b2)
    if seat > 0:
        first = 0 if b0 == BLIND_NIL else b0
        if seat == 1:
            nils, total, sequence = 0 if first else 1, first, 1 + first
        else:
            second = 0 if b1 == BLIND_NIL else b1
            if seat == 2:
                partner_bid, nils = b0, 0 if second else 1
                total, sequence = first + second, 15 + 14 * first + second
            else:
                third = 0 if b2 == BLIND_NIL else b2
                partner_bid, nils = b1, (0 if first else 1) + (0 if third else 1)
                total, sequence = first + second + third, 211 + 196 * first + 14 * second + third
    return Auction(
        seat=seat,
        b0=b0,
        b1=b1,
        b2=b2,
        partner_bid=partner_bid,
        opponents_nils=nils,
        sum_of_bids=total,
        sequence=sequence,
        blind=blind,
    )


@cache  # at most 12,720 entries: 1 + 23 + 23**2 + 23**3 auctions
def auction_after(bids: tuple[int, ...]) -> Auction:
    """Return the auction after 0..3 previous bids, in bidding order."""
    seat = len(bids)
    return read_auction(seat, *bids + _UNBID[seat])


def without_partner(auction: Auction) -> Auction:
    """Return the same auction for cutthroat, in which all three other players are opponents."""
    seat, b0, b1, b2, partner_bid, nils, total, sequence, blind = auction
    return Auction(
        seat=seat,
        b0=b0,
        b1=b1,
        b2=b2,
        partner_bid=NO_BID,
        opponents_nils=nils + (1 if is_nil(partner_bid) else 0),
        sum_of_bids=total,
        sequence=sequence,
        blind=blind,
    )


def contract_factors(auction: Auction) -> tuple[int, int]:
    """Return by what the points of our contract and of the opponents' are multiplied: 2 after a blind number, else 1.

    >>> contract_factors(read_auction(3, 4, 22, 3)), contract_factors(read_auction(1, 22, NO_BID, NO_BID))
    ((2, 1), (1, 2))
    """
    if auction.blind == 0:
        return 1, 1
    ours = 0b1010 if auction.seat & 1 else 0b0101
    return 2 if auction.blind & ours else 1, 2 if auction.blind & ~ours else 1


def allowed_at_turn(hand: int, auction: Auction, rules: Rules) -> int:
    """Return the set of bids that the rules allow with ``hand`` after the previous bids; it is never empty."""
    allowed = allowed_bids(hand, auction.partner_bid, rules)
    return without_sum(allowed, auction.sum_of_bids, rules) if auction.seat == 3 else allowed


def sequence_after(sequence: int, bid: int) -> int:
    """Return the row of a sequence of bids that is longer by ``bid``.

    ``sequence`` is the row of the shorter sequence. A blind nil counts as a nil.

    >>> sequence_after(0, 3), sequence_after(sequence_after(0, 3), 14)
    (4, 57)
    """
    return 14 * sequence + 1 + contract_of(bid)


def expected_tricks(bid: int, auction: Auction, tables: Tables) -> tuple[float, float, float, float]:
    """Return the tricks that each seat bids, in bidding order, if the player whose turn it is bids ``bid``.

    A bid to come counts as its mean after these bids (table `mean_bids`), and a nil as 0.
    """
    own = contract_of(bid) + 0.0
    if auction.seat == 3:
        return tricks_by_seat(auction, own, 0.0, 0.0, 0.0)
    row = sequence_after(auction.sequence, bid)
    means = tables.mean_bids
    return tricks_by_seat(auction, own, means[row, 0], means[row, 1], means[row, 2])


def tricks_by_seat(
    auction: Auction, own: float, next_seat: float, second_next: float, third_next: float
) -> tuple[float, float, float, float]:
    """Return the tricks that each seat bids, in bidding order, with ``own`` for the player whose turn it is.

    The other arguments are the tricks of the three seats that follow; those of seats that have bid are not used.
    """
    seat, b0, b1, b2 = auction.seat, auction.b0, auction.b1, auction.b2
    if seat == 0:
        return own, next_seat, second_next, third_next
    first = contract_of(b0) + 0.0
    if seat == 1:
        return first, own, next_seat, second_next
    second = contract_of(b1) + 0.0
    if seat == 2:
        return first, second, own, next_seat
    return first, second, contract_of(b2) + 0.0, own


def tricks_of_sides(seat: int, tricks: tuple[float, float, float, float]) -> tuple[float, float]:
    """Return the tricks of the side of ``seat`` and those of the opponents; ``tricks``: by seat."""
    opponent = 1 - (seat & 1)
    return tricks[seat] + tricks[seat ^ 2], tricks[opponent] + tricks[opponent + 2]


# ---- the position ----------------------------------------------------------------------------------------------------

NO_SCORES = (0, 0, 0, 0)


class Position(NamedTuple):
    """What a bidder may know. In cutthroat, ``standing.them`` is the best score of the three other players."""

    hand: int  # 13 cards, see cards.py
    bids: tuple[int, ...]  # 0..3 previous bids, first bidder first; blind ones as in `legal`
    standing: Standing = START  # the score of the bidder's side and of the opponents; in cutthroat, us is the bidder
    rules: Rules = CLASSIC
    seat_scores: tuple[int, int, int, int] = NO_SCORES  # in cutthroat: points by seat

    @classmethod
    def of(
        cls,
        hand: str | Iterable[str],
        bids: Sequence[int] = (),
        us: int = 0,
        them: int = 0,
        us_bags: int = 0,
        them_bags: int = 0,
        rules: Rules = CLASSIC,
        scores: Sequence[int] | None = None,
    ) -> "Position":
        """Return a checked position; raise `BiddingError` if it cannot occur.

        ``hand``: a PBN text (spades.hearts.diamonds.clubs) or 13 cards such as "QS"; ``bids``: the previous bids, first
        bidder first, nil is 0. In cutthroat, ``scores`` has the points of the four seats instead of ``us`` and
        ``them``, and ``us_bags`` are the bidder's own bags.

        >>> Position.of("AKJ62.AQ.Q.K9543", bids=(3, 1), us=120, them=95).bids
        (3, 1)
        >>> Position.of("AKJ62.AQ.Q.K9543", bids=(15,))
        Traceback (most recent call last):
        spades.errors.PositionError: bids.0 is 15; accepted: 0..13
        """
        cards = parse_hand(hand, deck_number(rules))
        if len(bids) > 3:
            raise PositionError(f"bids has {len(bids)} bids; accepted: at most 3, those before the bidder's")
        seat, checked_bids = len(bids), check_bids(bids, rules)
        standing, by_seat = check_scores(seat, Standing(us, them, us_bags, them_bags), scores, rules)
        return cls(cards, checked_bids, standing, rules, by_seat)

    def to_request(self) -> dict[str, Any]:
        """Return the request for a bid in this position, ready for JSON. `contract.bid_request.read_bid` reads it.

        In cutthroat, a position has the bags of the bidder only; those of the other seats are 0 in the request.

        >>> request = Position.of("AKJ62.AQ.Q.K9543", bids=(3, 0), us=120).to_request()
        >>> request["hand"][:3], request["previous_bids"], request["scores"]["us"], request["rules"]
        (['3C', '4C', '5C'], [3, 0], 120, {'preset': 'classic'})
        """
        names = CARD_NAMES[deck_number(self.rules)]
        scores: dict[str, Any] = self.standing._asdict()
        if self.rules.variant == CUTTHROAT:
            bags = [0, 0, 0, 0]
            bags[len(self.bids)] = self.standing.us_bags
            scores = {"seats": [*self.seat_scores], "bags": bags}
        return {
            "hand": [names[card] for card in cards_of(self.hand)],
            "previous_bids": [bid if bid <= TRICKS else bid_word(bid) for bid in self.bids],
            "scores": scores,
            "rules": {"preset": "classic"} | overrides_of(self.rules),
        }


def check_bids(bids: Sequence[int], rules: Rules) -> tuple[int, ...]:
    """Return 0..4 bids, first bidder first, as a tuple; raise `PositionError` if the rules do not allow them."""
    accepted = f"0..{TRICKS}"
    if rules.blind_nil:
        accepted += f" or {BLIND_NIL} (blind nil)"
    if rules.blind_min:
        accepted += f" or {BLIND_NUMBER + rules.blind_min}..{HIGHEST_BID} (BLIND_NUMBER + a number)"
    for index, bid in enumerate(bids):
        if type(bid) is not int or not (0 <= bid <= TRICKS or is_blind_bid(bid, rules)):
            raise PositionError(f"bids.{index} is {bid!r}; accepted: {accepted}")
    refuse(Contradiction(("bids", *place), code, detail) for place, code, detail in bid_contradictions(bids, rules))
    return tuple(bids)


def check_scores(
    seat: int, standing: Standing, scores: Sequence[int] | None, rules: Rules
) -> tuple[Standing, tuple[int, int, int, int]]:
    """Return the standing as ``seat`` sees it and, in cutthroat, the points by seat; raise `PositionError`.

    ``scores``: the points of the four seats in cutthroat (None: all 0), None in games of two sides.
    """
    by_seat = NO_SCORES
    if rules.variant == CUTTHROAT:
        if standing.us or standing.them or standing.them_bags:
            raise PositionError("us, them or them_bags is present; accepted with variant cutthroat: scores and us_bags")
        if scores is not None:
            if len(scores) != 4:
                raise PositionError(f"scores has {len(scores)} numbers; accepted: 4, first bidder first")
            by_seat = (scores[0], scores[1], scores[2], scores[3])
        others = max(points for other, points in enumerate(by_seat) if other != seat)
        standing = standing._replace(us=by_seat[seat], them=others)
    elif scores is not None:
        raise PositionError("scores is present; accepted: us and them, except with variant cutthroat")
    for name, value in (*standing._asdict().items(), *zip(("scores.0", "scores.1", "scores.2", "scores.3"), by_seat)):
        if type(value) is not int:
            raise PositionError(f"{name} is {value!r}; accepted: an integer")
    for name, bags in (("us_bags", standing.us_bags), ("them_bags", standing.them_bags)):
        if bags < 0 or bags >= bags_below(rules):
            raise PositionError(f"{name} is {bags}; accepted: {accepted_bags(rules)}")
    names = ("scores.0", "scores.1", "scores.2", "scores.3") if rules.variant == CUTTHROAT else ("us", "them")
    for index, detail in scores_beyond_goals(by_seat if rules.variant == CUTTHROAT else standing[:2], rules):
        raise PositionError(f"{names[index]} is {detail}")
    return standing, by_seat


# ---- what policies get -----------------------------------------------------------------------------------------------

NOT_EXPLAINED, EXPLAINED, BRIEF = False, True, 2  # how to explain a bid: not at all, in full, by its first reasons


class Turn(NamedTuple):
    """A position, values derived from it, the legal bids, and what explanation is wanted."""

    hand: int  # as the policy sees it: without jokers if the policy does not know them
    position: Position
    auction: Auction
    standing: Standing
    allowed: int  # set of the bids that the rules allow
    policy: Policy
    tables: Tables  # of the table profile
    legal: tuple[int, ...] | None  # the caller's legal bids, sorted; None if the rules alone decide
    explain: int  # NOT_EXPLAINED, EXPLAINED or BRIEF
