"""The reasons for a bid, each declared once: a code, and the English sentence that a player reads.

`reason` makes a `Reason`: a dict with its `code` and the numbers of its sentence. The numbers are rounded as the
sentence shows them; the explanation's other fields have the exact numbers. Each template can be translated by itself:
its wording fits any number, singular or plural, and a word such as nil or the name of a suit is never a value. GET
/v1/reasons lists them.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from spades.bis.nil import FOUR_SPADES, NIL_REASONS, Nil
from spades.scoring import BLIND_NIL, NO_BID, is_nil

MOST_IN_BRIEF = 4  # reasons of a brief explanation


class Number(NamedTuple):
    """A number in a reason. In reasons for cards it may also be a card's name."""

    json_type: str  # "integer", "number" or "string"
    unit: str
    meaning: str


NUMBERS = {
    "bid": Number("integer", "tricks", "The bid that was made."),
    "other": Number("integer", "tricks", "A bid that was not made."),
    "partner": Number("integer", "tricks", "Partner's bid; if partner has not bid yet, the expected one."),
    "contract": Number("integer", "tricks", "The contract of the bidder's side."),
    "tricks": Number("number", "tricks", "Tricks, as the sentence says."),
    "percent": Number("number", "percent", "A probability, as the sentence says."),
    "makes": Number("integer", "percent", "How often the contract or the nil is made."),
    "points": Number("number", "points", "What a nil earns on average."),
    "threshold": Number("number", "points", "What a nil must earn on average."),
    "score": Number("integer", "points", "A score after the round."),
    "their_score": Number("integer", "points", "The score of the others after the round."),
    "goal": Number("integer", "points", "The score at which a side wins, or loses, the game."),
    "fails": Number("integer", "percent", "How often the nil of the opponents fails."),
    "bags": Number("integer", "bags", "The bags of a side before the round."),
    "limit": Number("integer", "bags", "The number of bags that brings a penalty."),
    "penalty": Number("integer", "points", "The penalty for that many bags."),
    "cards": Number("integer", "cards", "The number of cards that a nil bidder gives to partner."),
    "level": Number("integer", "level", "The skill level."),
    "aggression": Number("number", "-1 to 1", "The style's leaning to fewer tricks or to more."),
    "nil_bias": Number("number", "-1 to 1", "The style's leaning away from nils or to them."),
}

