"""The contract's requests and answers. `make clients` makes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class BlindNumber(TypedDict):
    """
    A number that may be bid blind, and the win probability of the side with it.
    """

    number: int
    p_win: float


class CardReason(TypedDict):
    """
    Why the card is played: the player's goal in the round, what the card does, or what a search or a net found.

    GET /v1/reasons has the sentences.
    """

    code: Literal['only-card', 'keep-nil', 'cover-nil', 'cover-later', 'lead-safe', 'lead-risky', 'attack-nil', 'under-nil', 'attack-later', 'nil-beaten', 'nil-safe', 'contract', 'own-contract', 'wants-tricks', 'no-tricks', 'set', 'set-certain', 'set-one', 'enough', 'enough-no-bags', 'sure', 'own-share', 'hopeless', 'failed-nil', 'overlooks', 'search-better', 'search-kept', 'net-better', 'lead-top', 'lead', 'win', 'win-sure', 'win-now', 'ruff', 'win-trump', 'side-wins', 'partner-wins', 'partner-ahead', 'nil-in-danger', 'lose', 'discard']
    sentence: str
    card: NotRequired[str]
    """
    The card that is given or played. Unit: card.
    """
    seat: NotRequired[int]
    """
    The seat that bid nil. Unit: seat.
    """
    needed: NotRequired[int]
    """
    Tricks that are still needed for the contract, or for the bid. Unit: tricks.
    """
    left: NotRequired[int]
    """
    Tricks that are not decided yet, the current one included. Unit: tricks.
    """
    theirs: NotRequired[int]
    """
    Tricks that the opponents still need together. Unit: tricks.
    """
    above: NotRequired[int]
    """
    Unseen cards of the suit that are higher. Unit: cards.
    """
    deals: NotRequired[int]
    """
    Random deals that were played. Unit: deals.
    """
    percent: NotRequired[float]
    """
    How often the player's side wins the game after the card. Unit: percent.
    """
    gain: NotRequired[float]
    """
    By how much the card raises the chance to win the game, as an estimate. Unit: percent.
    """
    full: NotRequired[str]
    """
    The card at full strength. Unit: card.
    """
    usual: NotRequired[str]
    """
    The card that rules choose: srp@4, for search@1 srp@3. Unit: card.
    """
    usual_percent: NotRequired[float]
    """
    How often the side wins the game after the card that rules choose. Unit: percent.
    """
    below: NotRequired[int]
    """
    Unseen cards of the suit that are lower. Unit: cards.
    """


class DeckInfo(TypedDict):
    """
    A deck of 52 cards.
    """

    meaning: str
    suits: dict[str, list[str]]
    """
    The cards of S, H, D, C, each suit from its highest card. S has all trumps.
    """


class FaultItem(TypedDict):
    """
    One fault of a request.
    """

    pointer: str
    """
    JSON pointer (RFC 6901); empty: the whole body.
    """
    code: Literal['missing-field', 'unknown-field', 'unsupported-field', 'wrong-type', 'out-of-range', 'too-many-items', 'hand-form', 'hand-size', 'unknown-card', 'duplicate-card', 'bid-out-of-range', 'seat-mismatch', 'team-over-limit', 'team-under-limit', 'illegal-bids', 'unknown-policy', 'unknown-tables', 'unsupported-player', 'unsupported-convention', 'contradiction', 'unsupported-rules']
    detail: str


class InferenceAnswer(TypedDict):
    """
    Who may hold each card that the viewer cannot see, and random deals of these cards.
    """

    seats: dict[str, dict[str, float]]
    """
    By seat and card, the probability that the seat holds the card now. Cards that a seat cannot hold are left out. The probabilities of a card sum to 1, those of a seat to its number of cards.
    """
    tables: str
    """
    Version of the tables that the answer was made with.
    """
    policy: Literal['bis', 'best']
    """
    The policy that all players are assumed to bid by.
    """
    assumed: list[str]
    """
    The fields that the request left out, as dotted names; and, as in `bids, not read in variant whiz`, that the bids were not used.
    """
    deals: NotRequired[list[dict[str, list[str]]]]
    """
    Of each deal, by seat, the cards that it holds now; left out if deals is 0.
    """


class InferenceItemAnswer(TypedDict):
    """
    Who may hold each card that the viewer cannot see.
    """

    seats: dict[str, dict[str, float]]
    """
    By seat and card, the probability that the seat holds the card now. Cards that a seat cannot hold are left out. The probabilities of a card sum to 1, those of a seat to its number of cards.
    """
    tables: str
    """
    Version of the tables that the answer was made with.
    """
    policy: Literal['bis', 'best']
    """
    The policy that all players are assumed to bid by.
    """
    assumed: list[str]
    """
    The fields that the request left out, as dotted names; and, as in `bids, not read in variant whiz`, that the bids were not used.
    """


class Nil(TypedDict):
    """
    The reasons for and against a nil.

    If a nil is ruled out, the policy bids it only if no other bid is possible. winprob has two exceptions. It also
    considers a nil with four spades below the king. And if it would compare none of the bids in `legal_bids`, it
    compares all of them.
    """

    chosen: bool
    """
    Whether the policy wants a nil; later steps may still change the bid.
    """
    cnil: NotRequired[dict[str, float]]
    """
    By suit: probability that its 3 lowest cards win no trick.
    """
    void_factor: NotRequired[float]
    """
    1.15 with a void side suit, otherwise 1.
    """
    value: NotRequired[float]
    """
    Product of the 4 `cnil` and `void_factor`, at most 1.
    """
    probability: NotRequired[float]
    """
    Probability that the nil is made.
    """
    expected_points: NotRequired[float]
    """
    Points that the nil itself wins on average.
    """
    threshold: NotRequired[float | None]
    """
    Points that a nil must be worth. Null: not used by this policy.
    """
    ruled_out: NotRequired[str | None]
    """
    Why a nil is ruled out; null if it is not.
    """
    rule: NotRequired[str]
    """
    The nil rule of rb, ms and io in words.
    """
    curve: NotRequired[list[float]]
    """
    With explain curve: the probability for values 0, 0.01, ... 1 in this auction.
    """


class Outcomes(TypedDict):
    """
    Probabilities of the outcomes of a bid; which ones are given depends on the nils that were bid.
    """

    made: float
    """
    The side makes its contract.
    """
    set: float
    """
    The side fails its contract.
    """
    bags: NotRequired[float]
    """
    The contract is made with two bags or more.
    """
    nil_made: NotRequired[float]
    nil_failed: NotRequired[float]
    opponents_set: float
    opponents_nil_failed: NotRequired[float]


class PassReason(TypedDict):
    """
    Why a card is given, with the unseen cards of its suit.
    """

    code: Literal['top-spade', 'spade', 'empties-suit', 'high', 'low-of-suit', 'low', 'lowest-left', 'low-spade']
    card: str
    above: int
    """
    Unseen cards of the suit that are higher.
    """
    below: int
    """
    Unseen cards of the suit that are lower.
    """
    sentence: str


class Problem(TypedDict):
    """
    An error answer (RFC 9457).
    """

    type: Literal['/problems/invalid-json', '/problems/invalid-deadline', '/problems/invalid-http', '/problems/unauthorized', '/problems/not-found', '/problems/method-not-allowed', '/problems/request-timeout', '/problems/body-too-large', '/problems/unsupported-media-type', '/problems/invalid-request', '/problems/rate-limited', '/problems/headers-too-large', '/problems/internal-error', '/problems/not-ready', '/problems/overloaded', '/problems/deadline-exceeded']
    """
    A stable URI reference.
    """
    title: str
    status: int
    detail: str
    errors: NotRequired[list[FaultItem]]
    """
    Every fault of the request, at most 64.
    """


class ProblemTypeInfo(TypedDict):
    """
    The meaning of a problem type; `codes` lists the codes of its `errors`.
    """

    type: Literal['/problems/invalid-json', '/problems/invalid-deadline', '/problems/invalid-http', '/problems/unauthorized', '/problems/not-found', '/problems/method-not-allowed', '/problems/request-timeout', '/problems/body-too-large', '/problems/unsupported-media-type', '/problems/invalid-request', '/problems/rate-limited', '/problems/headers-too-large', '/problems/internal-error', '/problems/not-ready', '/problems/overloaded', '/problems/deadline-exceeded']
    """
    A stable URI reference.
    """
    status: int
    title: str
    meaning: str
    codes: dict[str, str]


class Projected(TypedDict):
    """
    The scores if all four players make their bids.
    """

    us: float
    them: float
    sum_of_bids: float
    mean_bids: NotRequired[list[float]]
    """
    Mean bids of the players still to bid.
    """


class Ready(TypedDict):
    """
    Ready for requests.
    """

    status: Literal['ready']
    tables: str
    """
    Version of the tables that answer by default.
    """


class Reason(TypedDict):
    """
    A reason for the bid: its code, and the numbers in its sentence. GET /v1/reasons has the sentences.
    """

    code: Literal['bid', 'bid-nil', 'bid-blind-nil', 'wins', 'wins-nil', 'tricks', 'hardly-a-trick', 'at-least-one', 'tricks-left', 'certain-tricks', 'simple-count', 'partner-bid', 'partner-nil', 'partner-to-bid', 'partner-alone', 'partner-alone-to-bid', 'partner-nil-makes', 'their-nil', 'alone', 'opposite-as-partner', 'makes', 'other-number', 'lower', 'lower-bags', 'other-number-wins', 'best-number', 'too-close', 'close', 'better', 'better-nil', 'no-other-bid', 'nil-makes', 'nil-wins-less', 'nil-too-close', 'nil-above-threshold', 'nil-below-threshold', 'nil-pass', 'nil-pass-one', 'nil-by-simple-rule', 'weak-spades', 'weak-hearts', 'weak-diamonds', 'weak-clubs', 'weak-four-spades', 'no-nil-partner', 'no-nil-ace-of-spades', 'no-nil-king-queen', 'no-nil-three-high', 'no-nil-four-spades', 'no-nil-honour', 'no-nil-switched-off', 'no-nil-rules', 'no-nil-big-joker', 'no-nil-joker-ace', 'no-nil-three-above-jack', 'no-nil-joker-honour', 'counts-double', 'theirs-counts-double', 'we-reach-goal', 'they-reach-goal', 'both-reach-goal', 'others-to-bid', 'would-win', 'would-win-nil', 'would-lose', 'loses-if-set', 'loses-if-nil-fails', 'bags', 'their-bags', 'opponents-nil', 'complete-to-14', 'close-race', 'desperate-nil', 'regular-wins-too', 'last-seat-one-less', 'big5-signal', 'big5-refusal', 'big5-answer', 'big6-signal', 'big6-refusal', 'big6-answer', 'mirror', 'whiz', 'whiz-strict', 'suicide', 'ten-for-200', 'not-allowed', 'nil-not-allowed', 'not-legal', 'nil-not-legal', 'style', 'misjudges', 'misjudges-nil', 'forgets-nils', 'draws', 'full-strength', 'full-strength-nil', 'full-strength-same']
    bid: NotRequired[int]
    """
    The bid that was made. Unit: tricks.
    """
    other: NotRequired[int]
    """
    A bid that was not made. Unit: tricks.
    """
    partner: NotRequired[int]
    """
    Partner's bid; if partner has not bid yet, the expected one. Unit: tricks.
    """
    contract: NotRequired[int]
    """
    The contract of the bidder's side. Unit: tricks.
    """
    tricks: NotRequired[float]
    """
    Tricks, as the sentence says. Unit: tricks.
    """
    percent: NotRequired[float]
    """
    A probability, as the sentence says. Unit: percent.
    """
    makes: NotRequired[int]
    """
    How often the contract or the nil is made. Unit: percent.
    """
    points: NotRequired[float]
    """
    What a nil earns on average. Unit: points.
    """
    threshold: NotRequired[float]
    """
    What a nil must earn on average. Unit: points.
    """
    score: NotRequired[int]
    """
    A score after the round. Unit: points.
    """
    their_score: NotRequired[int]
    """
    The score of the others after the round. Unit: points.
    """
    goal: NotRequired[int]
    """
    The score at which a side wins, or loses, the game. Unit: points.
    """
    fails: NotRequired[int]
    """
    How often the nil of the opponents fails. Unit: percent.
    """
    bags: NotRequired[int]
    """
    The bags of a side before the round. Unit: bags.
    """
    limit: NotRequired[int]
    """
    The number of bags that brings a penalty. Unit: bags.
    """
    penalty: NotRequired[int]
    """
    The penalty for that many bags. Unit: points.
    """
    cards: NotRequired[int]
    """
    The number of cards that a nil bidder gives to partner. Unit: cards.
    """
    level: NotRequired[int]
    """
    The skill level. Unit: level.
    """
    aggression: NotRequired[float]
    """
    The style's leaning to fewer tricks or to more. Unit: -1 to 1.
    """
    nil_bias: NotRequired[float]
    """
    The style's leaning away from nils or to them. Unit: -1 to 1.
    """


class ReasonInfo(TypedDict):
    """
    A reason, with its sentence in English, in which {name} stands for the number of that name.
    """

    code: str
    template: str
    numbers: list[str]


class ReasonNumber(TypedDict):
    """
    A number in reasons.
    """

    unit: str
    meaning: str


class ReasonsAnswer(TypedDict):
    """
    The reasons that an explanation can give, and the numbers in them.
    """

    reasons: list[ReasonInfo]
    """
    Of bids.
    """
    pass_reasons: list[ReasonInfo]
    """
    Of the cards that POST /v1/pass gives.
    """
    card_reasons: list[ReasonInfo]
    """
    Of the cards that POST /v1/card plays.
    """
    review_reasons: list[ReasonInfo]
    """
    Of the choices in a review.
    """
    nil_reasons: list[ReasonInfo]
    """
    Why a nil is ruled out, and nil rules in words.
    """
    blind_nil_reasons: list[ReasonInfo]
    """
    Of the decisions of POST /v1/bid/blind.
    """
    numbers: dict[str, ReasonNumber]


class RefusedItem(TypedDict):
    """
    The problem of one request of a batch.
    """

    status: Literal[422, 500, 503]
    body: Problem


class RefusedResult(TypedDict):
    """
    A result that was not counted.
    """

    index: int
    """
    Its place among the results.
    """
    status: Literal[422, 500]
    body: Problem


class Regular(TypedDict):
    """
    How many tricks the hand takes.

    bis and winprob give the tricks of high cards, spades and ruffs. The other policies give the tricks of each suit.
    """

    estimate: float
    """
    Tricks.
    """
    takes: int
    """
    The estimate as a whole number of tricks that can be bid.
    """
    offset: float
    """
    Tricks added to the estimate by the policy's options or the rules.
    """
    side_high: NotRequired[dict[str, float]]
    """
    Tricks by high cards of hearts, diamonds and clubs.
    """
    spade_high: NotRequired[float]
    """
    Tricks by high spades.
    """
    spade_long: NotRequired[float]
    """
    Tricks by the length in spades.
    """
    ruffs: NotRequired[float]
    """
    Tricks won with spades in short side suits (ruffs).
    """
    previous_bids_factor: NotRequired[float]
    """
    Tricks added for the bids made so far.
    """
    suits: NotRequired[dict[str, float]]
    """
    Tricks by suit.
    """
    shape: NotRequired[float]
    """
    Tricks added for short suits.
    """


class ResultsAnswer(TypedDict):
    """
    How many results were accepted, and what is wrong with the others.
    """

    accepted: int
    refused: list[RefusedResult]


class ReviewReason(TypedDict):
    """
    A reason in a review: how the choice compares with the best one, then why the best choice is good.

    It has the numbers of its sentence, which addresses the player. GET /v1/reasons has the sentences.
    """

    code: Literal['none-better', 'only-choice', 'hand-not-seen', 'no-deal-fits', 'better-bid', 'nil-better', 'nil-worse', 'better-pass', 'usual-pass', 'better-card', 'bid', 'bid-nil', 'bid-blind-nil', 'wins', 'wins-nil', 'tricks', 'hardly-a-trick', 'at-least-one', 'tricks-left', 'certain-tricks', 'simple-count', 'partner-bid', 'partner-nil', 'partner-to-bid', 'partner-alone', 'partner-alone-to-bid', 'partner-nil-makes', 'their-nil', 'alone', 'opposite-as-partner', 'makes', 'other-number', 'lower', 'lower-bags', 'other-number-wins', 'best-number', 'too-close', 'close', 'better', 'better-nil', 'no-other-bid', 'nil-makes', 'nil-wins-less', 'nil-too-close', 'nil-above-threshold', 'nil-below-threshold', 'nil-pass', 'nil-pass-one', 'nil-by-simple-rule', 'weak-spades', 'weak-hearts', 'weak-diamonds', 'weak-clubs', 'weak-four-spades', 'no-nil-partner', 'no-nil-ace-of-spades', 'no-nil-king-queen', 'no-nil-three-high', 'no-nil-four-spades', 'no-nil-honour', 'no-nil-switched-off', 'no-nil-rules', 'no-nil-big-joker', 'no-nil-joker-ace', 'no-nil-three-above-jack', 'no-nil-joker-honour', 'counts-double', 'theirs-counts-double', 'we-reach-goal', 'they-reach-goal', 'both-reach-goal', 'others-to-bid', 'would-win', 'would-win-nil', 'would-lose', 'loses-if-set', 'loses-if-nil-fails', 'bags', 'their-bags', 'opponents-nil', 'complete-to-14', 'close-race', 'desperate-nil', 'regular-wins-too', 'last-seat-one-less', 'big5-signal', 'big5-refusal', 'big5-answer', 'big6-signal', 'big6-refusal', 'big6-answer', 'mirror', 'whiz', 'whiz-strict', 'suicide', 'ten-for-200', 'not-allowed', 'nil-not-allowed', 'not-legal', 'nil-not-legal', 'style', 'misjudges', 'misjudges-nil', 'forgets-nils', 'draws', 'full-strength', 'full-strength-nil', 'full-strength-same', 'top-spade', 'spade', 'empties-suit', 'high', 'low-of-suit', 'low', 'lowest-left', 'low-spade', 'only-card', 'keep-nil', 'cover-nil', 'cover-later', 'lead-safe', 'lead-risky', 'attack-nil', 'under-nil', 'attack-later', 'nil-beaten', 'nil-safe', 'contract', 'own-contract', 'wants-tricks', 'no-tricks', 'set', 'set-certain', 'set-one', 'enough', 'enough-no-bags', 'sure', 'own-share', 'hopeless', 'failed-nil', 'overlooks', 'search-better', 'search-kept', 'net-better', 'lead-top', 'lead', 'win', 'win-sure', 'win-now', 'ruff', 'win-trump', 'side-wins', 'partner-wins', 'partner-ahead', 'nil-in-danger', 'lose', 'discard']
    sentence: str


class ReviewSummary(TypedDict):
    """
    The grades of one player.
    """

    seat: int
    graded: int
    """
    Number of decisions with a grade.
    """
    grades: dict[str, int]
    """
    Number of decisions by grade.
    """
    mean_loss: float
    """
    Win probability lost by a graded decision on average.
    """
    total_loss: float
    """
    Sum of these losses.
    """


class ReviewedDecision(TypedDict):
    """
    A bid, a pass or a card, judged by what its player could know at the time.
    """

    seat: int
    kind: Literal['bid', 'pass', 'card']
    choice: str
    """
    The choice: a number, nil or blind_nil; a card; or the cards given, with spaces between.
    """
    best: str
    """
    The best choice; the player's own if no other is clearly better.
    """
    p_win: float | None
    """
    Probability that the player's side wins the game after the choice; null: not known.
    """
    best_p_win: float | None
    """
    The same after the best choice.
    """
    loss: float | None
    """
    What the choice cost in win probability; null: not known.
    """
    error: NotRequired[float]
    """
    Standard error of the loss; left out if not measured.
    """
    grade: Literal['best', 'good', 'inaccuracy', 'mistake', 'blunder'] | None
    """
    Null if there was no other choice, or if the loss is not known. `reasons` say which.
    """
    reasons: list[ReviewReason]


class RuleField(TypedDict):
    """
    A rule: its JSON type, its default, the accepted values and its meaning.
    """

    type: Literal['boolean', 'integer', 'string']
    default: bool | int | str | None
    supported: str
    meaning: str


class RuleSet(TypedDict):
    """
    A preset and the rules that differ from it. GET /v1/rules lists all with what each accepts. Upper and lower case are equal.
    """

    preset: NotRequired[Literal['classic', 'bis-paper', 'short', 'quick', 'single-nil', 'blind-nil', 'no-bags', 'five-bags', 'nil-50', 'board-4', 'ten-for-200', 'cutthroat', 'mirror', 'whiz', 'whiz-strict', 'suicide', 'jokers', 'jokers-deuce', 'jjdd', 'pass-2', 'pass-4'] | None]
    """
    The rule set that the other fields change. Default: classic.
    """
    approximate: NotRequired[bool | None]
    """
    Whether a policy that needs a win table may use the one for the most similar rules. If it does, `assumed` names the rules that differ. Default: true.
    """
    win: NotRequired[int | None]
    """
    Points at which a side wins the game. Default: the preset's value.
    """
    lose: NotRequired[int | None]
    """
    Points at or below which a side loses the game; null: no losing goal. Default: the preset's value.
    """
    nil_points: NotRequired[int | None]
    """
    Points won for a nil that is made and lost for one that fails. Default: the preset's value.
    """
    blind_nil_points: NotRequired[int | None]
    """
    Points won for a blind nil that is made and lost for one that fails. Default: the preset's value.
    """
    double_nil: NotRequired[bool | None]
    """
    Whether both partners may bid nil in the same round. Default: the preset's value.
    """
    blind_nil: NotRequired[bool | None]
    """
    Whether blind nil, a nil bid before seeing the hand, is allowed. Default: the preset's value.
    """
    blind_nil_deficit: NotRequired[int | None]
    """
    Points that a side must be behind to bid blind. Default: the preset's value.
    """
    bags: NotRequired[bool | None]
    """
    Whether overtricks count as bags, one point each, with a penalty for too many. Default: the preset's value.
    """
    bag_limit: NotRequired[int | None]
    """
    Number of bags that costs the bag penalty. Default: the preset's value.
    """
    bag_penalty: NotRequired[int | None]
    """
    Points lost each time that the bag limit is reached. Default: the preset's value.
    """
    failed_nil_tricks: NotRequired[Literal['bags', 'contract', 'none'] | None]
    """
    What the tricks of a failed nil are: bags, tricks towards the partner's contract, or nothing. Default: the preset's value.
    """
    min_bid: NotRequired[int | None]
    """
    Smallest bid, in tricks, that is not a nil; 0 and 1 allow the same bids. Default: the preset's value.
    """
    team_min: NotRequired[int | None]
    """
    Smallest contract of a side, in tricks; a nil adds nothing to it. Default: the preset's value.
    """
    team_max: NotRequired[int | None]
    """
    Largest contract of a side, in tricks; null: no limit. Default: the preset's value.
    """
    ten_for_200: NotRequired[bool | None]
    """
    Whether a contract of exactly ten tricks wins or loses 200 points. Default: the preset's value.
    """
    variant: NotRequired[Literal['partnership', 'cutthroat', 'mirror', 'whiz', 'whiz_strict', 'suicide', 'jokers'] | None]
    """
    The variant of the game: who plays together, and how bids are made. Default: the preset's value.
    """
    deck: NotRequired[Literal['jokers', 'jokers-deuce', 'jjdd', 'jjdd-spade'] | None]
    """
    The deck; null: deck jokers in variant jokers, the standard deck in other variants. Default: the preset's value.
    """
    nil_pass: NotRequired[int | None]
    """
    Number of cards that a nil bidder and partner each give to the other after the bidding. Default: the preset's value.
    """
    blind_nil_pass: NotRequired[int | None]
    """
    Number of cards that a blind nil bidder and partner each give to the other after the bidding. Default: the preset's value.
    """
    nil_passes_first: NotRequired[bool | None]
    """
    Whether the nil bidder gives first, so that partner sees those cards before giving. Default: the preset's value.
    """
    nil: NotRequired[bool | None]
    """
    Whether nil may be bid. Default: the preset's value.
    """
    bag_points: NotRequired[int | None]
    """
    Points of each bag, before the bag penalty; a game without the penalty has a bag_penalty of 0. Default: the preset's value.
    """
    set_points: NotRequired[Literal['contract', 'missing', 'none'] | None]
    """
    What a set contract costs: its own points, ten points for each missing trick, or nothing. Default: the preset's value.
    """
    slam_points: NotRequired[int | None]
    """
    Points that a side wins in addition if it takes all 13 tricks. Default: the preset's value.
    """
    double_nil_points: NotRequired[int | None]
    """
    If both partners bid nil, not blind: points won if both make it, lost otherwise; null: two nils. Default: the preset's value.
    """
    sum_not_13: NotRequired[bool | None]
    """
    Whether the last bidder may not bid the number with which the four bids sum to 13. Default: the preset's value.
    """
    spades_lead: NotRequired[Literal['broken', 'any'] | None]
    """
    When spades may be led: after a spade was played (or with spades only), or at any time. Default: the preset's value.
    """
    first_lead: NotRequired[Literal['any', 'lowest_club'] | None]
    """
    The first lead: any card of the first bidder, or the lowest club of the seat that holds it. Default: the preset's value.
    """
    first_trick_spades: NotRequired[bool | None]
    """
    Whether spades may be played to the first trick by a seat that has other cards. Default: the preset's value.
    """
    blind_min: NotRequired[int | None]
    """
    Smallest number that may be bid before seeing the hand, which doubles the points of the side's contract; null: none. Default: the preset's value.
    """


class RulesAnswer(TypedDict):
    """
    The presets with all their values, the rules, and which of them a variant fixes.
    """

    default: str
    presets: dict[str, RuleSet]
    descriptions: dict[str, str]
    """
    What each preset is.
    """
    fields: dict[str, RuleField]
    fixed_by_variant: dict[str, dict[str, Any]]
    """
    Rules with only one accepted value in a variant; any other is refused.
    """
    decks: dict[str, DeckInfo]
    """
    The decks; `standard` is the usual one.
    """


class Status(TypedDict):
    """
    Alive.
    """

    status: Literal['ok']


class TableOptions(TypedDict):
    """
    Options that tables give to a policy in a variant. A policy text with such an option keeps its own.
    """

    policy: str
    variant: str
    options: str
    """
    As in a policy text.
    """


class TableSetInfo(TypedDict):
    """
    An open table set, which a request can name in `tables`.
    """

    version: str
    sha256: str
    roles: list[Literal['default', 'canary']]
    """
    Empty: only by name.
    """
    options: list[TableOptions]
    """
    What it gives to policies. Empty: nothing.
    """
    changed: NotRequired[str]
    """
    Why it can't be used any longer.
    """


class TablesInfo(TypedDict):
    """
    The tables that answer by default.
    """

    version: str
    sha256: str


class TriedCard(TypedDict):
    """
    A card that was tried on random deals.

    A card that is clearly worse is dropped early, so its number of deals is smaller. `p_win` is null if no deal was
    tried, because all legal cards are equivalent, or because no deal fits what is known.
    """

    card: str
    deals: int
    """
    Number of deals on which it was tried.
    """
    p_win: float | None
    """
    Estimated win probability of the player's side after this card.
    """


class TypicalTime(TypedDict):
    """
    Microseconds of one decision on a shared core, a median. Machines differ; the ratios differ less.
    """

    plain_us: float
    """
    With explain false.
    """
    explained_us: float
    """
    With explain true.
    """


class VersionAnswer(TypedDict):
    """
    The versions of the code and of the tables.
    """

    service: str
    python: str
    tables: TablesInfo | None
    """
    Null until they are mapped.
    """
    table_sets: list[TableSetInfo]
    canary_share: float
    """
    The share of the callers that the canary answers.
    """


class WinRate(TypedDict):
    """
    How often a policy wins games against another one, measured in the arena.
    """

    opponent: str
    win_percent: float
    interval_percent: list[float]
    """
    The 95% interval: low, high.
    """
    rules: RuleSet
    """
    The rules of the games, such as the goal: changes to preset classic.
    """
    card_player: str
    """
    Who played the cards on both sides, with its version.
    """
    pairs: int
    """
    Duplicate pairs: each deal was played twice, with the sides swapped.
    """
    tables: str
    """
    Version of the tables that the answer was made with.
    """


HandItem: TypeAlias = str
"""
rank 2..9, T or 10, J, Q, K, A and suit S, H, D, C or ♠, ♥, ♦, ♣, in either order; with variant jokers BJ and LJ too; any case
"""


GivenItem: TypeAlias = str
"""
rank 2..9, T or 10, J, Q, K, A and suit S, H, D, C or ♠, ♥, ♦, ♣, in either order; with variant jokers BJ and LJ too; any case
"""


ReceivedItem: TypeAlias = str
"""
rank 2..9, T or 10, J, Q, K, A and suit S, H, D, C or ♠, ♥, ♦, ♣, in either order; with variant jokers BJ and LJ too; any case
"""


TrickItem: TypeAlias = str
"""
rank 2..9, T or 10, J, Q, K, A and suit S, H, D, C or ♠, ♥, ♦, ♣, in either order; with variant jokers BJ and LJ too; any case
"""


Trick: TypeAlias = list[TrickItem]


PlayedItem: TypeAlias = str
"""
rank 2..9, T or 10, J, Q, K, A and suit S, H, D, C or ♠, ♥, ♦, ♣, in either order; with variant jokers BJ and LJ too; any case
"""


class PassRequest(TypedDict):
    """
    A hand after the bidding, in a game in which a nil bidder and partner exchange cards.
    """

    rules: NotRequired[RuleSet | None]
    """
    The rules of the game, with nil_pass or blind_nil_pass.
    """
    hand: list[HandItem] | str
    """
    13 cards, or one PBN text
    """
    bids: list[int | Literal['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', 'nil', 'blind_nil', 'blind_6', 'blind_7', 'blind_8', 'blind_9', 'blind_10', 'blind_11', 'blind_12', 'blind_13']]
    """
    All bids, first bidder first.
    """
    seat: int
    """
    Place of the hand in the bidding order.
    """
    received: NotRequired[list[ReceivedItem] | None]
    """
    The cards that partner has given, if rules.nil_passes_first is true and partner gives first.
    """


class Players(TypedDict):
    """
    How the others bid: like `bis`, by simple counts like `rb` and `ms`, like `winprob`, or weakly.
    """

    left: NotRequired[Literal['unknown', 'bis', 'simple', 'winprob', 'weak'] | None]
    """
    The opponent who bids next. Default: unknown, or what the policy's option says.
    """
    partner: NotRequired[Literal['unknown', 'bis', 'simple', 'winprob', 'weak'] | None]
    """
    The partner. Default: unknown, or what the policy's option says.
    """
    right: NotRequired[Literal['unknown', 'bis', 'simple', 'winprob', 'weak'] | None]
    """
    The opponent who bids before. Default: unknown, or what the policy's option says.
    """


Trick1: TypeAlias = int


class Result(TypedDict):
    """
    The outcome of one bid: probabilities as its answer stated them, and what happened.

    An outcome without a stated probability is not counted, and only enters the decision log.
    """

    policy: str
    """
    `policy` of the answer, which is never best.
    """
    tables: str
    """
    `tables` of the answer. Sets that are not open are counted as other.
    """
    p_nil_made: NotRequired[float | None]
    """
    Stated probability that the bidder's nil is made: `explanation.nil.probability`, or for winprob `nil_made` in the bid's `outcomes`.
    """
    nil_made: NotRequired[bool | None]
    """
    Whether the bidder made the nil.
    """
    p_contract_made: NotRequired[float | None]
    """
    Stated probability that the side makes its contract: `made` in the bid's `outcomes`.
    """
    contract_made: NotRequired[bool | None]
    """
    Whether the side made its contract.
    """
    p_win: NotRequired[float | None]
    """
    Stated probability that the side wins the game: `explanation.p_win`.
    """
    won: NotRequired[bool | None]
    """
    Whether the side won the game.
    """
    round_id: NotRequired[str | None]
    """
    The caller's name for the round, the same in all requests and results of a round and in no other. It is used only if the operator has set a decision log. It must not name a person.
    """
    seat: NotRequired[int | None]
    """
    The bidder's place in the bidding order. Needed with round_id.
    """
    bids: NotRequired[list[int | Literal['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', 'nil', 'blind_nil', 'blind_6', 'blind_7', 'blind_8', 'blind_9', 'blind_10', 'blind_11', 'blind_12', 'blind_13']] | None]
    """
    All four bids, first bidder first, for the decision log.
    """
    tricks: NotRequired[list[Trick1] | None]
    """
    The tricks that each seat took, first bidder first, for the decision log.
    """
    game: NotRequired[str | None]
    """
    The caller's name for the game, the same in all its rounds. While new tables are tried on a share of the callers, all requests of a game get the same tables. Default: the API key counts as one game.
    """
    round: NotRequired[int | None]
    """
    The number of the round in its game, from 0, for the decision log.
    """


class ResultsRequest(TypedDict):
    """
    Up to 512 results; a faulty one is refused alone.
    """

    results: list[Result]


Hand: TypeAlias = str
"""
rank 2..9, T or 10, J, Q, K, A and suit S, H, D, C or ♠, ♥, ♦, ♣, in either order; with variant jokers BJ and LJ too; any case
"""


PassedItem: TypeAlias = str
"""
rank 2..9, T or 10, J, Q, K, A and suit S, H, D, C or ♠, ♥, ♦, ♣, in either order; with variant jokers BJ and LJ too; any case
"""


Play: TypeAlias = str
"""
rank 2..9, T or 10, J, Q, K, A and suit S, H, D, C or ♠, ♥, ♦, ♣, in either order; with variant jokers BJ and LJ too; any case
"""


Score: TypeAlias = int


Bag: TypeAlias = int


class ReviewRequest(TypedDict):
    """
    A finished round, with all cards. Seat 0 bids first, and leads the first trick if the rules name no other.
    """

    rules: NotRequired[RuleSet | None]
    """
    The rules of the game. Default: preset classic.
    """
    hands: list[list[Hand] | str]
    """
    By seat: the cards dealt, before any pass.
    """
    bids: list[int | Literal['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', 'nil', 'blind_nil', 'blind_6', 'blind_7', 'blind_8', 'blind_9', 'blind_10', 'blind_11', 'blind_12', 'blind_13']]
    """
    All bids, first bidder first.
    """
    passed: NotRequired[list[list[PassedItem] | None] | None]
    """
    By seat: the cards given to partner after the bidding, null for a seat that gave none. Needed if the rules have a pass and a nil was bid.
    """
    plays: list[Play]
    """
    All 52 cards in the order of play.
    """
    scores: NotRequired[list[Score] | None]
    """
    Points before the round, with those of bags: of seats 0 and 2, then of seats 1 and 3. Default: 0.
    """
    bags: NotRequired[list[Bag] | None]
    """
    Bags since the last penalty: of seats 0 and 2, then of seats 1 and 3. Default: 0.
    """
    deals: NotRequired[int | None]
    """
    The number of random deals on which each card is tried. Default: 64.
    """
    policy: NotRequired[Literal['bis', 'best'] | None]
    """
    The policy that all players are assumed to bid by, from which the deals follow. Default: bis.
    """
    tables: NotRequired[str | None]
    """
    Version of the tables that decide, one of table_sets in GET /version; for A/B tests. Default: chosen by the service.
    """
    game: NotRequired[str | None]
    """
    The caller's name for the game, the same in all its rounds. While new tables are tried on a share of the callers, all requests of a game get the same tables. Default: the API key counts as one game.
    """


Seat: TypeAlias = int


class Scores(TypedDict):
    """
    The score before the round: of two sides, or with variant cutthroat of the four seats.
    """

    us: NotRequired[int | None]
    """
    Points of the bidder's side. Default: 0.
    """
    them: NotRequired[int | None]
    """
    Points of the other side. Default: 0.
    """
    us_bags: NotRequired[int | None]
    """
    Bags of the bidder's side since the last penalty, fewer than rules.bag_limit. Default: 0.
    """
    them_bags: NotRequired[int | None]
    """
    Bags of the other side since the last penalty, fewer than rules.bag_limit. Default: 0.
    """
    seats: NotRequired[list[Seat] | None]
    """
    Variant cutthroat: points of the four seats, first bidder first. Default: four times 0.
    """
    bags: NotRequired[list[Bag] | None]
    """
    Variant cutthroat: bags since the last penalty of the four seats, first bidder first. Default: four times 0.
    """


class Style(TypedDict):
    """
    A preference added to a policy; 0: no preference.
    """

    aggression: NotRequired[float | None]
    """
    Bid fewer tricks (-1) or more (1). Default: the policy's own.
    """
    nil_bias: NotRequired[float | None]
    """
    Bid fewer nils (-1) or more (1). Default: the policy's own.
    """


class Adjustment(TypedDict):
    """
    A step after the estimate that changed the bid or its meaning, or could have changed the bid.
    """

    rule: str
    before: int
    after: int
    why: str
    projected: NotRequired[Projected]
    aggression: NotRequired[float]
    nil_bias: NotRequired[float]
    level: NotRequired[int]
    seed: NotRequired[int]


class AnsweredInference(TypedDict):
    """
    The answer to one request of a batch.
    """

    status: Literal[200]
    body: InferenceItemAnswer


class BlindExplanation(TypedDict):
    """
    The reasons of the decision; the figures of a blind nil are given if the rules allow one.

    The answer is blind nil if `lot` is below `frequency` and `p_made` is at least `floor`.
    """

    rule: str
    """
    The rule that decided.
    """
    p_ace_of_spades: NotRequired[float]
    """
    Probability that the hand has this card.
    """
    p_made: NotRequired[float]
    """
    Probability that a blind nil is made; from self-play.
    """
    expected_points: NotRequired[float]
    """
    Points that a blind nil itself wins on average.
    """
    floor: NotRequired[float]
    """
    Smallest p_made at which the policy bids blind nil.
    """
    frequency: NotRequired[float]
    """
    How often the rule bids blind nil.
    """
    lot: NotRequired[float]
    """
    A random number from 0 to 1, made from the seed.
    """
    projected: NotRequired[Projected | None]
    """
    Null if an earlier bid is a nil.
    """
    p_look: NotRequired[float]
    """
    Win probability of a look, if blind numbers were compared with it.
    """
    numbers: NotRequired[list[BlindNumber]]
    """
    The blind numbers that were compared.
    """
    sentence: str


class Candidate(TypedDict):
    """
    One bid, with its win probability.

    A full explanation lists every bid that is allowed and legal. The policy compared only some of them.
    """

    bid: int
    p_win: float
    """
    Probability of winning the game with this bid.
    """
    contract: int
    """
    The side's contract with this bid, tricks.
    """
    opponents_contract: int
    outcomes: Outcomes


class Explanation(TypedDict):
    """
    The reasons for the bid, and the numbers behind it, enough to redo it by hand.

    The policy decides which fields are present. With explain brief there are only `reasons` and `p_win`.
    """

    regular: NotRequired[Regular]
    nil: NotRequired[Nil]
    adjustments: NotRequired[list[Adjustment]]
    candidates: NotRequired[list[Candidate]]
    """
    winprob: every allowed legal bid.
    """
    inputs: NotRequired[dict[str, float]]
    """
    winprob: the scaled inputs of its network, by name.
    """
    reasons: list[Reason]
    """
    The most important first; brief: at most four.
    """
    sentence: NotRequired[str]
    """
    The sentences of the reasons, in English.
    """
    p_win: NotRequired[float]
    """
    winprob: probability of winning the game with the bid.
    """


class InferencesAnswer(TypedDict):
    """
    The answers, in the order of the requests.
    """

    answers: list[AnsweredInference | RefusedItem]


class PassAnswer(TypedDict):
    """
    The cards to give partner.
    """

    cards: list[str]
    """
    As many as the rules say: spades, hearts, diamonds, clubs.
    """
    to: int
    """
    The seat of the partner.
    """
    reasons: list[PassReason]
    """
    One for each card.
    """


class PolicyInfo(TypedDict):
    """
    A policy that a request can name.
    """

    policy: str
    """
    The policy's text in a request.
    """
    version: str
    description: str
    options: list[str]
    deciders: NotRequired[list[str]]
    """
    best only: its candidates. The first that takes the rules decides.
    """
    variants: list[str]
    """
    The variants in which it bids.
    """
    needs_win_table: bool
    """
    True: it values scores by the nearest of win_tables.
    """
    typical_time: TypicalTime
    strength: str | None
    """
    Its results, with the page they are from. Null: not measured.
    """
    win_rates: list[WinRate]
    """
    The same as numbers. Empty: not measured.
    """


class ReviewAnswer(TypedDict):
    """
    What each decision of a round cost its player.
    """

    decisions: list[ReviewedDecision]
    """
    In the order of time: bids, passes, cards.
    """
    summary: list[ReviewSummary]
    """
    By seat.
    """
    cards_reviewed: bool
    not_reviewed: NotRequired[Literal['no-processes']]
    """
    Why the cards are not reviewed: the server does not search.
    """
    policy: str
    """
    The policy that judged the bids.
    """
    player: NotRequired[str]
    """
    The card player whose search judged the cards.
    """
    deals: NotRequired[int]
    """
    Number of random deals on which each card was tried.
    """
    tables: str
    """
    Version of the tables that the answer was made with.
    """
    assumed: list[str]
    """
    The fields that the request left out, as dotted names. `rules.bag_limit=10, error 0.6` means: the win table in use was made for bag_limit 10 and not for these rules, so win probabilities are wrong by 0.6 percentage points on average. `error not measured`: the error is not known.
    """


class SearchFigures(TypedDict):
    """
    What a search found.
    """

    deals: int
    """
    Random deals that were played.
    """
    cards: list[TriedCard]
    """
    Highest p_win first. The first is not always the card played: the card of the rules is kept unless another is clearly better. Equivalent cards are listed once.
    """
    policy: str
    """
    The policy that all players were assumed to bid by.
    """
    tables: str
    """
    Version of the tables that the answer was made with.
    """


class BidRequest(TypedDict):
    """
    One position: a hand, the bids before it, the score and the rules.
    """

    rules: NotRequired[RuleSet | None]
    """
    The rules of the game. Default: preset classic.
    """
    hand: list[HandItem] | str
    """
    13 cards, or one PBN text
    """
    previous_bids: list[int | Literal['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', 'nil', 'blind_nil', 'blind_6', 'blind_7', 'blind_8', 'blind_9', 'blind_10', 'blind_11', 'blind_12', 'blind_13']]
    """
    The bids made so far, first bidder first. Nil is 0; blind bids such as blind_nil and blind_6 only where the rules allow them.
    """
    seat: NotRequired[int | None]
    """
    Place in the bidding order: the number of previous bids. It may be left out; if it is present and wrong, the request is refused, because then a bid is missing or there is one too many.
    """
    scores: NotRequired[Scores | None]
    """
    The score before the round. Default: all 0.
    """
    convention: NotRequired[Literal['none', 'big5', 'big6', 'auto'] | None]
    """
    The convention that both partners play. Upper and lower case are equal. Only bis plays conventions, and only in variant partnership. Default: the policy's option.
    """
    policy: NotRequired[str | None]
    """
    Who bids: best (the strongest for the rules), bis, rb, ms, io, winprob, with options as in bis:endgame=off. Upper and lower case are equal. GET /v1/policies describes them. Default: bis.
    """
    explain: NotRequired[bool | Literal['brief', 'curve'] | None]
    """
    The explanation in the answer. true: everything. false: none. brief: only the main reasons, and the win probability if the policy computes one. curve: like true, plus the success curve of a nil in this auction. Default: true.
    """
    legal_bids: NotRequired[list[int | Literal['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', 'nil', 'blind_nil', 'blind_6', 'blind_7', 'blind_8', 'blind_9', 'blind_10', 'blind_11', 'blind_12', 'blind_13']] | None]
    """
    The answer is always one of these. No blind bid is chosen, because the hand has been seen. Default: every bid that the rules allow.
    """
    seed: NotRequired[int | None]
    """
    Seed of the random numbers of a level below 5. Default: made from the position.
    """
    level: NotRequired[int | None]
    """
    Strength: 5 is full strength, a lower level misjudges hands as people do. Default: 5.
    """
    style: NotRequired[Style | None]
    """
    Bid more or fewer tricks or nils. Default: the policy's own.
    """
    players: NotRequired[Players | None]
    """
    How the other players bid, as far as it is known. winprob uses it. Default: unknown.
    """
    tables: NotRequired[str | None]
    """
    Version of the tables that decide, one of table_sets in GET /version; for A/B tests. Default: chosen by the service.
    """
    game: NotRequired[str | None]
    """
    The caller's name for the game, the same in all its rounds. While new tables are tried on a share of the callers, all requests of a game get the same tables. Default: the API key counts as one game.
    """
    round_id: NotRequired[str | None]
    """
    The caller's name for the round, the same in all requests and results of a round and in no other. It is used only if the operator has set a decision log. It must not name a person.
    """


class BidsRequest(TypedDict):
    """
    Up to 512 requests; a request with a fault gets its own error and does not affect the others.
    """

    requests: list[BidRequest]


class BlindRequest(TypedDict):
    """
    A position before the hand is seen.
    """

    rules: NotRequired[RuleSet | None]
    """
    The rules of the game. Default: preset classic.
    """
    previous_bids: list[int | Literal['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', 'nil', 'blind_nil', 'blind_6', 'blind_7', 'blind_8', 'blind_9', 'blind_10', 'blind_11', 'blind_12', 'blind_13']]
    """
    The bids made so far, first bidder first. Nil is 0; blind bids such as blind_nil and blind_6 only where the rules allow them.
    """
    seat: NotRequired[int | None]
    """
    Place in the bidding order: the number of previous bids. It may be left out; if it is present and wrong, the request is refused, because then a bid is missing or there is one too many.
    """
    scores: NotRequired[Scores | None]
    """
    The score before the round. Default: all 0.
    """
    convention: NotRequired[Literal['none', 'big5', 'big6', 'auto'] | None]
    """
    The convention that both partners play. Upper and lower case are equal. Only bis plays conventions, and only in variant partnership. Default: the policy's option.
    """
    policy: NotRequired[str | None]
    """
    Who bids: best (the strongest for the rules), bis, rb, ms, io, winprob, with options as in bis:endgame=off. Upper and lower case are equal. GET /v1/policies describes them. Default: bis.
    """
    seed: NotRequired[int | None]
    """
    Seed that decides whether the fourth seat bids blind nil. Default: made from the request.
    """
    tables: NotRequired[str | None]
    """
    Version of the tables that decide, one of table_sets in GET /version; for A/B tests. Default: chosen by the service.
    """
    game: NotRequired[str | None]
    """
    The caller's name for the game, the same in all its rounds. While new tables are tried on a share of the callers, all requests of a game get the same tables. Default: the API key counts as one game.
    """


class CardRequest(TypedDict):
    """
    A round in progress, as seen by the player whose turn it is.
    """

    rules: NotRequired[RuleSet | None]
    """
    The rules of the game. Default: preset classic.
    """
    hand: list[HandItem] | str
    """
    13 cards, or one PBN text
    """
    bids: list[int | Literal['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', 'nil', 'blind_nil', 'blind_6', 'blind_7', 'blind_8', 'blind_9', 'blind_10', 'blind_11', 'blind_12', 'blind_13']]
    """
    All bids, first bidder first.
    """
    seat: int
    """
    The player's place in the bidding order.
    """
    scores: NotRequired[Scores | None]
    """
    The score before the round. Default: all 0.
    """
    given: NotRequired[list[GivenItem] | None]
    """
    The cards that the player gave to partner after the bidding.
    """
    received: NotRequired[list[ReceivedItem] | None]
    """
    The cards that the player got from partner.
    """
    tricks: NotRequired[list[Trick] | None]
    """
    The tricks so far, each in order of play. The last one may be incomplete or empty. Seat 0 leads the first trick (with rules.first_lead lowest_club, the seat that holds the lowest club), and the winner of a trick leads the next one. Default: none.
    """
    player: NotRequired[Literal['best', 'search@1', 'search@3', 'distilled@1', 'srp@4', 'solo@2'] | None]
    """
    The card player. search@1 and search@3 play each card on random deals; servers offer them only if their operator wants it. distilled@1 learned from a search; its cards depend on the tables. It knows rules that differ from classic only in the goals, in the bids that are allowed, and in the points of blind bids and double nils. srp@4 plays by rules, and solo@2 does in cutthroat. best: search@3 if the server has it and it answers before the deadline, otherwise distilled@1 at levels 5 and 4 if it knows the rules, otherwise the player by rules. Default: best.
    """
    deals: NotRequired[int | None]
    """
    A search: the number of random deals, which search@1 never exceeds. search@3 takes as long on average, with up to four times as many. Default, by level: 1000 (5), 75 (4), 25 (3), 6 (2).
    """
    policy: NotRequired[Literal['bis', 'best'] | None]
    """
    A search: the policy that all players are assumed to bid by. Default: bis.
    """
    level: NotRequired[int | None]
    """
    Strength: 5 is full strength. Below, a search has fewer deals; distilled@1 has only level 4, and sees only large gains; the weakest levels, and a player by rules, forget cards as people do. Default: 5.
    """
    seed: NotRequired[int | None]
    """
    Seed of what a level below 5 forgets; send the same one during a round. Default: made from the hand and the bids.
    """
    tables: NotRequired[str | None]
    """
    Version of the tables that decide, one of table_sets in GET /version; for A/B tests. Default: chosen by the service.
    """
    game: NotRequired[str | None]
    """
    The caller's name for the game, the same in all its rounds. While new tables are tried on a share of the callers, all requests of a game get the same tables. Default: the API key counts as one game.
    """


class CardsRequest(TypedDict):
    """
    Up to 256 requests; a request with a fault gets its own error.
    """

    requests: list[CardRequest]


class InferenceItemRequest(TypedDict):
    """
    What one player, or a spectator, knows of a round. A spectator has no hand and no seat.
    """

    rules: NotRequired[RuleSet | None]
    """
    The rules of the game. Default: preset classic.
    """
    hand: NotRequired[list[HandItem] | str]
    """
    The 13 cards that the player was dealt. A spectator leaves it out.
    """
    bids: list[int | Literal['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', 'nil', 'blind_nil', 'blind_6', 'blind_7', 'blind_8', 'blind_9', 'blind_10', 'blind_11', 'blind_12', 'blind_13']]
    """
    The bids made so far, first bidder first. Nil is 0.
    """
    seat: NotRequired[int | None]
    """
    The player's place in the bidding order; null for a spectator.
    """
    scores: NotRequired[Scores | None]
    """
    The score before the round; a spectator gives it as the first bidder. Default: all 0.
    """
    policy: NotRequired[Literal['bis', 'best'] | None]
    """
    The policy that all players are assumed to bid by. Default: bis.
    """
    given: NotRequired[list[GivenItem] | None]
    """
    The cards that the player gave to partner after the bidding.
    """
    received: NotRequired[list[ReceivedItem] | None]
    """
    The cards that the player got from partner.
    """
    played: NotRequired[dict[Literal['0', '1', '2', '3'], list[PlayedItem]] | None]
    """
    By seat, the cards that the seat has played; a seat without cards may be left out.
    """
    voids: NotRequired[dict[Literal['0', '1', '2', '3'], list[Literal['S', 'H', 'D', 'C']]] | None]
    """
    By seat, the suits that the seat has shown to be out of. Suits of which no card is unseen may be left out. As in cards, s or ♠ is S too.
    """
    tables: NotRequired[str | None]
    """
    Version of the tables that decide, one of table_sets in GET /version; for A/B tests. Default: chosen by the service.
    """
    game: NotRequired[str | None]
    """
    The caller's name for the game, the same in all its rounds. While new tables are tried on a share of the callers, all requests of a game get the same tables. Default: the API key counts as one game.
    """


class InferenceRequest(TypedDict):
    """
    What one player, or a spectator, knows of a round, and how many deals to draw.
    """

    rules: NotRequired[RuleSet | None]
    """
    The rules of the game. Default: preset classic.
    """
    hand: NotRequired[list[HandItem] | str]
    """
    The 13 cards that the player was dealt. A spectator leaves it out.
    """
    bids: list[int | Literal['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', 'nil', 'blind_nil', 'blind_6', 'blind_7', 'blind_8', 'blind_9', 'blind_10', 'blind_11', 'blind_12', 'blind_13']]
    """
    The bids made so far, first bidder first. Nil is 0.
    """
    seat: NotRequired[int | None]
    """
    The player's place in the bidding order; null for a spectator.
    """
    scores: NotRequired[Scores | None]
    """
    The score before the round; a spectator gives it as the first bidder. Default: all 0.
    """
    policy: NotRequired[Literal['bis', 'best'] | None]
    """
    The policy that all players are assumed to bid by. Default: bis.
    """
    given: NotRequired[list[GivenItem] | None]
    """
    The cards that the player gave to partner after the bidding.
    """
    received: NotRequired[list[ReceivedItem] | None]
    """
    The cards that the player got from partner.
    """
    played: NotRequired[dict[Literal['0', '1', '2', '3'], list[PlayedItem]] | None]
    """
    By seat, the cards that the seat has played; a seat without cards may be left out.
    """
    voids: NotRequired[dict[Literal['0', '1', '2', '3'], list[Literal['S', 'H', 'D', 'C']]] | None]
    """
    By seat, the suits that the seat has shown to be out of. Suits of which no card is unseen may be left out. As in cards, s or ♠ is S too.
    """
    tables: NotRequired[str | None]
    """
    Version of the tables that decide, one of table_sets in GET /version; for A/B tests. Default: chosen by the service.
    """
    game: NotRequired[str | None]
    """
    The caller's name for the game, the same in all its rounds. While new tables are tried on a share of the callers, all requests of a game get the same tables. Default: the API key counts as one game.
    """
    deals: NotRequired[int | None]
    """
    How many random deals of the unseen cards to draw. Default: 0.
    """
    seed: NotRequired[int | None]
    """
    Seed of the deals. Default: 0.
    """


class InferencesRequest(TypedDict):
    """
    Up to 64 requests without deals; a request with a fault gets its own error.
    """

    requests: list[InferenceItemRequest]


class BidAnswer(TypedDict):
    """
    One bid.

    `kind` is never blind_nil: POST /v1/bid/blind decides whether to bid it, before the hand is seen.
    """

    bid: int
    """
    0 is nil.
    """
    kind: Literal['regular', 'nil', 'blind_nil']
    policy: str
    """
    The policy that decided, as the request named it; for best, its choice.
    """
    tables: str
    """
    Version of the tables that the answer was made with.
    """
    assumed: list[str]
    """
    The fields that the request left out, as dotted names. `rules.bag_limit=10, error 0.6` means: the win table in use was made for bag_limit 10 and not for these rules, so win probabilities are wrong by 0.6 percentage points on average. `error not measured`: the error is not known.
    """
    seed: NotRequired[int]
    """
    Seed of the random numbers; left out if none were used.
    """
    explanation: NotRequired[Explanation]
    """
    Left out when explain is false.
    """


class BlindAnswer(TypedDict):
    """
    A blind bid, or look at the hand.
    """

    blind_nil: bool
    blind_number: NotRequired[int | None]
    """
    The number to bid blind; null: none. Only if the rules have a blind_min.
    """
    policy: str
    """
    The policy that decided, as the request named it; for best, its choice.
    """
    tables: str
    """
    Version of the tables that the answer was made with.
    """
    assumed: list[str]
    """
    The fields that the request left out, as dotted names. `rules.bag_limit=10, error 0.6` means: the win table in use was made for bag_limit 10 and not for these rules, so win probabilities are wrong by 0.6 percentage points on average. `error not measured`: the error is not known.
    """
    explanation: BlindExplanation


class CardAnswer(TypedDict):
    """
    One card.
    """

    card: str
    player: str
    """
    The card player that decided, with its version.
    """
    legal: list[str]
    """
    The cards that may be played, lowest first.
    """
    assumed: list[str]
    """
    The fields that the request left out, as dotted names. `rules.bag_limit=10, error 0.6` means: the win table in use was made for bag_limit 10 and not for these rules, so win probabilities are wrong by 0.6 percentage points on average. `error not measured`: the error is not known.
    """
    reasons: list[CardReason]
    """
    The goal first, or what a search or the net found.
    """
    seed: NotRequired[int]
    """
    Seed of what a level below 5 forgets; left out if it forgets nothing.
    """
    tables: NotRequired[str]
    """
    Version of the tables, if the card player `distilled@1` decided.
    """
    search: NotRequired[SearchFigures]
    not_searched: NotRequired[Literal['no-processes', 'busy', 'deadline', 'failed', 'rules', 'level', 'batch']]
    """
    Why the player `best` did not search: the server has no search processes, they were all busy, the deadline was near, the search failed, no win table fits the rules, the level is below those that search, or the request came in a batch.
    """


class PoliciesAnswer(TypedDict):
    """
    The policies, `best` first.
    """

    default: str
    policies: list[PolicyInfo]
    win_tables: list[RuleSet]
    """
    The rules that have a win table, each as changes to preset classic, as in a request's rules. Rules that change no win table, such as blind_nil, may have any value beside them.
    """
    table_options: list[TableOptions]
    """
    What the default tables give to policies.
    """
    grades: dict[str, str]
    """
    Fields of a request that change any policy.
    """


class AnsweredCard(TypedDict):
    """
    The answer to one request of a batch.
    """

    status: Literal[200]
    body: CardAnswer


class AnsweredItem(TypedDict):
    """
    The answer to one request of a batch.
    """

    status: Literal[200]
    body: BidAnswer


class BidsAnswer(TypedDict):
    """
    The answers, in the order of the requests.
    """

    answers: list[AnsweredItem | RefusedItem]


class CardsAnswer(TypedDict):
    """
    The answers, in the order of the requests.
    """

    answers: list[AnsweredCard | RefusedItem]
