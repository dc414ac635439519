"""The review of a finished round: what each decision cost in win probability, from what its player could know.

Policy `winprob` judges bids. Passes are judged by `spades.passing` and the success curves of nils. Cards are judged by
a search on random deals, which the caller makes: `card_turns` says what to search, and `review_card` reads the result
(`arena.searcher`). A choice that costs something gets a grade, by `CUT_OFFS`.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple

from spades.bidder import decide, turn_of
from spades.bis.estimates import LOW_FOUR
from spades.cards import CARD_NAMES, cards_of, suits_of
from spades.errors import Contradiction
from spades.explanations import MOST_IN_BRIEF, explain_pass
from spades.legal import TRICKS, bid_word, contract_of, deck_number, deck_of, is_nil
from spades.options import Policy
from spades.passing import cards_to_pass, check_pass, given_cards, gives_first
from spades.play.card_explanation import explain_card
from spades.play.srp.goals import ALL_PIECES
from spades.play.srp.player import srp4
from spades.play.state import PlayState
from spades.play.tricks import copy_state, legal_cards, play_card, start_play, write_rules
from spades.position import EXPLAINED, NOT_EXPLAINED, Position, allowed_at_turn, auction_after
from spades.reasons import numbers_in, reason, tenth_of_percent
from spades.rules import Rules
from spades.scoring import Standing, accepted_bags, bags_below, score_side, scores_beyond_goals
from spades.tableset import TableSet
from spades.winprob.features import model_nil
from spades.winprob.outcomes import win_array, win_probability_after

SEATS: Final = range(4)
PLAYS: Final = 4 * TRICKS  # cards of a round
ChoiceKind = Literal["bid", "pass", "card"]
GRADES: Final = ("best", "good", "inaccuracy", "mistake", "blunder")
# By grade: the least win probability that is surely lost. Any other loss is "good". SURE and the grade "blunder" were
# measured (`python -m report --measure review`): a search of ten times the deals confirms 9 of 10 blunders.
CUT_OFFS: Final = {"inaccuracy": 0.01, "mistake": 0.03, "blunder": 0.06}
SURE: Final = 2.5  # standard errors that are subtracted from what a card costs to get what is surely lost


class PlayedRound(NamedTuple):
    """A finished round. Cards are numbers, and sets of cards bit masks; seat 0 bids first."""

    rules: Rules
    hands: tuple[int, ...]  # by seat: the 13 cards dealt
    bids: tuple[int, ...]
    passed: tuple[int, ...]  # by seat: the cards given to partner; 0: none
    plays: tuple[int, ...]  # the 52 cards in order of play
    scores: tuple[int, ...]  # before the round: of seats 0 and 2, then of seats 1 and 3
    bags: tuple[int, ...]  # likewise


class ReviewedChoice(NamedTuple):
    """A bid, a pass or a card, and what it cost. Probabilities are those of the player's side to win the game."""

    seat: int
    kind: ChoiceKind
    choice: str  # a bid as a number, "nil", "blind_nil" or "blind_6"; a card; or cards with spaces between them
    best: str
    p_win: float | None  # after the choice; None: not known
    best_p_win: float | None  # after the best choice
    loss: float | None  # the difference, at least 0
    error: float | None  # standard error of the loss; None: not measured
    grade: str | None  # one of GRADES; None: there was nothing to choose, or the loss is not known
    reasons: list[dict[str, Any]]  # codes with numbers and a sentence


class CardTurn(NamedTuple):
    """A player's turn to play, with what the player knows."""

    state: PlayState  # of the hands, it has only the player's
    seat: int
    card: int  # that was played
    legal: int
    dealt: int
    given: int  # the cards that the player gave to partner and did not get back


class ValuedCard(NamedTuple):
    """What a search found about a card. Of touching cards, one is valued."""

    card: int
    p_win: float
    gain: float  # by how much `p_win` is above that of the card that was played
    error: float  # standard error of the gain