TEMPLATES = {
    # The bid, and how often it wins the game.
    "bid": "Bid {bid}.",
    "bid-nil": "Bid nil.",
    "bid-blind-nil": "Bid blind nil.",
    "wins": "Bid {bid}: you win the game {percent}% of the time.",
    "wins-nil": "Bid nil: you win the game {percent}% of the time.",
    # The hand.
    "tricks": "Your cards should win about {tricks} of the 13 tricks.",
    "hardly-a-trick": "Your cards should win hardly any trick.",
    "at-least-one": "The smallest bid that is not nil is 1.",
    "tricks-left": "Partner's bid leaves only {tricks} of the 13 tricks.",
    "certain-tricks": "Your spades alone are certain to win more tricks than that, so the bid is higher.",
    "simple-count": "By a simple count your cards win {tricks} of the 13 tricks.",
    # The contract.
    "partner-bid": "Partner bid {partner} and you add {bid}: {contract} in all.",
    "partner-nil": "Partner bid nil, so your {bid} is the whole contract.",
    "partner-to-bid": "Partner has not bid yet and will probably bid {partner}: {contract} in all.",
    "partner-alone": "Partner must make the bid of {partner} alone.",
    "partner-alone-to-bid": "Partner has not bid yet, will probably bid {partner}, and must make it alone.",
    "partner-nil-makes": "Partner's nil succeeds {makes}% of the time.",
    "their-nil": "The opponents' nil fails {fails}% of the time.",
    "alone": "You play alone against three.",
    "opposite-as-partner": "This policy treats the player opposite as a partner.",
    "makes": "Your side makes its bid {makes}% of the time.",
    # What the other bids would risk.
    "other-number": "With {other} your side would make its bid {makes}% and win the game {percent}% of the time.",
    "lower": "With {other} your side would make its bid {makes}% and win the game {percent}% of the time: "
    "safer, but for fewer points.",
    "lower-bags": "With {other} your side would make its bid {makes}% and win the game {percent}% of the time: "
    "safer, but with more bags.",
    "other-number-wins": "With {other} you would win the game {percent}% of the time.",
    "best-number": "The best number, {other}, would win the game {percent}% of the time.",
    "too-close": "With {other} you would win {percent}%: too close to tell apart, and the lower bid is safer.",
    "close": "With {other} you would win {percent}%: too close to tell apart.",
    "better": "With {other} you would win {percent}%, which is better.",
    "better-nil": "A nil would succeed {makes}% and win the game {percent}% of the time, which is better.",
    "no-other-bid": "No other bid is worth considering.",
    # Nil.
    "nil-makes": "The nil succeeds {makes}% of the time.",
    "nil-wins-less": "A nil would succeed {makes}% and win the game {percent}% of the time.",
    "nil-too-close": "A nil would succeed {makes}% and win the game {percent}% of the time: too close to tell apart.",
    "nil-above-threshold": "A nil succeeds {makes}% of the time and is worth {points} points on average; {threshold} "
    "would be enough.",
    "nil-below-threshold": "A nil succeeds {makes}% of the time and is worth {points} points on average; it is bid "
    "only above {threshold}.",
    "nil-pass": "That is after giving {cards} cards to partner.",
    "nil-pass-one": "That is after giving a card to partner.",
    "nil-by-simple-rule": "Your cards are low enough for a nil by a simple rule.",
    "weak-spades": "Spades are its weak point.",
    "weak-hearts": "Hearts are its weak point.",
    "weak-diamonds": "Diamonds are its weak point.",
    "weak-clubs": "Clubs are its weak point.",
    "weak-four-spades": "The four spades are its weak point.",
    "no-nil-partner": "No nil beside partner's nil: both together seldom succeed.",
    "no-nil-ace-of-spades": "No nil: the ace of spades always wins a trick.",
    "no-nil-king-queen": "No nil: with king and queen of spades, one of them nearly always wins a trick.",
    "no-nil-three-high": "No nil: you have three spades above the nine.",
    "no-nil-four-spades": "No nil: with four or more spades, one of them is likely to win a trick.",
    "no-nil-honour": "No nil: the king or queen of spades is likely to win a trick.",
    "no-nil-switched-off": "No nil: this bidder never bids one.",
    "no-nil-rules": "No nil: the rules do not allow it here.",
    "no-nil-big-joker": "No nil: the big joker always wins a trick.",
    "no-nil-joker-ace": "No nil: with the second and third highest spade, one of them nearly always wins a trick.",
    "no-nil-three-above-jack": "No nil: you have three of the five highest spades.",
    "no-nil-joker-honour": "No nil: the second or third highest spade is likely to win a trick.",
    # What the score asks for.
    "we-reach-goal": "If all bids are made you reach {score}; {goal} wins the game.",
    "they-reach-goal": "If all bids are made the others reach {score}; {goal} wins the game.",
    "both-reach-goal": "If all bids are made you reach {score} and the others {their_score}; {goal} wins the "
    "game, and if both reach it, the higher score.",
    "others-to-bid": "For opponents who have not bid yet, {tricks} more tricks are counted.",
    "would-win": "With {other}, if all bids are made, you reach {score}; {goal} wins the game.",
    "would-win-nil": "With a nil, if all bids are made, you reach {score}; {goal} wins the game.",
    "would-lose": "With {other}, if all bids are made, you reach {score} and the others {their_score}; {goal} wins the "
    "game.",
    "loses-if-set": "If the contract fails you fall to {score}; at {goal} you lose the game.",
    "loses-if-nil-fails": "If the nil fails you fall to {score}; at {goal} you lose the game.",
    "bags": "Bags so far: {bags}; at {limit} you lose {penalty} points.",
    "their-bags": "Bags of the others so far: {bags}; at {limit} they lose {penalty} points.",
    "opponents-nil": "An opponent bid nil: bid half a trick less, so that you are free to make that nil fail.",
    "complete-to-14": "With 14 bid in all, only one side can make its bid, and it may be yours.",
    "close-race": "That is less than 20 points behind: bid enough to be ahead.",
    "desperate-nil": "That is too far behind to catch up with tricks, but a nil may be enough.",
    "regular-wins-too": "A number wins the game too, so there is no need for a nil.",
    "last-seat-one-less": "One less wins the game too, and two more bags cost nothing.",
    # Conventions.
    "big5-signal": "In Big 5 a 5 asks partner for a nil, and your high cards can protect it.",
    "big5-refusal": "In Big 5 a 5 would ask partner for a nil, which your cards can't protect: one less.",
    "big5-answer": "Partner's 5 asks for a nil and promises to protect it, so a weaker hand is enough for a nil.",
    "big6-signal": "In Big 6 a 6 asks partner for a blind nil, and your high cards can protect it.",
    "big6-refusal": "In Big 6 a 6 would ask partner for a blind nil, which your cards can't protect: one less.",
    "big6-answer": "Partner's 6 asks for a nil and promises to protect it, so a weaker hand is enough for a nil.",
    # What the rules and the caller allow.
    "mirror": "In mirror you must bid the number of your spades.",
    "whiz": "In whiz you must bid the number of your spades, or nil.",
    "whiz-strict": "In strict whiz you must bid the number of your spades.",
    "suicide": "In suicide one of two partners must bid nil, and the other at least the side's smallest contract.",
    "ten-for-200": "With partner's bid that makes exactly ten, which wins 200 points.",
    "not-allowed": "The rules do not allow {other} here; this is the nearest bid.",
    "nil-not-allowed": "The rules do not allow a nil here; this is the nearest bid.",
    "not-legal": "{other} is not one of the legal bids; this is the nearest.",
    "nil-not-legal": "Nil is not one of the legal bids; this is the nearest.",
    # Level and style.
    "style": "The style changes the bid: aggression {aggression}, nil bias {nil_bias}.",
    "misjudges": "A player of level {level} miscounts these tricks by {tricks}.",
    "misjudges-nil": "A player of level {level} misjudges the points of a nil by {points}.",
    "forgets-nils": "A player of level {level} overlooks some nils.",
    "draws": "A player of level {level} does not see differences of {percent}% or less, and picks one of the bids.",
    "full-strength": "At full strength the bid is {other}.",
    "full-strength-nil": "At full strength the bid is nil.",
    "full-strength-same": "At full strength the bid is the same.",
}
# By the reason that rules a nil out: `Nil.ruled_out`.
NO_NIL = (
    "",
    "no-nil-partner",
    "no-nil-ace-of-spades",
    "no-nil-king-queen",
    "no-nil-three-high",
    "no-nil-four-spades",
    "no-nil-honour",
    "no-nil-switched-off",
    "no-nil-rules",
    "no-nil-big-joker",
    "no-nil-joker-ace",
    "no-nil-three-above-jack",
    "no-nil-joker-honour",
)
_WEAK = ("weak-clubs", "weak-diamonds", "weak-hearts", "weak-spades")
_SAFE = 0.9  # a suit that wins no trick with at least this probability is no weak point of a nil
_HALF_SAFE = 0.5  # the same in a hand with four low spades, which are a weak point themselves
_MOST_KEPT = 4096  # reasons that `reason` keeps


