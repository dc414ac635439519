"""Why a card is played: which of the reasons for cards (`spades.reasons`) it has. Their sentences address the player.

The first reason is the player's goal in the round: its own nil, partner's, an opponent's, or its side's contract. The
second is what the card does in the trick. If only one card may be played, that is the only reason. To find the goal,
this module calls the functions of the card player in the order in which the player calls them.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from spades.bis.estimates import spade_tricks_against
from spades.card_net import DISTILLED, LEAST_GAINS, CardNet, net_knows
from spades.cards import CARD_NAMES, FIRST_SPADE, SPADES, spades_of
from spades.legal import deck_number, is_nil
from spades.options import FULL_LEVEL
from spades.play import solo
from spades.play.distilled import net_choice
from spades.play.mistakes import mistaken_card
from spades.play.solo import hunt, plays_alone_for_tricks, solo2
from spades.play.srp.goals import FITTED_LEADS, pieces_in_use, wants_tricks
from spades.play.srp.leads import NO_NIL_LIVE, lead_situation, p_caught
from spades.play.srp.nils import NOTHING, attack_card, cover_card
from spades.play.srp.player import attack_pays, plays_for_tricks, srp4
from spades.play.state import PlayState
from spades.play.tricks import (
    cards_above,
    cards_below,
    legal_cards,
    nil_alive,
    plays_after,
    tricks_left,
    tricks_needed,
    unseen_cards,
    winning_cards,
)
from spades.reasons import numbers_in, reason
from spades.rules import CUTTHROAT, TRICKS_COUNT_FOR_CONTRACT, Rules

NEWEST: Final = "srp@4"  # the newest rule-based card player
NEWEST_ALONE: Final = "solo@2"  # the same in variant cutthroat
# By whether the player is alone (variant cutthroat): the name of the player, and its kernel.
PLAYERS: Final = {False: (NEWEST, srp4), True: (NEWEST_ALONE, solo2)}
NEWEST_VERSION = 4  # of SRP
# By card player that searches: the version of SRP whose card it keeps unless another is better.
SRP_OF_SEARCH: Final = {"search@1": 3, "search@3": 4}
# By level, where `distilled@1` plays at the levels above: the level of the player by rules.
RULES_BELOW_NET: Final = {3: 5, 2: 4, 1: 3}
RISKY = 0.2  # a lead endangers a nil if its bidder has no card below it with at least this probability


class _Place(NamedTuple):
    """What the functions below need to know about the player's place in the round. Sets of cards are bit masks."""

    state: PlayState
    me: int  # the player's seat
    hand: int
    legal: int  # the cards that may be played
    unseen: int
    rules: Rules
    numbers: dict[str, Any]  # by name in `reasons.NUMBERS["card"]`; the functions add theirs


class CardAtOnce(NamedTuple):
    """The choice of a player that does not search."""

    card: int
    player: str  # its name with its version, and its level if that is not the full one
    reasons: list[dict[str, Any]]


def player_at_once(rules: Rules, net: CardNet | None, level: int) -> tuple[CardNet | None, int]:
    """Return who is the best player of ``level`` (1..5) that does not search: the arguments of `choose_at_once`.

    ``net``: of the tables; None: they have none, or the player by rules is named.
    """
    if net is None or not net_knows(rules):
        return None, level
    return (net, level) if level in LEAST_GAINS else (None, RULES_BELOW_NET[level])


def choose_at_once(
    state: PlayState, me: int, rules: Rules, net: CardNet | None, level: int = FULL_LEVEL, seed: int = 0
) -> CardAtOnce:
    """Return the card that `distilled@1` plays with ``net``, or without one the newest player by rules, and why.

    ``level``: 1..5, with a net one of LEAST_GAINS. ``seed``: of what a player by rules forgets below level 5, 0..2^53 -
    1; the same during a round.
    """
    if net is not None:
        return _choose_by_net(state, me, rules, net, level)
    return choose_by_rules(state, me, rules, level, seed)


def _choose_by_net(state: PlayState, me: int, rules: Rules, net: CardNet, level: int) -> CardAtOnce:
    card, usual, gain = net_choice(state, me, net, level)
    reasons = explain_card(state, me, card, rules)
    if card != usual:
        names = CARD_NAMES[deck_number(rules)]
        numbers = {"card": names[card], "usual": names[usual], "gain": round(100.0 * gain, 1)}
        reasons = [card_reason("net-better", numbers), reasons[-1]]
    return CardAtOnce(card, DISTILLED if level == FULL_LEVEL else f"{DISTILLED}(level={level})", reasons)


