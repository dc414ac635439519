"""Requests for a card, a round in progress, and their answers: POST /v1/card."""

import zlib
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple, Required

from pydantic import Field, PlainValidator, StrictInt, TypeAdapter, ValidationInfo, WithJsonSchema
from typing_extensions import TypedDict

from spades.card_net import DISTILLED, LEAST_GAINS, net_knows
from spades.cards import CARD_NAMES, cards_of
from spades.contract.answer_types import (
    CardAnswer,
    NotSearched,
)
from spades.contract.cards_and_bids import CARD_SCHEMA, FourBids, Given, Hand, Received, card_list
from spades.contract.faults import Fault, Place, RequestError, fault_of, json_type, pointer, refusal
from spades.contract.fields import (
    DEFAULT_BIDDER,
    BidderName,
    GameId,
    Level,
    OptionalRules,
    OptionalScores,
    Seed,
    TablesName,
    assumed_rules,
    items_schema,
    read_batch,
    read_fields,
    request_object,
    score_faults,
    scores_in,
)
from spades.legal import TRICKS, deck_number, deck_of
from spades.options import FULL_LEVEL
from spades.passing import check_pass
from spades.play.card_explanation import NEWEST, NEWEST_ALONE, PLAYERS, choose_at_once, player_at_once
from spades.play.history import Known, state_at_turn, write_scores
from spades.play.state import PlayState
from spades.play.tricks import legal_cards, write_rules
from spades.rules import CUTTHROAT, VARIANTS, Rules, seed_values
from spades.tableset import TableSet
from spades.winprob.games import SHIPPED, WON_VARIANTS, Games

BEST: Final = "best"  # the strongest player that the server has
SEARCH: Final = "search@3"  # the newest card player that searches
SEARCHES: Final = ("search@1", SEARCH)
SEARCH_DEALS: Final = {5: 1000, 4: 75, 3: 25, 2: 6}  # by level; below, no search
MAX_SEARCH_DEALS: Final = 1000
_BY_LEVEL = ", ".join(f"{deals} ({level})" for level, deals in SEARCH_DEALS.items())
# On a server that searches, by level: the level of the player by rules, where it plays. It makes few mistakes at level
# 1 and none above, because it comes below the weakest search.
RULES_BESIDE_SEARCH: Final = {5: 5, 4: 5, 3: 5, 2: 5, 1: 4}
_TRICKS = {
    "anyOf": [
        {"type": "array", "items": {"type": "array", "items": CARD_SCHEMA, "maxItems": 4}, "maxItems": TRICKS},
        {"type": "null"},
    ]
}


def _read_tricks(value: Any, info: ValidationInfo[Rules]) -> tuple[tuple[int, ...], ...]:
    """Return the tricks as card numbers; raise `ValidationError` that lists everything wrong with their form."""
    if value is None:
        return ()
    if type(value) is not list:
        raise refusal(((), "wrong-type", f"tricks is {json_type(value)}; accepted: an array of tricks"))
    if len(value) > TRICKS:
        raise refusal(((), "too-many-items", f"{len(value)} tricks; accepted: at most {TRICKS}"))
    faults: list[tuple[Place, str, str]] = []
    tricks = []
    for index, names in enumerate(value):
        if type(names) is not list:
            faults.append(((index,), "wrong-type", f"a trick is {json_type(names)}; accepted: an array of cards"))
            continue
        card_faults, bits = card_list(names, info.context, 4)
        faults += [((index, *place), code, detail) for place, code, detail in card_faults]
        if len(names) < 4 and index + 1 < len(value):
            faults.append(((index,), "hand-size", f"{len(names)} cards; accepted: 4, except in the last trick"))
        tricks.append(tuple([bit.bit_length() - 1 for bit in bits]))
    if faults:
        raise refusal(*faults)
    return tuple(tricks)


