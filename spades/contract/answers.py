"""The answers to requests that have been read, as values that are ready for JSON.

Each function gets a call, which `bid_request`, `card_request`, `pass_request` or `inference_request` has read, and
returns the fields of `answer_types` in the order of the contract.
"""

import zlib
from typing import Final

from spades.bidder import BlindDecision, decide, decide_blind
from spades.cards import CARD_NAMES, cards_of
from spades.contract.answer_types import (
    BidAnswer,
    BlindAnswer,
    CardAnswer,
    InferenceAnswer,
    InferenceItemAnswer,
    PassAnswer,
)
from spades.contract.bid_request import BidCall, BlindCall
from spades.contract.card_request import CardCall
from spades.contract.faults import Fault, RequestError
from spades.contract.inference_request import InferenceCall
from spades.contract.pass_request import PassCall
from spades.explanations import explain_pass, success_curve
from spades.inference.holders import Inferred, Readers, infer_from_view, random_deals
from spades.inference.knowledge import NOTHING_FITS
from spades.legal import deck_number, deck_of, is_nil
from spades.options import Policy
from spades.passing import given_cards
from spades.play.card_explanation import PLAYERS, explain_card
from spades.play.tricks import legal_cards
from spades.policies import with_skill
from spades.rules import CUTTHROAT, seed_values
from spades.skill import decide_with_skill
from spades.tableset import TableSet

_SEEDED: Final = Policy._fields.index("level")  # a blind nil's seed has the policy's fields before this one
_DECIMALS: Final = 9  # of probabilities in inferences; their sum over up to 52 cards is exact to 1e-7


def bid_answer(call: BidCall, tables: TableSet, version: str) -> BidAnswer:
    """Decide a bid; return the answer. ``version``: of the tables, as the answer names it."""
    policy = call.policy
    if policy.level:
        decision = decide_with_skill(call.position, policy, tables, call.legal, call.explain, call.seed)
    else:
        decision = decide(call.position, policy, tables, call.legal, call.explain)
    answer: BidAnswer = {
        "bid": decision.bid,
        "kind": decision.kind,
        "policy": call.policy_text,
        "tables": version,
        "assumed": call.assumed,
    }
    if policy.noise_sd:
        answer["seed"] = call.seed
    explanation = decision.explanation
    if explanation is not None:
        if call.curve and "probability" in explanation["nil"]:
            explanation["nil"]["curve"] = success_curve(call.position, policy, tables)
        answer["explanation"] = explanation  # type: ignore[typeddict-item]  # tests check its fields
    return answer


def decide_blind_nil(call: BlindCall, tables: TableSet) -> BlindDecision:
    """Decide whether to bid blind nil. Without a seed, one is made from the request, the same in every process."""
    standing, rules, seed = call.standing, call.rules, call.seed
    # Level and style apply to a hand, which has not been seen yet.
    policy = with_skill(call.bidder.policy._replace(level=0, aggression=0.0, nil_bias=0.0))
    if seed is None:
        content = (*call.bids, *standing, *seed_values(rules), *policy[:_SEEDED])
        seed = zlib.crc32(repr(content).encode())
    return decide_blind(call.bids, standing.us, standing.them, rules, policy, seed, tables)


def blind_nil_answer(call: BlindCall, decision: BlindDecision, version: str) -> BlindAnswer:
    """Return the answer with a decision of `decide_blind_nil`. ``version``: of the tables."""
    return {
        "blind_nil": decision.blind_nil,
        "policy": call.bidder.text,
        "tables": version,
        "assumed": call.assumed,
        "explanation": decision.explanation,  # type: ignore[typeddict-item]
    }


def card_answer(call: CardCall) -> CardAnswer:
    """Choose the card with a rule-based player; return the answer."""
    state, seat = call.state, call.seat
    names = CARD_NAMES[deck_number(call.rules)]
    player, choose = PLAYERS[call.rules.variant == CUTTHROAT]
    card = choose(state, seat)
    legal = legal_cards(state.hand[seat], state.trick_size, state.trick[0], state.broken)
    return {
        "card": names[card],
        "player": player,
        "legal": [names[one] for one in cards_of(legal)],
        "assumed": call.assumed,
        "reasons": explain_card(state, seat, card, call.rules),  # type: ignore[typeddict-item]
    }


def pass_answer(call: PassCall) -> PassAnswer:
    """Choose the cards to give; return the answer."""
    hand = call.hand | call.received
    deck = deck_of(call.rules)
    given = given_cards(hand, call.bid, call.number, deck)
    reasons = explain_pass(hand, given, deck & ~hand, is_nil(call.bid), deck_number(call.rules))
    return {"cards": [reason["card"] for reason in reasons], "to": call.seat ^ 2, "reasons": reasons}  # type: ignore[typeddict-item]


def inferred_from(call: InferenceCall, readers: Readers) -> Inferred:
    """Return who may hold each unseen card; raise `RequestError` if no deal fits. ``readers``: of the tables."""
    inferred = infer_from_view(call.view, call.bids, call.rules, readers)
    if inferred is None:
        raise RequestError([Fault("/bids", "contradiction", NOTHING_FITS)])
    return inferred


def probabilities_answer(call: InferenceCall, inferred: Inferred, version: str) -> InferenceItemAnswer:
    """Return the answer without deals, made from the result of `inferred_from`. ``version``: of the tables."""
    unseen, exact = inferred.unseen, inferred.deals.probabilities
    names = [CARD_NAMES[deck_number(call.rules)][card] for card in unseen.cards]
    columns = list(zip(exact.round(_DECIMALS).T.tolist(), exact.T.tolist(), strict=True))
    seats = sorted((seat, column) for column, seat in enumerate(unseen.seats))
    return {
        "seats": {
            # A probability above 0 is not rounded to 0.
            str(seat): {name: rounded or p for name, rounded, p in zip(names, *columns[column], strict=True) if p}
            for seat, column in seats
        },
        "tables": version,
        "policy": call.bids.bidder,
        "assumed": call.assumed,
    }


def inference_answer(call: InferenceCall, readers: Readers, version: str) -> InferenceAnswer:
    """Return the answer with its deals; raise `RequestError` if no deal fits. ``version``: of the tables."""
    inferred = inferred_from(call, readers)
    answer: InferenceAnswer = {**probabilities_answer(call, inferred, version)}  # type: ignore[typeddict-item]
    if call.deals:
        names = CARD_NAMES[deck_number(call.rules)]
        answer["deals"] = [
            {str(seat): [names[card] for card in cards] for seat, cards in deal.items()}
            for deal in random_deals(inferred, call.deals, call.seed)
        ]
    return answer
