"""What `import spades` offers: a bid, its explanation, a card, who may hold a card, and a review, from plain values.

With the same input and the same tables, the functions give the answers of the service's POST /v1/bid, /v1/card,
/v1/inference and, for bids and passes, /v1/review. They check their input and raise `BiddingError`. The modules behind
them take checked input: `bidder`, `skill`, `play`, `inference` and `round_review`.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from spades.bidder import Decision
from spades.bidder import decide as decide_at_full_strength
from spades.cards import CARD_NAMES, SUIT_TEXTS, SUITS, cards_of, parse_card_of, parse_cards, parse_hand
from spades.errors import PolicyError, PositionError, RulesError, refuse
from spades.inference.holders import BIDDERS, Bids, Inferred, infer_from_view, random_deals
from spades.inference.knowledge import (
    NOTHING_FITS,
    SPECTATOR,
    View,
    contradictions,
    under,
    viewers_pass,
    with_first_trick,
)
from spades.legal import BLIND_NIL, BLIND_NUMBER, HIGHEST_BID, TRICKS, deck_number, deck_of
from spades.levels import LARGEST_SEED
from spades.options import FULL_LEVEL, Policy
from spades.passing import check_pass
from spades.play.card_explanation import choose_at_once, player_at_once
from spades.play.history import Known, state_at_turn, write_scores
from spades.play.tricks import legal_cards, write_rules
from spades.policies import BEST, SERVED
from spades.position import EXPLAINED, NO_SCORES, NOT_EXPLAINED, Position, check_bids, check_scores
from spades.round_review import (
    PLAYS,
    CardTurn,
    PlayedRound,
    ReviewedChoice,
    SeatSummary,
    ValuedCard,
    card_turns,
    contradictions_in,
    review_bids_and_passes,
    review_card,
    summary_of,
)
from spades.rules import CLASSIC, CUTTHROAT, FIELDS, VARIANTS, Rules, describe
from spades.scoring import Standing, accepted_bags, bags_below
from spades.set_options import bidder_of, options_of
from spades.skill import decide_with_skill, position_seed
from spades.tableset import TableSet

_SUIT_BITS: Final = {text: 1 << SUITS.index(suit) for suit, texts in SUIT_TEXTS.items() for text in texts}


def decide(
    position: Position,
    tables: TableSet,
    policy: str = "bis",
    *,
    legal: Collection[int] | None = None,
    seed: int | None = None,
    approximate: bool = True,
) -> Decision:
    """Return the bid of ``policy`` in ``position``, without an explanation.

    ``policy``: a policy text such as "best" or "bis:level=3" (docs/reference/policies.md). ``legal``: the bids that the
    caller accepts; the bid is always one of them. ``seed``: of the random errors of a level below 5; by default made
    from the position. ``approximate``: whether a policy that needs a win table may use that of a similar game.

    Raises `PolicyError`, `PositionError`, or `RulesError` if there is no win table for the rules.

    >>> from spades import Position, open_tables
    >>> position = Position.of("AKJ62.AQ.Q.K9543", bids=(3, 1))
    >>> decide(position, open_tables(), "best", legal=(0, 4)).bid
    4
    """
    return _decide(position, tables, policy, legal, seed, approximate, NOT_EXPLAINED)


def explain(
    position: Position,
    tables: TableSet,
    policy: str = "bis",
    *,
    legal: Collection[int] | None = None,
    seed: int | None = None,
    approximate: bool = True,
) -> dict[str, Any]:
    """Return the explanation of the bid that `decide` returns for the same arguments, ready for JSON.

    Its ``reasons`` are codes of `REASONS` with numbers, and ``sentence`` is made from them.

    >>> from spades import Position, open_tables
    >>> explained = explain(Position.of("2.5432.5432.5432"), open_tables())
    >>> explained["reasons"][0]["code"], explained["nil"]["chosen"]
    ('bid-nil', True)
    """
    explanation = _decide(position, tables, policy, legal, seed, approximate, EXPLAINED).explanation
    assert explanation is not None, "it was requested"
    return explanation


class CardChoice(NamedTuple):
    """A card to play. ``reasons`` are codes of `REASONS` with numbers and a sentence, the player's goal first."""

    card: str
    player: str  # the card player that chose it, with its version
    legal: tuple[str, ...]  # the cards that may be played, lowest first
    reasons: list[dict[str, Any]]