@request_object
class CardRequest(TypedDict, total=False):
    """A round in progress, as seen by the player whose turn it is."""

    rules: OptionalRules
    hand: Required[Hand]
    bids: Required[FourBids]
    seat: Required[Annotated[StrictInt, Field(ge=0, le=3, description="The player's place in the bidding order.")]]
    scores: OptionalScores
    given: Given
    received: Received
    tricks: Annotated[
        tuple[tuple[int, ...], ...],
        PlainValidator(_read_tricks),
        WithJsonSchema(_TRICKS),
        Field(
            description="The tricks so far, each in order of play. The last one may be incomplete or empty. Seat 0 "
            "leads the first trick (with rules.first_lead lowest_club, the seat that holds the lowest club), and the "
            "winner of a trick leads the next one. Default: none."
        ),
    ]
    player: Annotated[
        Literal[BEST, *SEARCHES, DISTILLED, NEWEST, NEWEST_ALONE] | None,  # type: ignore[valid-type]
        Field(
            description=f"The card player. {' and '.join(SEARCHES)} play each card on random deals; servers offer them "
            f"only if their operator wants it. {DISTILLED} learned from a search; its cards depend on the tables. It "
            "knows rules that differ from classic only in the goals, in the bids that are allowed, and in the points "
            f"of blind bids and double nils. {NEWEST} plays by rules, and {NEWEST_ALONE} does in cutthroat. {BEST}: "
            f"{SEARCH} if the server has it and it answers before the deadline, otherwise {DISTILLED} at levels 5 and "
            f"4 if it knows the rules, otherwise the player by rules. Default: {BEST}."
        ),
    ]
    deals: Annotated[
        Annotated[StrictInt, Field(ge=1, le=MAX_SEARCH_DEALS)] | None,
        Field(
            description="A search: the number of random deals, which search@1 never exceeds. search@3 takes as long on "
            f"average, with up to four times as many. Default, by level: {_BY_LEVEL}."
        ),
    ]
    policy: Annotated[
        BidderName | None,
        Field(description=f"A search: the policy that all players are assumed to bid by. Default: {DEFAULT_BIDDER}."),
    ]
    level: Annotated[
        Level | None,
        Field(
            description=f"Strength: 5 is full strength. Below, a search has fewer deals; {DISTILLED} has only level 4, "
            "and sees only large gains; the weakest levels, and a player by rules, forget cards as people do. "
            "Default: 5."
        ),
    ]
    seed: Annotated[
        Seed | None,
        Field(
            description="Seed of what a level below 5 forgets; send the same one during a round. Default: made from "
            "the hand and the bids."
        ),
    ]
    tables: TablesName
    game: GameId


_FOR_SEARCH: Final = ("deals", "policy")  # fields that only a search reads
_FOR_TABLES: Final = ("tables", "game")  # fields that only a search and DISTILLED read
MAX_CARD_ITEMS: Final = 256  # requests in one POST /v1/cards; fewer than for bids, because each request is longer


@request_object
class CardsRequest(TypedDict):
    """Up to 256 requests; a request with a fault gets its own error."""

    requests: Annotated[list[Any], Field(max_length=MAX_CARD_ITEMS), items_schema("CardRequest", MAX_CARD_ITEMS)]


class Search(NamedTuple):
    """How to search for a card."""

    player: str  # one of SEARCHES
    deals: int
    bidder: str  # the policy that all players are assumed to bid by
    assumed: list[str]  # what the search assumes of the rules
    required: bool  # False: if it can't be made in time, a player that does not search chooses


class CardCall(NamedTuple):
    """A round in which the player can play a card."""

    state: PlayState
    seat: int
    rules: Rules
    assumed: list[str]
    dealt: int  # the player's cards before an exchange
    given: int  # of these, the cards that the player gave to partner and did not get back
    level: int
    seed: int | None  # of what a player by rules forgets; None: made from the hand and the bids
    search: Search | None  # None: another player chooses
    player: str  # by name, or BEST
    not_searched: NotSearched | None  # why the best player does not search, if the rules or the level are the reason


_CARD: Final = TypeAdapter[CardRequest](CardRequest).validator.validate_python
_CARDS: Final = TypeAdapter[CardsRequest](CardsRequest).validator.validate_python


def read_card(data: Any, games: Games = SHIPPED) -> CardCall:
    """Read a request for a card. ``games``: the games that have a win table.

    Raises `RequestError`: with every fault of the fields; if there is none, with the first played card that is
    impossible, or because the round is over, or because it is another seat's turn.
    """
    request, rules = read_fields(data, _CARD)
    seat, scores = request["seat"], request.get("scores")
    given, received = request.get("given") or 0, request.get("received") or 0
    passed, contradictions = check_pass(request["hand"], request["bids"], seat, given, received, rules)
    faults = [fault_of(one) for one in contradictions]
    if scores is not None:
        faults += score_faults(scores, rules)
    faults += _player_faults(request, rules, games)
    if faults:
        raise RequestError(faults)
    known = Known(deck_of(rules), seat, request["hand"], *passed, request["bids"], request.get("tricks", ()))
    state, contradiction = state_at_turn(known, rules)
    if contradiction is not None:
        raise RequestError([fault_of(contradiction)])
    read = scores_in(request, rules, data, seat)
    write_scores(state, seat, read.standing, read.seat_scores, read.seat_bags, rules)
    write_rules(state, rules)
    player, level = request.get("player") or BEST, request.get("level") or FULL_LEVEL
    search: Search | None = None
    why: NotSearched | None = None
    if player in (BEST, *SEARCHES):
        if games.nearest(rules) is None:
            why = "rules"
        elif level not in SEARCH_DEALS:
            why = "level"
        else:
            deals, bidder = request.get("deals") or SEARCH_DEALS[level], request.get("policy") or DEFAULT_BIDDER
            required = player != BEST
            search = Search(player if required else SEARCH, deals, bidder, assumed_rules(rules, games), required)
    assumed, dealt, seed = read.assumed, request["hand"], request.get("seed")
    return CardCall(state, seat, rules, assumed, dealt, passed.given, level, seed, search, player, why)