# ---- is it a round? --------------------------------------------------------------------------------------------------


def contradictions_in(played: PlayedRound) -> list[Contradiction]:
    """Return what cannot be true of a round; of the cards played, only the first one.

    The form is correct: 13 cards in each hand, bids that some hands allow, and 52 different cards played.
    """
    found = _card_twice(played) or [*_bids_against_hands(played), *_passes(played)]
    found += _scores(played)
    if not found:
        found += _plays(played)
    return found


def _card_twice(played: PlayedRound) -> list[Contradiction]:
    names, found, seen = CARD_NAMES[deck_number(played.rules)], [], 0
    for seat, hand in enumerate(played.hands):
        for card in cards_of(hand & seen):
            detail = f"{names[card]} is in an earlier hand too; accepted: each card in one hand"
            found.append(Contradiction(("hands", seat), "duplicate-card", detail))
        seen |= hand
    return found


def _bids_against_hands(played: PlayedRound) -> Iterator[Contradiction]:
    for seat, bid in enumerate(played.bids):
        allowed = _allowed(played, seat)
        if not allowed >> contract_of(bid) & 1:
            accepted = ", ".join(bid_word(one) for one in range(TRICKS + 1) if allowed >> one & 1)
            detail = f"the bid of seat {seat} is {bid_word(bid)}; accepted with this hand: {accepted}"
            yield Contradiction(("bids", seat), "bid-out-of-range", detail)


def _passes(played: PlayedRound) -> Iterator[Contradiction]:
    for seat in SEATS:
        given, received = played.passed[seat], played.passed[seat ^ 2]
        fields = f"passed.{seat}", f"passed.{seat ^ 2}"
        _, faults = check_pass(played.hands[seat], played.bids, seat, given, received, played.rules, fields)
        for (field,), code, detail in faults:
            if field == fields[0]:  # the check of partner names the other
                yield Contradiction(("passed", seat), code, detail)


def _scores(played: PlayedRound) -> Iterator[Contradiction]:
    for side, detail in scores_beyond_goals(played.scores, played.rules):
        yield Contradiction(("scores", side), "out-of-range", f"scores.{side} is {detail}")
    for side, bags in enumerate(played.bags):
        if not 0 <= bags < bags_below(played.rules):
            detail = f"bags.{side} is {bags}; accepted: {accepted_bags(played.rules)}"
            yield Contradiction(("bags", side), "out-of-range", detail)


def _plays(played: PlayedRound) -> Iterator[Contradiction]:
    names, state = CARD_NAMES[deck_number(played.rules)], _first_state(played)
    for index, card in enumerate(played.plays):
        seat = _turn(state)
        held = state.hand[seat]
        legal = legal_cards(held, state.trick_size, state.trick[0], state.broken)
        if not legal >> card & 1:
            why = "must play another card" if held >> card & 1 else "does not hold it"
            accepted = ", ".join(names[one] for one in cards_of(legal))
            detail = f"plays.{index} is {names[card]}, but seat {seat} {why}; accepted: {accepted}"
            yield Contradiction(("plays", index), "contradiction", detail)
            return
        play_card(state, seat, card)


# ---- bids and passes -------------------------------------------------------------------------------------------------


def review_bids_and_passes(played: PlayedRound, policy: Policy, tables: TableSet) -> Iterator[ReviewedChoice]:
    """Yield the review of each bid and of each pass, in the order of time.

    ``policy``: winprob, which has a win table for the rules.
    """
    for seat in SEATS:
        yield _review_bid(played, seat, policy, tables)
    for seat in passing_seats(played.bids, played.rules):
        yield _review_pass(played, seat, policy, tables)


def passing_seats(bids: tuple[int, ...], rules: Rules) -> list[int]:
    """Return the seats that give cards to partner, in the order in which they give them."""
    seats = []
    for first in (0, 1):
        if cards_to_pass(bids[first], bids[first + 2], rules.nil_pass, rules.blind_nil_pass):
            seats += [first + 2, first] if gives_first(bids, first + 2, rules) else [first, first + 2]
    return seats