def choose_card(
    hand: str | Iterable[str],
    bids: Sequence[int],
    seat: int,
    tricks: Sequence[Sequence[str]] = (),
    us: int = 0,
    them: int = 0,
    us_bags: int = 0,
    them_bags: int = 0,
    rules: Rules = CLASSIC,
    *,
    given: Iterable[str] = (),
    received: Iterable[str] = (),
    scores: Sequence[int] | None = None,
    bags: Sequence[int] | None = None,
    level: int = FULL_LEVEL,
    seed: int = 0,
    tables: TableSet | None = None,
) -> CardChoice:
    """Return the card of the strongest player that does not search, with its reasons.

    With ``tables`` that have its net, under rules that it knows, that is `distilled@1` at levels 5 and 4; otherwise the
    newest player by rules.

    ``hand``: the 13 cards that were dealt to ``seat``; ``tricks``: the cards played so far, by trick in order of play;
    the last trick may be incomplete. Seat 0 leads the first trick. ``us`` to ``them_bags``: the score before the
    round; in cutthroat, ``scores`` and ``bags`` of the four seats instead. ``given``, ``received``: the cards that were
    exchanged with partner. ``level``: 1..5; below 5 the player forgets cards as people do, and ``seed``, 0..2^53 - 1,
    says which: use one for a whole round. Raises `BiddingError` if this cannot be the player's turn in a round.

    >>> from spades import choose_card
    >>> choose_card("AKJ62.AQ.Q.K9543", bids=(3, 1, 6, 2), seat=2, tricks=[["2D", "KD"]]).card
    'QD'
    """
    deck = deck_number(rules)
    dealt, checked_bids = parse_hand(hand, deck), _four_bids(bids, rules)
    _check_seat(seat)
    for name, value, least, most in (("level", level, 1, FULL_LEVEL), ("seed", seed, 0, LARGEST_SEED)):
        if type(value) is not int or not least <= value <= most:
            raise PositionError(f"{name} is {value!r}; accepted: {least}..{most}")
    given_cards, received_cards = parse_cards(given, deck), parse_cards(received, deck)
    passed, of_pass = check_pass(dealt, checked_bids, seat, given_cards, received_cards, rules)
    refuse(of_pass)
    for index, trick in enumerate(tricks):
        if len(trick) > 4 or (len(trick) < 4 and index + 1 < len(tricks)):
            raise PositionError(f"tricks.{index} has {len(trick)} cards; accepted: 4, or fewer in the last trick")
    played = tuple(tuple(parse_card_of(card, deck) for card in trick) for trick in tricks)
    state, contradiction = state_at_turn(Known(deck_of(rules), seat, dealt, *passed, checked_bids, played), rules)
    if contradiction is not None:
        refuse([contradiction])
    names = CARD_NAMES[deck]
    stated = Standing(us=us, them=them, us_bags=us_bags, them_bags=them_bags)
    write_scores(state, seat, *_scores_by_seat(seat, stated, scores, bags, rules), rules)
    write_rules(state, rules)
    net, level = player_at_once(rules, None if tables is None else tables.card_net, level)
    card, name, reasons = choose_at_once(state, seat, rules, net, level, seed)
    legal = legal_cards(state.hand[seat], state.trick_size, state.trick[0], state.broken)
    return CardChoice(names[card], name, tuple(names[one] for one in cards_of(legal)), reasons)


class Inference(NamedTuple):
    """Who may hold the cards that a viewer cannot see."""

    # By seat and card: the probability that the seat holds the card now. Impossible cards are left out.
    seats: dict[int, dict[str, float]]
    rules: Rules
    inferred: Inferred

    def deals(self, number: int, seed: int = 0) -> list[dict[int, list[str]]]:
        """Return random deals of the unseen cards: for each deal, by seat, the cards that it holds now."""
        names = CARD_NAMES[deck_number(self.rules)]
        return [
            {seat: [names[card] for card in cards] for seat, cards in deal.items()}
            for deal in random_deals(self.inferred, number, seed)
        ]