class Reason(dict[str, Any]):
    """A reason as callers get it, and its sentence. Decisions share it, so it must not be changed."""

    __slots__ = ("sentence",)
    sentence: str


_SENTENCE = attrgetter("sentence")


@cache
def numbers_in(code: str) -> tuple[str, ...]:
    """Return the names of the numbers of a reason, in the order of its sentence.

    >>> numbers_in("partner-bid")
    ('partner', 'bid', 'contract')
    """
    return tuple(re.findall(r"{(\w+)}", TEMPLATES[code]))


def check_reasons(codes: Iterable[str]) -> None:
    """Raise `TypeError` if one of ``codes`` has no template, or if any template has an unknown number."""
    for code in codes:
        if code not in TEMPLATES:
            raise TypeError(f"reason {code}: found no template; accepted: one in reasons.TEMPLATES")
    for code in TEMPLATES:
        for name in numbers_in(code):
            if name not in NUMBERS:
                raise TypeError(f"reason {code}: found number {name!r}, which reasons.NUMBERS does not declare")


check_reasons(NO_NIL[1:])
if len(NO_NIL) != len(NIL_REASONS):
    raise TypeError(f"reasons.NO_NIL has {len(NO_NIL)} codes; accepted: {len(NIL_REASONS)}, as NIL_REASONS")