def _review_bid(played: PlayedRound, seat: int, policy: Policy, tables: TableSet) -> ReviewedChoice:
    bid = played.bids[seat]
    if bid > TRICKS:
        return _ungraded(seat, "bid", bid_word(bid), None, "hand-not-seen")
    decision = decide(_position(played, seat), policy, tables, None, EXPLAINED)
    explanation = decision.explanation or {}
    p_win = {candidate["bid"]: candidate["p_win"] for candidate in explanation["candidates"]}
    allowed = _allowed(played, seat)
    if allowed & (allowed - 1) == 0:
        return _ungraded(seat, "bid", bid_word(bid), p_win[bid], "only-choice")
    best = decision.bid if p_win[decision.bid] > p_win[bid] else bid
    numbers = {"bid": bid, "other": best, **_percents(p_win[bid], p_win[best])}
    code = "nil-better" if best == 0 else "nil-worse" if bid == 0 else "better-bid"
    of_bids = [{**one, "sentence": one.sentence} for one in explanation["reasons"][:MOST_IN_BRIEF]]
    reasons = [_reason(code if best != bid else "none-better", numbers), *of_bids]
    return _graded(seat, "bid", (bid_word(bid), bid_word(best)), (p_win[bid], p_win[best]), None, reasons)


def _review_pass(played: PlayedRound, seat: int, policy: Policy, tables: TableSet) -> ReviewedChoice:
    rules, bids, partner, deck = played.rules, played.bids, seat ^ 2, deck_number(played.rules)
    number = cards_to_pass(bids[seat], bids[partner], rules.nil_pass, rules.blind_nil_pass)
    hand = played.hands[seat] | (played.passed[partner] if gives_first(bids, partner, rules) else 0)
    chosen, best = played.passed[seat], given_cards(hand, bids[seat], number, deck_of(rules))
    by_nil = is_nil(bids[seat])
    choices = _names(chosen, deck), _names(best, deck)
    of_cards = explain_pass(hand, best, deck_of(rules) & ~hand, by_nil, deck)
    if not by_nil:
        if chosen == best:
            none_better = _reason("none-better", {})
            return ReviewedChoice(seat, "pass", *choices, None, None, 0.0, None, GRADES[0], [none_better, *of_cards])
        usual = _reason("usual-pass", {"best_cards": choices[1]})
        return ReviewedChoice(seat, "pass", *choices, None, None, None, None, None, [usual, *of_cards])
    chances = [_p_nil(played, seat, hand & ~given, policy, tables) for given in (chosen, best)]
    if chances[1] <= chances[0]:
        choices, chances, best = (choices[0], choices[0]), [chances[0]] * 2, chosen
    failed, made = (_p_win_after_nil(played, seat, taken, policy, tables) for taken in (1, 0))
    p_win, best_p_win = (failed + chance * (made - failed) for chance in chances)
    numbers = {"best_cards": choices[1], "given": choices[0], **_percents(*chances)}
    reasons = [_reason("better-pass" if best != chosen else "none-better", numbers)]
    return _graded(seat, "pass", choices, (p_win, best_p_win), None, [*reasons, *of_cards])


def _p_nil(played: PlayedRound, seat: int, kept: int, policy: Policy, tables: TableSet) -> float:
    """Return the probability that a nil is made if the bidder keeps the cards ``kept``, after the bids before it.

    The curve of the last bidder, who knows all other bids, fits no better: of 30,000 nils with a pass of two cards, and
    of 28,000 with four, its squared error was larger in each other seat.
    """
    rules, bids = played.rules, played.bids
    number = cards_to_pass(bids[seat], bids[seat ^ 2], rules.nil_pass, rules.blind_nil_pass)
    passing = played._replace(rules=rules._replace(nil_pass=number))  # a pass after a blind nil has the same curves
    turn = turn_of(_position(passing, seat), policy, tables, None, NOT_EXPLAINED)
    given_away = rules._replace(nil_pass=0)  # only the cards that are kept count
    return model_nil(suits_of(kept), turn.auction, LOW_FOUR, turn.allowed, given_away, turn.tables).probability