def infer(
    bids: Sequence[int],
    tables: TableSet,
    hand: str | Iterable[str] | None = None,
    seat: int | None = None,
    us: int = 0,
    them: int = 0,
    us_bags: int = 0,
    them_bags: int = 0,
    rules: Rules = CLASSIC,
    *,
    policy: str = BIDDERS[0],
    played: Mapping[int, Iterable[str]] = MappingProxyType({}),
    voids: Mapping[int, Iterable[str]] = MappingProxyType({}),
    given: Iterable[str] = (),
    received: Iterable[str] = (),
    scores: Sequence[int] | None = None,
    bags: Sequence[int] | None = None,
) -> Inference:
    """Return who may hold each card that the viewer cannot see.

    ``bids``: one to four bids, first bidder first. ``hand`` and ``seat``: of the viewer; a spectator leaves out both.
    ``played``: by seat, the cards that it has played; ``voids``: by seat, the suits that it has shown to be out of.
    ``policy``: the policy that all players are assumed to bid by, "bis" or "best". The other arguments are those of
    `choose_card`. Raises `BiddingError` for what cannot be true.

    >>> from spades import infer, open_tables
    >>> found = infer((3, 1), open_tables(), hand="AKJ62.AQ.Q.K9543", seat=2)
    >>> sorted(found.seats), round(sum(found.seats[1].values()), 6)
    ([0, 1, 3], 13.0)
    >>> len(found.deals(5)[0][3])
    13
    """
    deck = deck_number(rules)
    if not 1 <= len(bids) <= 4:
        raise PositionError(f"bids has {len(bids)} bids; accepted: 1..4")
    checked_bids = check_bids(bids, rules)
    if (hand is None) != (seat is None):
        raise PositionError("only one of hand and seat is present; accepted: both, or neither for a spectator")
    if policy not in BIDDERS:
        raise PolicyError(f"policy is {policy!r}; accepted: {', '.join(BIDDERS)}")
    if seat is not None:
        _check_seat(seat)
    if len(checked_bids) < 4 and (played or voids):
        raise PositionError(f"played or voids is present after {len(checked_bids)} bids; accepted: only after 4 bids")
    played_cards = _by_seat("played", {place: parse_cards(cards, deck) for place, cards in played.items()})
    dealt = None if hand is None else parse_hand(hand, deck)
    given_cards, received_cards = parse_cards(given, deck), parse_cards(received, deck)
    passed, of_pass = viewers_pass(dealt, seat, checked_bids, given_cards, received_cards, any(played_cards), rules)
    refuse(of_pass)
    void_suits = _by_seat("voids", {place: _suits(place, suits) for place, suits in voids.items()})
    view = View(deck_of(rules), SPECTATOR if seat is None else seat, dealt or 0, *passed, played_cards, void_suits)
    view = under(view, rules)
    refuse(contradictions(view, checked_bids, rules))
    stated = Standing(us=us, them=them, us_bags=us_bags, them_bags=them_bags)
    standing, _, _ = _scores_by_seat(seat or 0, stated, scores, bags, rules)
    known_bids = Bids(checked_bids, policy, standing)
    inferred = infer_from_view(with_first_trick(view), known_bids, rules, tables.readers)
    if inferred is None:
        raise PositionError(f"bids: {NOTHING_FITS}")
    names = [CARD_NAMES[deck][card] for card in inferred.unseen.cards]
    columns = inferred.deals.probabilities.T.tolist()
    seats = {
        place: {name: p for name, p in zip(names, columns[column], strict=True) if p}
        for place, column in sorted((place, column) for column, place in enumerate(inferred.unseen.seats))
    }
    return Inference(seats, rules, inferred)


class Review(NamedTuple):
    """What the decisions of a round cost their players."""

    choices: list[ReviewedChoice]  # in the order of time
    summary: list[SeatSummary]  # by seat


