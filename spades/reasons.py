"""The reasons in all answers, each declared once: what it explains, its code, and its English sentence as a template.

`REASONS` lists them by what they explain: a bid, a nil, a blind nil, a card to play, a card to pass, or a
choice in a review. `reason` makes a `Reason`: a dict with its code and the numbers of its sentence. The numbers are
rounded as the sentence shows them; the explanation's other fields have the exact numbers. Each template can be
translated by itself: its wording fits any number, singular or plural, and a word such as nil or the name of a suit is
never a value. GET /v1/reasons lists them.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

Subject = Literal["bid", "nil", "blind nil", "card", "pass", "review"]  # what a reason explains

_MOST_KEPT = 4096  # reasons that `reason` keeps


class Number(NamedTuple):
    """A number in a reason. It may also be a text: the name of a card, or a list of ranks."""

    json_type: str  # "integer", "number" or "string"
    unit: str
    meaning: str


# ---- a bid ----------------------------------------------------------------------------------------------------------

_BID_REASONS = {
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
    "counts-double": "Partner bid blind, so the contract of your side counts double.",
    "theirs-counts-double": "An opponent bid blind, so their contract counts double.",
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

_BID_NUMBERS = {
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

# ---- a nil that is ruled out, and the nil rules of rb, ms and io ----------------------------------------------------

# The first twelve are those of `bis.estimates.RULED_OUT_CODES`.
_NIL_REASONS = {
    "partner": "partner bid nil",
    "ace-of-spades": "ace of spades",
    "king-queen": "king and queen of spades",
    "three-high": "three spades above the nine",
    "four-spades": "four or more spades",
    "honour": "king or queen of spades",
    "switched-off": "nils are switched off",
    "rules": "the rules allow no nil here",
    "big-joker": "big joker",
    "joker-ace": "the second and third highest spade",
    "three-above-jack": "three of the five highest spades",
    "joker-honour": "the second or third highest spade",
    "low-cards-only": "in each suit the three lowest cards at most {ranks}; at most 3 spades; partner not nil",
    "no-high-cards": "at most 3 takes, partner's bid 4 or more, no ace or king, no spade from the ten up, at most 3 "
    "spades",
    "never": "never by rule",
}
_NIL_NUMBERS = {"ranks": Number("string", "ranks", "The highest ranks of the three lowest cards of a suit.")}

# ---- a blind nil ----------------------------------------------------------------------------------------------------

_MAKES = "a blind nil here makes {makes}%"
_BELOW_FLOOR = "under the floor of {floor}%: look."
_DRAWN = "bid in {frequency}% of such places, and the lot drawn is {lot}%"
_BIG6 = f"Partner's 6 demands it (Big 6), and {_MAKES}"
_DESPAIR = (
    "The opponents win with {their_score} when all make their bids, easily, for the four sum to {total} (seats to come "
    f"at their means), and {_MAKES}"
)
_FOURTH_SEAT = f"After {{sum}} tricks bid our hand holds the ace of spades in {{ace}}%, and {_MAKES}"
_BLIND_OR_LOOK = (
    "By tables that know no blind numbers, a blind {number} wins {number_percent}% of the games, and a look at the "
    "hand {look_percent}%"
)

_BLIND_NIL_REASONS = {
    "look": f"No rule calls for it, and {_MAKES}: look.",
    "policy-never": "This policy never bids blind nil: look.",
    "against-rules": "The rules allow no blind nil here: look.",
    "not-far-behind": "Behind by {deficit}, and the rules ask for {least}: look.",
    "not-behind": "Not behind, and the rules ask for {least}: look.",
    "partner-nil": "Partner bid nil: look.",
    "big6": f"{_BIG6}: blind nil.",
    "big6-below-floor": f"{_BIG6}, {_BELOW_FLOOR}",
    "despair": f"{_DESPAIR}: blind nil.",
    "despair-below-floor": f"{_DESPAIR}, {_BELOW_FLOOR}",
    "fourth-seat": f"{_FOURTH_SEAT}: blind nil.",
    "fourth-seat-below-floor": f"{_FOURTH_SEAT}, {_BELOW_FLOOR}",
    "fourth-seat-drawn": f"{_FOURTH_SEAT}; {_DRAWN}: blind nil.",
    "fourth-seat-not-drawn": f"{_FOURTH_SEAT}; {_DRAWN}: look.",
    "blind-number": f"{_BLIND_OR_LOOK}: blind {{number}}.",
    "look-wins-more": f"{_BLIND_OR_LOOK}: look.",
}
_BLIND_NIL_NUMBERS = {
    "makes": _BID_NUMBERS["makes"],
    "their_score": _BID_NUMBERS["their_score"],
    "deficit": Number("integer", "points", "How far the bidder's side is behind."),
    "least": Number("integer", "points", "How far behind the rules require a side to be."),
    "sum": Number("integer", "tricks", "The sum of the bids so far."),
    "total": Number("number", "tricks", "The sum of all four bids; those still to come count as their means."),
    "ace": Number("integer", "percent", "How often the hand holds the ace of spades."),
    "floor": Number("integer", "percent", "How often a blind nil must be made, at least."),
    "frequency": Number("integer", "percent", "In how many of such positions the policy bids blind nil."),
    "lot": Number("integer", "percent", "The random number that decides, from the seed."),
    "number": Number("integer", "tricks", "The blind number that wins most games."),
    "number_percent": Number("number", "percent", "How often the side wins the game with the blind number."),
    "look_percent": Number("number", "percent", "How often the side wins the game with its best bid after a look."),
}

# ---- a card to play -------------------------------------------------------------------------------------------------

_CARD_REASONS = {
    "only-card": "{card} is the only card that may be played.",
    # The goal.
    "keep-nil": "You bid nil and must not win a trick.",
    "cover-nil": "Partner bid nil, so you win tricks that partner would otherwise have to win.",
    "cover-later": "Partner bid nil and is safe in this trick, so you save your high cards.",
    "lead-safe": "Partner bid nil and will probably not win this trick.",
    "lead-risky": "Partner bid nil and may have no card below {card}, but every other lead looks worse.",
    "attack-nil": "Seat {seat} bid nil and may have to win this trick.",
    "under-nil": "Seat {seat} bid nil and is winning this trick, so you do not beat that card.",
    "attack-later": "The nil of seat {seat} cannot fail in this trick, so you save your low cards.",
    "nil-beaten": "The nil of seat {seat} is safe in this trick.",
    "nil-safe": "The nil of seat {seat} will probably not fail in this trick.",
    "contract": "Your side needs {needed} of the {left} remaining tricks to make its contract.",
    "own-contract": "You need {needed} of the {left} remaining tricks to make your bid.",
    "wants-tricks": "You try to win tricks.",
    "no-tricks": "You do not try to win tricks.",
    "set": "The opponents need {theirs} of the {left} remaining tricks, so they may still be set.",
    "set-certain": "The other players together need {theirs} tricks, but only {left} remain: one of them will be set.",
    "set-one": "The other players together need {theirs} of the {left} remaining tricks, so one may still be set.",
    "enough": "The contract is made, and each further trick is a bag.",
    "enough-no-bags": "The contract is made, and further tricks would bring nothing.",
    "sure": "You are certain to win the tricks that are still needed, and leave the rest to the opponents.",
    "own-share": "You are certain to make your own bid, and leave the other tricks to partner.",
    "hopeless": "The contract can no longer be made.",
    "failed-nil": "Your nil has failed, and you leave tricks to the others.",
    # What a level below full strength does.
    "overlooks": "You overlook something that was played or bid. At full strength you would play {full}.",
    # What a search found.
    "search-better": "Your side wins {percent}% of the games after {card}, and {usual_percent}% after {usual}, the "
    "card that rules choose. Random deals: {deals}.",
    "search-kept": "No card is clearly better than {card}, the card that rules choose: your side wins "
    "{percent}% of the games after it. Random deals: {deals}.",
    # What the player that learned from a search estimates.
    "net-better": "A net that learned from a search expects your side to win {gain} more of 100 games after {card} "
    "than after {usual}, the card that rules choose.",
    # What the card does.
    "lead-top": "No other player has a higher card of its suit than {card}.",
    "lead": "{card} is led, of a suit with {above} higher and {below} lower unseen cards.",
    "win": "{card} is the last card of the trick and wins it.",
    "win-sure": "{card} wins the trick, because no other player has a higher trump.",
    "win-now": "{card} wins the trick, unless a later player has a higher card or a trump.",
    "ruff": "{card} trumps, and wins unless a later player has a higher trump.",
    "win-trump": "{card} wins the trick, unless a later player has a higher trump.",
    "side-wins": "Your side wins this trick in any case, and you use {card}.",
    "partner-wins": "Partner wins the trick, so {card} does not have to.",
    "partner-ahead": "Partner is winning the trick so far, so {card} does not have to.",
    "nil-in-danger": "Partner bid nil and is winning the trick, and you cannot play a higher card.",
    "lose": "{card} loses this trick.",
    "discard": "You have no card of the suit led and discard {card}.",
}
_CARD_NUMBERS = {
    "card": Number("string", "card", "The card that is given or played."),
    "seat": Number("integer", "seat", "The seat that bid nil."),
    "needed": Number("integer", "tricks", "Tricks that are still needed for the contract, or for the bid."),
    "left": Number("integer", "tricks", "Tricks that are not decided yet, the current one included."),
    "theirs": Number("integer", "tricks", "Tricks that the opponents still need together."),
    "above": Number("integer", "cards", "Unseen cards of the suit that are higher."),
    "deals": Number("integer", "deals", "Random deals that were played."),
    "percent": Number("number", "percent", "How often the player's side wins the game after the card."),
    "gain": Number(
        "number",
        "percent",
        "By how much the card raises the chance to win the game, as an estimate.",
    ),
    "full": Number("string", "card", "The card at full strength."),
    "usual": Number("string", "card", "The card that rules choose: srp@4, for search@1 srp@3."),
    "usual_percent": Number("number", "percent", "How often the side wins the game after the card that rules choose."),
    "below": Number("integer", "cards", "Unseen cards of the suit that are lower."),
}

# ---- a card to pass -------------------------------------------------------------------------------------------------

_PASS_REASONS = {
    "top-spade": "{card} always wins a trick, because no unseen card is higher.",
    "spade": "{card} may win a trick as a trump (higher unseen spades: {above}).",
    "empties-suit": "You give away all your cards of this suit, including {card}, so you can discard in this suit.",
    "high": "{card} may win a trick (unseen cards of its suit: {above} higher, {below} lower).",
    "low-of-suit": "{card} is low, but no other card is more dangerous (unseen cards of its suit: {above} higher).",
    "low": "{card} is low: the nil bidder can play it without winning (higher unseen cards of its suit: {above}).",
    "lowest-left": "{card} is the least useful card to keep, but the nil bidder may win a trick with it.",
    "low-spade": "{card} is a low spade, and the other suits have nothing lower to give.",
}
_PASS_NUMBERS = {
    "card": Number("string", "card", "The card that is given or played."),
    "above": Number("integer", "cards", "Unseen cards of its suit that are higher."),
    "below": Number("integer", "cards", "Unseen cards of its suit that are lower."),
}

# ---- a choice in a review -------------------------------------------------------------------------------------------

_REVIEW_REASONS = {
    "none-better": "No other choice is clearly better.",
    "only-choice": "There was no other choice, or all were equal.",
    "hand-not-seen": "A blind bid is made before the hand is seen, so it is not graded.",
    "no-deal-fits": "No random deal fits what the player knew, so the card is not graded.",
    "better-bid": "With {other} you win {percent}% of the games, and with {bid} {choice_percent}%.",
    "nil-better": "With a nil you win {percent}% of the games, and with {bid} {choice_percent}%.",
    "nil-worse": "With {other} you win {percent}% of the games, and with a nil {choice_percent}%.",
    "better-pass": "After giving {best_cards} the nil succeeds {percent}% of the time, and after giving {given} "
    "{choice_percent}%.",
    "usual-pass": "The usual choice is {best_cards}. What the difference costs is not known, so it is not graded.",
    "better-card": "After {best_card} your side wins {percent}% of the games, and after {played} {choice_percent}%.",
}
_REVIEW_NUMBERS = {
    "bid": _BID_NUMBERS["bid"],
    "other": _BID_NUMBERS["other"],
    "percent": _BID_NUMBERS["percent"],
    "choice_percent": Number("number", "percent", "The same probability after the choice that was made."),
    "played": Number("string", "card", "The card that was played."),
    "best_card": Number("string", "card", "The best card."),
    "given": Number("string", "cards", "The cards that were given."),
    "best_cards": Number("string", "cards", "The best cards to give."),
}

# ---- the catalogue --------------------------------------------------------------------------------------------------

# By what they explain and by code: the sentence of each reason as a template.
REASONS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "bid": MappingProxyType(_BID_REASONS),
        "card": MappingProxyType(_CARD_REASONS),
        "pass": MappingProxyType(_PASS_REASONS),
        "review": MappingProxyType(_REVIEW_REASONS),
        "nil": MappingProxyType(_NIL_REASONS),
        "blind nil": MappingProxyType(_BLIND_NIL_REASONS),
    }
)
# By the same, the numbers in these templates by name.
NUMBERS: Final[Mapping[str, Mapping[str, Number]]] = MappingProxyType(
    {
        "bid": MappingProxyType(_BID_NUMBERS),
        "card": MappingProxyType(_CARD_NUMBERS),
        "pass": MappingProxyType(_PASS_NUMBERS),
        "review": MappingProxyType(_REVIEW_NUMBERS),
        "nil": MappingProxyType(_NIL_NUMBERS),
        "blind nil": MappingProxyType(_BLIND_NIL_NUMBERS),
    }
)


class Reason(dict[str, Any]):
    """A reason as callers get it, and its sentence. Decisions share it, so it must not be changed."""

    __slots__ = ("sentence",)
    sentence: str


_SENTENCE = attrgetter("sentence")


@cache
def numbers_in(subject: Subject, code: str) -> tuple[str, ...]:
    """Return the names of the numbers of a reason, in the order of its sentence.

    >>> numbers_in("bid", "partner-bid")
    ('partner', 'bid', 'contract')
    """
    return tuple(re.findall(r"{(\w+)}", REASONS[subject][code]))


@lru_cache(maxsize=_MOST_KEPT, typed=True)  # typed: 1 and 1.0 make different sentences
def reason(subject: Subject, code: str, **numbers: float | str) -> Reason:
    """Return the reason ``code`` about ``subject``, with the numbers of its template. A -0.0 becomes 0.0.

    >>> reason("bid", "partner-bid", partner=4, bid=3, contract=7)
    {'code': 'partner-bid', 'partner': 4, 'bid': 3, 'contract': 7}
    """
    made = Reason(code=code)
    for name, number in numbers.items():
        made[name] = number if isinstance(number, str) else number + 0
    made.sentence = REASONS[subject][code].format_map(made)
    return made


def sentence_of(reasons: Sequence[Reason]) -> str:
    """Return the sentences of ``reasons``, one after another.

    >>> sentence_of([reason("bid", "bid", bid=3), reason("bid", "partner-bid", partner=4, bid=3, contract=7)])
    'Bid 3. Partner bid 4 and you add 3: 7 in all.'
    """
    return " ".join(map(_SENTENCE, reasons))


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