def _p_win_after_nil(played: PlayedRound, seat: int, taken: int, policy: Policy, tables: TableSet) -> float:
    """Return a nil bidder's win probability after ``taken`` tricks, 0 or 1, if all others make their bids."""
    rules, bids, side = played.rules, played.bids, seat & 1
    tricks = [contract_of(bid) for bid in bids]
    tricks[seat] = taken
    (us, us_bags), (them, them_bags) = (
        score_side(bids[one], tricks[one], bids[one + 2], tricks[one + 2], played.bags[one], rules)
        for one in (side, 1 - side)
    )
    after = Standing(played.scores[side] + us, played.scores[1 - side] + them, us_bags, them_bags)
    nearest = tables.games.nearest(rules)
    assert nearest is not None, "the rules have a win table"
    views = turn_of(_position(played, seat), policy, tables, None, NOT_EXPLAINED).tables
    return win_probability_after(after, side, nearest.win_slice, rules, win_array(nearest.win_slice, views))


# ---- cards -----------------------------------------------------------------------------------------------------------


def card_turns(played: PlayedRound) -> Iterator[CardTurn]:
    """Yield each turn to play a card, in the order of time."""
    state = _first_state(played)
    for card in played.plays:
        seat = _turn(state)
        known = PlayState()
        copy_state(state, known)
        known.hand = [hand if other == seat else 0 for other, hand in enumerate(state.hand)]
        legal = legal_cards(known.hand[seat], known.trick_size, known.trick[0], known.broken)
        given = played.passed[seat] & ~played.passed[seat ^ 2]
        yield CardTurn(known, seat, card, legal, played.hands[seat], given)
        play_card(state, seat, card)


def valuing_request(turn: CardTurn, rules: Rules, bidder: str, deals: int) -> dict[str, Any]:
    """Return what a search process needs to compare all cards of a turn with the card that was played.

    ``bidder``: the policy by which all players are assumed to bid; ``deals``: the number of random deals.
    """
    return {
        "rules": list(rules),
        "state": turn.state,
        "seat": turn.seat,
        "dealt": turn.dealt,
        "given": turn.given,
        "played": turn.card,
        "bids": bidder,
        "deals": deals,
    }


def review_card(turn: CardTurn, valued: Sequence[ValuedCard], rules: Rules) -> ReviewedChoice:
    """Return the review of a card; ``valued``: the distinct legal cards, first the card that was played."""
    names, state, seat = CARD_NAMES[deck_number(rules)], turn.state, turn.seat
    choice = names[turn.card]
    if not valued:
        return _ungraded(seat, "card", choice, None, "no-deal-fits")
    if len(valued) == 1:
        return _ungraded(seat, "card", choice, valued[0].p_win, "only-choice")
    best = max(valued, key=lambda one: one.gain - SURE * one.error)
    if best.gain <= SURE * best.error:
        best = valued[0]
    p_win, best_p_win = valued[0].p_win, valued[0].p_win + best.gain
    if best is valued[0]:
        reasons = [_reason("none-better", {})]
    else:
        numbers = {"played": choice, "best_card": names[best.card], **_percents(p_win, best_p_win)}
        reasons = [_reason("better-card", numbers)]
        if srp4(state, seat) == best.card:
            reasons += explain_card(state, seat, best.card, rules)
    error = best.error if best is not valued[0] else None
    return _graded(seat, "card", (choice, names[best.card]), (p_win, best_p_win), error, reasons)


# ---- grades ----------------------------------------------------------------------------------------------------------