def choose_by_rules(state: PlayState, me: int, rules: Rules, level: int = FULL_LEVEL, seed: int = 0) -> CardAtOnce:
    """Return the card that the newest player by rules plays from seat ``me`` at ``level`` (1..5), and why.

    ``seed``: of what a level below 5 forgets, 0..2^53 - 1; the same during a round.
    """
    alone = rules.variant == CUTTHROAT
    player, choose = PLAYERS[alone]
    usual = choose(state, me)
    if level == FULL_LEVEL:
        return CardAtOnce(usual, player, explain_card(state, me, usual, rules))
    card = mistaken_card(state, me, level, seed, alone, [PlayState()])
    reasons = explain_card(state, me, usual, rules)
    if card != usual:
        place = _place(state, me, card, rules)
        numbers = {**place.numbers, "full": CARD_NAMES[deck_number(rules)][usual]}
        reasons = [card_reason("overlooks", numbers), card_reason(_effect(place, card), numbers)]
    return CardAtOnce(card, f"{player}(level={level})", reasons)


def explain_card(
    state: PlayState, me: int, card: int, rules: Rules, version: int = NEWEST_VERSION
) -> list[dict[str, Any]]:
    """Return the reasons for ``card``, which ``version`` of SRP, or `solo@2` in cutthroat, plays from seat ``me``."""
    place = _place(state, me, card, rules)
    legal, numbers = place.legal, place.numbers
    if legal & (legal - 1) == 0:
        return [card_reason("only-card", numbers)]
    goal = _goal_alone(place, card) if rules.variant == CUTTHROAT else _goal(place, card, version)
    return [card_reason(goal, numbers), card_reason(_effect(place, card), numbers)]


def _place(state: PlayState, me: int, card: int, rules: Rules) -> _Place:
    """Return the player's place before it plays ``card``."""
    hand = state.hand[me]
    legal = legal_cards(hand, state.trick_size, state.trick[0], state.broken)
    unseen = unseen_cards(state, me)
    above = (unseen & cards_above(card)).bit_count()
    numbers = {
        "card": CARD_NAMES[deck_number(rules)][card],
        "left": tricks_left(state),
        "above": above,
        "below": (unseen & cards_below(card)).bit_count(),
    }
    return _Place(state, me, hand, legal, unseen, rules, numbers)


def _goal(place: _Place, card: int, version: int) -> str:
    """Return the code of SRP's goal, in the order of `srp.player.srp_card`; add its numbers to the place's."""
    state, me, hand, legal, unseen = place.state, place.me, place.hand, place.legal, place.unseen
    pieces = pieces_in_use(state, me, version)
    if nil_alive(state, me):
        return "keep-nil"
    if state.trick_size == 0 and pieces & FITTED_LEADS and lead_situation(state, me) != NO_NIL_LIVE:
        return _lead_goal(place, card, pieces)
    if nil_alive(state, me ^ 2) and cover_card(state, me, hand, legal, unseen, pieces) != NOTHING:
        safe = state.trick_size and state.winner != me ^ 2 and not plays_after(state, me, me ^ 2)
        wins = state.trick_size and winning_cards(state, legal) >> card & 1
        if not safe and (wins or state.trick_size == 0):
            return "cover-nil"
        return _contract_goal(place, wants=True) if wins else "cover-later"
    for nil_seat in ((me + 1) & 3, (me + 3) & 3):
        if nil_alive(state, nil_seat) and attack_pays(state, me, nil_seat, pieces):
            if attack_card(state, me, nil_seat, hand, legal, unseen, pieces) != NOTHING:
                return _attack(place, nil_seat, card)
    return _contract_goal(place, plays_for_tricks(state, me, hand, legal, unseen, pieces))


def _lead_goal(place: _Place, card: int, pieces: int) -> str:
    """Return the code of the goal of a lead while a nil of partner or of an opponent is live."""
    state, me, unseen = place.state, place.me, place.unseen
    opponents = (me + 1) & 3, (me + 3) & 3
    if nil_alive(state, me ^ 2):
        fewer = any(state.void[seat] >> (card >> 4) & 1 for seat in opponents)
        return "lead-risky" if p_caught(state, me ^ 2, card, unseen, fewer) >= RISKY else "lead-safe"
    chances = [(p_caught(state, seat, card, unseen, False), seat) for seat in opponents if nil_alive(state, seat)]
    chance, place.numbers["seat"] = max(chances)
    if chance >= RISKY:
        return "attack-nil"
    return _contract_goal(place, True) if wants_tricks(state, me, unseen, pieces) else "nil-safe"