def review(
    hands: Sequence[str | Iterable[str]],
    bids: Sequence[int],
    plays: Sequence[str],
    tables: TableSet,
    scores: Sequence[int] = (0, 0),
    bags: Sequence[int] = (0, 0),
    rules: Rules = CLASSIC,
    *,
    passed: Sequence[Iterable[str]] = ((), (), (), ()),
    search: Callable[[CardTurn], Sequence[ValuedCard]] | None = None,
) -> Review:
    """Return what each bid and each pass of a finished round cost, from what its player could know.

    ``hands``: the cards dealt to the four seats; ``plays``: the 52 cards in order of play; ``scores`` and
    ``bags``: before the round, of seats 0 and 2, then of seats 1 and 3. ``passed``: by seat, the cards given to
    partner. ``search`` values the cards of a turn (`spades.round_review`); with it, cards are reviewed too. Raises
    `BiddingError` for a round that cannot be true, or rules without a win table.

    >>> from spades import open_tables, review
    >>> hands = ["AKQJT98765432...", ".AKQJT98765432..", "..AKQJT98765432.", "...AKQJT98765432"]
    >>> plays = [rank + suit for rank in "AKQJT98765432" for suit in "SHDC"]
    >>> review(hands, (13, 1, 0, 1), plays, open_tables()).choices[0].grade
    'best'
    """
    deck = deck_number(rules)
    for name, values, length in (("hands", hands, 4), ("plays", plays, PLAYS), ("passed", passed, 4)):
        if len(values) != length:
            raise PositionError(f"{name} has {len(values)} items; accepted: {length}")
    for name, numbers in (("scores", scores), ("bags", bags)):
        if len(numbers) != 2 or not all(type(number) is int for number in numbers):
            raise PositionError(f"{name} is {numbers!r}; accepted: two integers, {name} of seats 0 and 2 first")
    parse_cards(plays, deck)  # raises if a card is there twice
    played = PlayedRound(
        rules=rules,
        hands=tuple(parse_hand(hand, deck) for hand in hands),
        bids=_four_bids(bids, rules),
        passed=tuple(parse_cards(cards, deck) for cards in passed),
        plays=tuple(parse_card_of(card, deck) for card in plays),
        scores=tuple(scores),
        bags=tuple(bags),
    )
    refuse(contradictions_in(played))
    choices = list(review_bids_and_passes(played, _policy("winprob", rules, tables, True), tables))
    if search is not None:
        choices += [review_card(turn, search(turn), rules) for turn in card_turns(played)]
    return Review(choices, summary_of(choices))


# ---- bids ------------------------------------------------------------------------------------------------------------


def _decide(
    position: Position,
    tables: TableSet,
    text: str,
    legal: Collection[int] | None,
    seed: int | None,
    approximate: bool,
    explained: int,
) -> Decision:
    policy = _policy(text, position.rules, tables, approximate)
    accepted = None if legal is None else _legal(legal)
    if seed is not None and not 0 <= seed <= LARGEST_SEED:
        raise PositionError(f"seed is {seed}; accepted: 0..{LARGEST_SEED}")
    if not policy.level:
        return decide_at_full_strength(position, policy, tables, accepted, explained)
    if policy.noise_sd:
        seed = position_seed(position) if seed is None else seed
    return decide_with_skill(position, policy, tables, accepted, explained, seed or 0)


def _policy(text: str, rules: Rules, tables: TableSet, approximate: bool) -> Policy:
    """Return the policy that decides; raise `PolicyError` or `RulesError` if it cannot bid under ``rules``."""
    name = text.partition(":")[0]
    if name not in (BEST, *SERVED):
        raise PolicyError(f"policy is {name!r}; accepted: {', '.join((BEST, *SERVED))}, each with options or without")
    nearest = tables.games.nearest(rules)
    instead = () if nearest is None or approximate else nearest.instead
    has_win_table = nearest is not None and not instead
    decides = bidder_of(text, None, rules.variant, has_win_table, options_of(tables))
    if not decides.plays_convention:
        detail = f"the policy plays convention {decides.convention} with variant {VARIANTS[rules.variant]}"
        raise PolicyError(f"{text}: {detail}; accepted: none in this variant")
    if decides.needs_win_table and not has_win_table:
        field = instead[0][0] if instead else "variant"
        value = json.dumps(describe(rules)[field])
        accepted = f"another policy, such as {BEST}"
        if instead:
            accepted = f"{json.dumps(FIELDS[field].values.json_of(instead[0][1]))}, or any with approximate=True"
        raise RulesError(
            field, f"{field} is {value}, for which policy {decides.base} has no win table; accepted: {accepted}"
        )
    return decides.policy


