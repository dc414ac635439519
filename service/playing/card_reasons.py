"""Why a card is played: coded reasons with numbers, and the sentences made from them.

The first reason is the aim of the player: its own nil, partner's, an opponent's, or its side's contract. The second is
what the card does in the trick. The aim comes from the functions that decide the card, asked in the same order.
"""

from typing import Any

from service.bidding.explain.reasons import Number
from service.bidding.game.cards import FIRST_SPADE
from service.bidding.game.decks import CARD_NAMES
from service.bidding.game.rules import CUTTHROAT
from service.playing.common import (
    cards_above,
    nil_alive,
    tricks_left,
    tricks_needed,
    unseen_cards,
    winning_cards,
)
from service.playing.solo1 import goals as solo
from service.playing.solo1.solo import hunt
from service.playing.srp1.nils import NOTHING
from service.playing.srp2.goals import wants_tricks
from service.playing.srp2.nils import attack_card, cover_card
from service.playing.srp2.srp import attack_pays
from service.playing.state import PlayState
from service.playing.tricks import legal_cards

# By code; the numbers are those of the reason. GET /v1/reasons lists them.
CARD_TEMPLATES = {
    "only-card": "{card} is the only card that may be played.",
    "keep-nil": "The player has bid nil and must not win a trick.",
    "cover-nil": "Partner has bid nil: the player wins tricks that partner would have to win.",
    "attack-nil": "Seat {seat} has bid nil and may be forced to win a trick.",
    "contract": "The side needs {needed} of the {left} tricks that are left for its contract.",
    "own-contract": "The player needs {needed} of the {left} tricks that are left for its bid.",
    "set": "The opponents need {theirs} of the {left} tricks that are left, so they may still be set.",
    "enough": "The contract is made, and each further trick is a bag.",
    "sure": "The tricks that are needed are certain, so others are left to the opponents.",
    "hopeless": "The contract can no longer be made.",
    "lead-top": "{card} is the highest card of its suit that is left.",
    "lead": "{card} is led, of a suit with {above} higher and {below} lower unseen cards.",
    "win": "{card} is the last card of the trick and wins it.",
    "win-now": "{card} wins the trick, unless a later player has a higher card or a trump.",
    "ruff": "{card} trumps, because the player is out of the suit led.",
    "partner-wins": "Partner is winning the trick, so {card} does not have to.",
    "lose": "{card} loses this trick.",
    "discard": "The player is out of the suit led and throws {card} away.",
}
CARD_NUMBERS = {
    "card": Number("string", "card", "The card that is given or played."),
    "seat": Number("integer", "seat", "The seat that bid nil."),
    "needed": Number("integer", "tricks", "Tricks that are still needed for the contract, or for the bid."),
    "left": Number("integer", "tricks", "Tricks that are not decided yet, the current one included."),
    "theirs": Number("integer", "tricks", "Tricks that the opponents still need."),
    "above": Number("integer", "cards", "Unseen cards of the suit that are higher."),
    "below": Number("integer", "cards", "Unseen cards of the suit that are lower."),
}


def explain_card(state: PlayState, me: int, card: int, variant: int, deck: int) -> list[dict[str, Any]]:
    """Return the aim and the effect of ``card``, which the newest player of the variant plays from seat ``me``."""
    hand = state.hand[me]
    legal = legal_cards(hand, state.trick_size, state.trick[0], state.broken)
    unseen = unseen_cards(state, me)
    suit = unseen & 0xFFFF << 16 * (card >> 4)
    above = (suit & cards_above(card)).bit_count()
    numbers = {
        "card": CARD_NAMES[deck][card],
        "needed": tricks_needed(state, me),
        "theirs": tricks_needed(state, (me + 1) & 3),
        "left": tricks_left(state),
        "above": above,
        "below": suit.bit_count() - above,
    }
    if legal & (legal - 1) == 0:
        return [reason("only-card", numbers)]
    if variant == CUTTHROAT:
        numbers |= {"needed": solo.own_need(state, me), "theirs": solo.others_need(state, me)}
        aim = _aim_alone(state, me, hand, legal, unseen, numbers)
    else:
        aim = _aim(state, me, hand, legal, unseen, numbers)
    partner_wins = variant != CUTTHROAT and state.trick_size > 1 and state.winner == me ^ 2
    return [reason(aim, numbers), reason(_effect(state, card, legal, above, partner_wins), numbers)]


def _aim(state: PlayState, me: int, hand: int, legal: int, unseen: int, numbers: dict[str, Any]) -> str:
    """Return the code of the aim of `srp@3` (`srp2.srp.srp_card`); an attack on a nil adds its seat to ``numbers``."""
    if nil_alive(state, me):
        return "keep-nil"
    if nil_alive(state, me ^ 2) and cover_card(state, me, hand, legal, unseen) != NOTHING:
        return "cover-nil"
    if attack_pays(state, me):
        for niler in ((me + 1) & 3, (me + 3) & 3):
            if nil_alive(state, niler) and attack_card(state, me, niler, hand, legal, unseen) != NOTHING:
                numbers["seat"] = niler
                return "attack-nil"
    return _contract_aim(wants_tricks(state, me, unseen), "contract", numbers)


def _aim_alone(state: PlayState, me: int, hand: int, legal: int, unseen: int, numbers: dict[str, Any]) -> str:
    """Return the code of the aim of `solo@1`; an attack on a nil adds its seat to ``numbers``."""
    if nil_alive(state, me):
        return "keep-nil"
    if solo.is_safe(state, me, unseen):
        for niler in ((me + 1) & 3, (me + 2) & 3, (me + 3) & 3):
            if nil_alive(state, niler) and hunt(state, me, niler, hand, legal, unseen) != NOTHING:
                numbers["seat"] = niler
                return "attack-nil"
    return _contract_aim(solo.wants_tricks(state, me, unseen), "own-contract", numbers)


def _contract_aim(wants: bool, contract: str, numbers: dict[str, Any]) -> str:
    needed, left = numbers["needed"], numbers["left"]
    if wants:
        return contract if 0 < needed <= left else "set"
    return "enough" if needed <= 0 else "hopeless" if needed > left else "sure"


def _effect(state: PlayState, card: int, legal: int, above: int, partner_wins: bool) -> str:
    """Return the code of what ``card`` does in the trick."""
    if state.trick_size == 0:
        return "lead" if above else "lead-top"
    if winning_cards(state, legal) >> card & 1:
        if state.trick_size == 3:
            return "win"
        return "ruff" if card >= FIRST_SPADE > state.trick[0] else "win-now"
    if partner_wins:
        return "partner-wins"
    return "lose" if card >> 4 == state.trick[0] >> 4 else "discard"


def reason(code: str, numbers: dict[str, Any]) -> dict[str, Any]:
    """Return a reason with those of ``numbers`` that its sentence has, and the sentence."""
    template = CARD_TEMPLATES[code]
    used = {name: value for name, value in numbers.items() if f"{{{name}}}" in template}
    return {"code": code, **used, "sentence": template.format(**used)}