def _contract_goal(place: _Place, wants: bool) -> str:
    """Return the code of the goal of a seat that no live nil concerns; ``wants``: whether it plays for tricks."""
    state, me, rules, numbers = place.state, place.me, place.rules, place.numbers
    if rules.failed_nil_tricks == TRICKS_COUNT_FOR_CONTRACT and is_nil(state.bid[me ^ 2]) and state.taken[me ^ 2]:
        # The rules count partner's tricks here, but the player does not.
        return "wants-tricks" if wants else "no-tricks"
    needed, left = tricks_needed(state, me), numbers["left"]
    if wants:
        numbers |= {"needed": needed, "theirs": tricks_needed(state, (me + 1) & 3)}
        return "contract" if 0 < needed <= left and not is_nil(state.bid[me]) else "set"
    if is_nil(state.bid[me]):
        return "failed-nil"
    if needed <= 0:
        return "enough" if rules.bags else "enough-no-bags"
    if needed > left:
        return "hopeless"
    certain = spade_tricks_against(spades_of(place.hand), spades_of(place.unseen))
    return "sure" if certain >= needed else "own-share"


def _goal_alone(place: _Place, card: int) -> str:
    """Return the code of the goal of `solo@2`, in the order of `solo.solo_card`; add its numbers to the place's."""
    state, me, legal, unseen, numbers = place.state, place.me, place.legal, place.unseen, place.numbers
    if nil_alive(state, me):
        return "keep-nil"
    if solo.is_safe(state, me, unseen):
        for nil_seat in ((me + 1) & 3, (me + 2) & 3, (me + 3) & 3):
            if nil_alive(state, nil_seat) and hunt(state, me, nil_seat, place.hand, legal, unseen) != NOTHING:
                return _attack(place, nil_seat, card)
    needed, left = solo.own_need(state, me), numbers["left"]
    numbers |= {"needed": needed, "theirs": solo.others_need(state, me)}
    if plays_alone_for_tricks(state, me, legal, unseen, solo.pieces_in_use(state, me, 2)):
        if 0 < needed <= left:
            return "own-contract"
        return "set-certain" if numbers["theirs"] > left else "set-one"
    if is_nil(state.bid[me]):
        return "failed-nil"
    if needed <= 0:
        return "enough" if place.rules.bags else "enough-no-bags"
    return "hopeless" if needed > left else "sure"


def _attack(place: _Place, nil_seat: int, card: int) -> str:
    """Return the code of the goal against the nil of seat ``nil_seat``; add its number to the place's."""
    state = place.state
    place.numbers["seat"] = nil_seat
    if state.trick_size == 0:
        return "attack-nil"
    if state.winner == nil_seat:
        return "under-nil"
    led = state.trick[0] >> 4
    wins = winning_cards(state, place.legal) >> card & 1
    if plays_after(state, place.me, nil_seat) and not state.void[nil_seat] >> led & 1:
        best = card if wins else state.best_card
        if best >> 4 == led and place.unseen & cards_above(best):
            return "attack-nil"
        return "nil-beaten"
    low_left = place.hand & cards_below(card)
    return "nil-beaten" if wins or not low_left else "attack-later"


def _effect(place: _Place, card: int) -> str:
    """Return the code of what ``card`` does in the trick."""
    state, me, legal, above = place.state, place.me, place.legal, place.numbers["above"]
    if state.trick_size == 0:
        return "lead" if above else "lead-top"
    led = state.trick[0] >> 4
    winners = winning_cards(state, legal)
    if winners >> card & 1:
        if state.trick_size == 3:
            partner_wins = place.rules.variant != CUTTHROAT and state.winner == me ^ 2 and not nil_alive(state, me ^ 2)
            return "side-wins" if partner_wins else "win"
        if card < FIRST_SPADE:
            return "win-now"
        return "win-sure" if not above else "ruff" if led != SPADES else "win-trump"
    has_partner = place.rules.variant != CUTTHROAT and state.trick_size > 1 and state.winner == me ^ 2
    if has_partner and not nil_alive(state, me):
        if nil_alive(state, me ^ 2):
            return "nil-in-danger"
        if winners:
            return "partner-wins" if state.trick_size == 3 else "partner-ahead"
    return "lose" if card >> 4 == led else "discard"


def card_reason(code: str, numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reason ``code`` with its sentence, and with those of ``numbers`` that the sentence uses."""
    used = numbers_in("card", code)
    why = reason("card", code, **{name: number for name, number in numbers.items() if name in used})
    return {**why, "sentence": why.sentence}