@lru_cache(maxsize=_MOST_KEPT, typed=True)  # typed: 1 and 1.0 make different sentences
def reason(code: str, *numbers: float) -> Reason:
    """Return the reason ``code`` with the numbers of its template, in their order there. A -0.0 becomes 0.0.

    >>> reason("partner-bid", 4, 3, 7)
    {'code': 'partner-bid', 'partner': 4, 'bid': 3, 'contract': 7}
    """
    made = Reason(code=code)
    for name, number in zip(numbers_in(code), numbers, strict=True):
        made[name] = number + 0
    made.sentence = TEMPLATES[code].format_map(made)
    return made


def sentence_of(reasons: Sequence[Reason]) -> str:
    """Return the sentences of ``reasons``, one after another.

    >>> sentence_of([reason("bid", 3), reason("partner-bid", 4, 3, 7)])
    'Bid 3. Partner bid 4 and you add 3: 7 in all.'
    """
    return " ".join(map(_SENTENCE, reasons))


@cache
def bid_reason(bid: int) -> Reason:
    """Return the reason that names the bid."""
    if bid == BLIND_NIL:
        return reason("bid-blind-nil")
    return reason("bid", bid) if bid else reason("bid-nil")


@cache  # at most 240 entries: 15 bids beside 16 of partner
def contract_reasons(bid: int, partner_bid: int) -> tuple[Reason, ...]:
    """Return the reasons about the side's contract with ``bid``; none if partner has not bid yet or both bid nil."""
    if partner_bid == NO_BID:
        return ()
    if is_nil(partner_bid):
        return () if is_nil(bid) else (reason("partner-nil", bid),)
    if is_nil(bid):
        return (reason("partner-alone", partner_bid),)
    return (reason("partner-bid", partner_bid, bid, partner_bid + bid),)


def goal_reasons(ours: float, theirs: float, goal: int) -> list[Reason]:
    """Return the reason that says which side reaches the goal with these projected scores; none if no side does."""
    if ours >= goal and theirs >= goal:
        return [reason("both-reach-goal", round(ours), round(theirs), goal)]
    if ours >= goal:
        return [reason("we-reach-goal", round(ours), goal)]
    return [reason("they-reach-goal", round(theirs), goal)] if theirs >= goal else []


def nil_details(nil: Nil, passed: int) -> list[Reason]:
    """Return the reasons that go with a nil's probability: the number of cards ``passed``, and the nil's weak point."""
    found: list[Reason] = []
    if passed:
        found.append(reason("nil-pass", passed) if passed > 1 else reason("nil-pass-one"))
    four_spades = nil.ruled_out == FOUR_SPADES  # then the `cnil` of the spades is 0, which says nothing
    suits = nil[: 3 if four_spades else 4]
    worst = min(suits)
    if worst < (_HALF_SAFE if four_spades else _SAFE):
        found.append(reason(_WEAK[suits.index(worst)]))
    elif four_spades:
        found.append(reason("weak-four-spades"))
    return found


def percent(p: float) -> int:
    """Return a probability 0..1 in percent, rounded to an integer."""
    return int(100 * p + 0.5)


def tenth_of_percent(p: float) -> float:
    """Return a probability 0..1 in percent with one decimal. The result is 0 or 100 only if the probability is 0 or 1.

    >>> tenth_of_percent(0.12345), tenth_of_percent(0.9999), tenth_of_percent(1.0)
    (12.3, 99.9, 100.0)
    """
    tenths = int(1000 * p + 0.5)
    if tenths == 0:
        return 0.1 if p > 0.0 else 0.0
    return 99.9 if tenths == 1000 and p < 1.0 else tenths / 10


def tenth(number: float) -> float:
    """Return a number with one decimal, as an integer if the decimal is 0.

    >>> tenth(5.67), tenth(-0.04), tenth(25.0)
    (5.7, 0, 25)
    """
    tenths = round(10 * number)
    return tenths / 10 if tenths % 10 else tenths // 10