def _legal(bids: Collection[int]) -> tuple[int, ...]:
    for bid in bids:
        if type(bid) is not int or not (0 <= bid <= BLIND_NIL or BLIND_NUMBER < bid <= HIGHEST_BID):
            blind = f"{BLIND_NIL} (blind nil) or {BLIND_NUMBER + 1}..{HIGHEST_BID} (BLIND_NUMBER + a number)"
            raise PositionError(f"legal has {bid!r}; accepted: 0..{TRICKS}, {blind}")
    legal_bids = tuple(sorted(bid for bid in {*bids} if bid <= TRICKS))
    if not legal_bids:
        raise PositionError("legal has no bid for a hand that has been seen; accepted: at least one of 0..13")
    return legal_bids


# ---- cards -----------------------------------------------------------------------------------------------------------


def _four_bids(bids: Sequence[int], rules: Rules) -> tuple[int, ...]:
    if len(bids) != 4:
        raise PositionError(f"bids has {len(bids)} bids; accepted: 4, first bidder first")
    return check_bids(bids, rules)


def _check_seat(seat: int) -> None:
    if seat not in range(4):
        raise PositionError(f"seat is {seat!r}; accepted: 0..3, the place in the bidding order")


def _scores_by_seat(
    seat: int, standing: Standing, scores: Sequence[int] | None, bags: Sequence[int] | None, rules: Rules
) -> tuple[Standing, tuple[int, int, int, int], tuple[int, ...]]:
    """Return the standing as ``seat`` sees it and, in cutthroat, the points and the bags by seat."""
    seat_bags: tuple[int, ...] = NO_SCORES
    if rules.variant == CUTTHROAT:
        if any(standing):
            stated = ", ".join(name for name, value in standing._asdict().items() if value)
            raise PositionError(f"{stated} is present; accepted with variant cutthroat: scores and bags by seat")
        seat_bags = _four_bags(bags, rules)
        standing = standing._replace(us_bags=seat_bags[seat])
    elif bags is not None:
        raise PositionError("bags is present; accepted: only with variant cutthroat")
    standing, seat_scores = check_scores(seat, standing, scores, rules)
    return standing, seat_scores, seat_bags


def _four_bags(bags: Sequence[int] | None, rules: Rules) -> tuple[int, ...]:
    by_seat = (0, 0, 0, 0) if bags is None else tuple(bags)
    if len(by_seat) != 4:
        raise PositionError(f"bags has {len(by_seat)} numbers; accepted: 4, first bidder first")
    for index, number in enumerate(by_seat):
        if type(number) is not int or not 0 <= number < bags_below(rules):
            raise PositionError(f"bags.{index} is {number!r}; accepted: {accepted_bags(rules)}")
    return by_seat


# ---- inference -------------------------------------------------------------------------------------------------------


def _by_seat(field: str, values: Mapping[int, int]) -> tuple[int, int, int, int]:
    for seat in values:
        if seat not in range(4):
            raise PositionError(f"{field} has seat {seat!r}; accepted: 0..3")
    return values.get(0, 0), values.get(1, 0), values.get(2, 0), values.get(3, 0)


def _suits(seat: int, suits: Iterable[str]) -> int:
    bits = 0
    for suit in suits:
        if suit not in _SUIT_BITS:
            raise PositionError(f"voids.{seat} has {suit!r}; accepted: {', '.join(SUIT_TEXTS)}")
        bits |= _SUIT_BITS[suit]
    return bits