def no_searches(player: str = SEARCH) -> Fault:
    """Return the fault of a request for a search at a server without search processes."""
    detail = f"player is {player}, but this server has no search processes; accepted: {BEST}. To allow "
    detail += "searches, the server's operator installs numba and tqdm and sets SPADES_SEARCH_PROCESSES"
    return Fault("/player", "unsupported-player", detail)


def _player_faults(request: Mapping[str, Any], rules: Rules, games: Games) -> list[Fault]:
    player, by_rules = request.get("player") or BEST, PLAYERS[rules.variant == CUTTHROAT][0]
    level = request.get("level") or FULL_LEVEL
    if player not in (BEST, *SEARCHES):
        readers: dict[str, tuple[str, ...]] = dict.fromkeys(_FOR_SEARCH, (BEST, *SEARCHES))
        if player != DISTILLED:
            readers |= dict.fromkeys(_FOR_TABLES, (BEST, *SEARCHES, DISTILLED))
        faults = [
            Fault(
                pointer(name),
                "unsupported-field",
                f"{name} is present; accepted: only with player {', '.join(players)}",
            )
            for name, players in readers.items()
            if request.get(name) is not None
        ]
        if player == DISTILLED:
            if not net_knows(rules):
                detail = f"player is {player}, whose net does not know these rules; accepted: {BEST}, {by_rules}"
                faults.append(Fault("/player", "unsupported-rules", detail))
            if level not in LEAST_GAINS:
                accepted = f"{min(LEAST_GAINS)}..{max(LEAST_GAINS)}, or player {BEST}"
                detail = f"level is {level} with player {player}; accepted: {accepted}"
                faults.append(Fault("/level", "unsupported-field", detail))
        elif player != by_rules:
            accepted = ", ".join((BEST, DISTILLED, by_rules) if net_knows(rules) else (BEST, by_rules))
            detail = f"player is {player} in variant {VARIANTS[rules.variant]}; accepted: {accepted}"
            faults.append(Fault("/player", "unsupported-rules", detail))
        return faults
    if player != BEST and level not in SEARCH_DEALS:
        accepted = f"{min(SEARCH_DEALS)}..{max(SEARCH_DEALS)}, or player {BEST}"
        detail = f"level is {level} with player {player}; accepted: {accepted}"
        return [Fault("/level", "unsupported-field", detail)]
    if player == BEST or games.nearest(rules) is not None:
        return []
    accepted = ", ".join(VARIANTS[variant] for variant in WON_VARIANTS)
    detail = f"variant is {VARIANTS[rules.variant]} with player {player}; accepted: {accepted}"
    return [Fault(pointer("rules", "variant"), "unsupported-rules", detail)]


def read_cards(data: Any) -> list[Any]:
    """Return the unread requests in the body of a batch. Raises `RequestError`."""
    return read_batch(data, _CARDS)


# ---- the answer ------------------------------------------------------------------------------------------------------


def card_answer(
    call: CardCall, tables: TableSet, not_searched: NotSearched | None = None, searches: bool = False
) -> CardAnswer:
    """Choose the card with a player that does not search; return the answer.

    ``tables``: may have the net of DISTILLED. ``not_searched``: why the best player does not search. ``searches``:
    whether the server does; then a player by rules that the request does not name, under rules that a search can play,
    is as strong as its level there. Raises `RequestError` if the request names DISTILLED, and its net is missing.
    """
    state, seat = call.state, call.seat
    names = CARD_NAMES[deck_number(call.rules)]
    of_tables = tables.card_net if call.player in (BEST, DISTILLED) else None
    net, level = player_at_once(call.rules, of_tables, call.level)
    if net is None and call.player == DISTILLED:
        detail = f"player is {DISTILLED}, but tables {tables.version} have no net for it; accepted: {BEST}, {NEWEST}"
        raise RequestError([Fault("/player", "unsupported-player", detail)])
    if net is None and searches and (call.search is not None or call.not_searched == "level"):
        level = RULES_BESIDE_SEARCH[call.level]
    assumed, seed = call.assumed, call.seed
    forgets = net is None and level < FULL_LEVEL
    if forgets and seed is None:
        content = (call.dealt, tuple(state.bid), seat, *seed_values(call.rules))
        assumed, seed = [*assumed, "seed"], zlib.crc32(repr(content).encode())
    card, player, reasons = choose_at_once(state, seat, call.rules, net, level, seed or 0)
    legal = legal_cards(state.hand[seat], state.trick_size, state.trick[0], state.broken)
    answer: CardAnswer = {
        "card": names[card],
        "player": player,
        "legal": [names[one] for one in cards_of(legal)],
        "assumed": assumed,
        "reasons": reasons,  # type: ignore[typeddict-item]
    }
    if forgets:
        answer["seed"] = seed or 0
    if net is not None:
        answer["tables"] = tables.version
    if not_searched is not None:
        answer["not_searched"] = not_searched
    return answer