def grade_of(loss: float, error: float = 0.0) -> str:
    """Return the grade of a choice that costs ``loss`` in win probability; ``error``: the standard error of that.

    >>> grade_of(0.0), grade_of(0.05, 0.015), grade_of(0.3, 0.03)
    ('best', 'inaccuracy', 'blunder')
    """
    if loss <= 0.0:
        return GRADES[0]
    sure = loss - SURE * error
    return next((grade for grade in reversed(CUT_OFFS) if sure >= CUT_OFFS[grade]), GRADES[1])


class SeatSummary(NamedTuple):
    """The grades of a player."""

    seat: int
    graded: int  # number of choices with a grade
    grades: dict[str, int]  # by grade, their number
    mean_loss: float  # win probability, over the graded choices; 0 if there are none
    total_loss: float


def summary_of(choices: Iterable[ReviewedChoice]) -> list[SeatSummary]:
    """Return the summary of each seat."""
    by_seat: list[list[ReviewedChoice]] = [[], [], [], []]
    for one in choices:
        if one.grade is not None:
            by_seat[one.seat].append(one)
    summaries = []
    for seat, graded in enumerate(by_seat):
        grades = {grade: sum(one.grade == grade for one in graded) for grade in GRADES}
        total = sum(one.loss or 0.0 for one in graded)
        summaries.append(SeatSummary(seat, len(graded), grades, total / max(len(graded), 1), total))
    return summaries


def _graded(
    seat: int,
    kind: ChoiceKind,
    choices: tuple[str, str],
    p_wins: tuple[float, float],
    error: float | None,
    reasons: list[dict[str, Any]],
) -> ReviewedChoice:
    """Return the review of a choice; ``choices`` and ``p_wins``: of the choice and of the best one."""
    loss = p_wins[1] - p_wins[0]
    return ReviewedChoice(seat, kind, *choices, *p_wins, loss, error, grade_of(loss, error or 0.0), reasons)


def _ungraded(seat: int, kind: ChoiceKind, choice: str, p_win: float | None, code: str) -> ReviewedChoice:
    return ReviewedChoice(seat, kind, choice, choice, p_win, p_win, None, None, None, [_reason(code, {})])


def _reason(code: str, numbers: dict[str, Any]) -> dict[str, Any]:
    used = numbers_in("review", code)
    why = reason("review", code, **{name: number for name, number in numbers.items() if name in used})
    return {**why, "sentence": why.sentence}


def _percents(p_choice: float, p_best: float) -> dict[str, float]:
    return {"percent": tenth_of_percent(p_best), "choice_percent": tenth_of_percent(p_choice)}


# ---- the round -------------------------------------------------------------------------------------------------------


def _position(played: PlayedRound, seat: int) -> Position:
    us, them = seat & 1, 1 - (seat & 1)
    standing = Standing(played.scores[us], played.scores[them], played.bags[us], played.bags[them])
    return Position(played.hands[seat], played.bids[:seat], standing, played.rules)


def _allowed(played: PlayedRound, seat: int) -> int:
    """Return the set of bids that the rules allow a seat."""
    return allowed_at_turn(played.hands[seat], auction_after(played.bids[:seat]), played.rules)


def _first_state(played: PlayedRound) -> PlayState:
    """Return the state before the first card."""
    state = PlayState(deck=deck_of(played.rules), bid=list(played.bids), pieces=[ALL_PIECES] * 4)
    for seat in SEATS:
        given, received = played.passed[seat], played.passed[seat ^ 2]
        state.hand[seat] = played.hands[seat] & ~(given & ~received) | received & ~given
    state.score, state.bags = list(played.scores), list(played.bags)
    write_rules(state, played.rules)
    start_play(state)
    return state


def _turn(state: PlayState) -> int:
    return (state.leader + state.trick_size) & 3


def _names(cards: int, deck: int) -> str:
    return " ".join(CARD_NAMES[deck][card] for card in reversed(cards_of(cards)))
