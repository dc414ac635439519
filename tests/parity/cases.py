"""Arguments for every kernel: random and edge positions, one maker a kernel, named by module and function."""

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from service.bidding.auction import NO_BID, SEQUENCES, sequence_index
from service.bidding.cards import DECK, SPADE_BITS, cards_of
from service.bidding.legal import EVERY_BID
from service.bidding.policies import CONVENTIONS, parse_policy
from service.bidding.rules import Rules, make_rules
from service.bidding.scoring import BLIND_NIL
from tables.game import SUMS
from tables.players.choose import IDS, UCT1
from tables.players.common import unseen_cards
from tables.players.srp1.goals import ALL_PIECES
from tables.players.uct import MOST_C, MOST_CARDS, MOST_SAMPLES, packed
from tables.players.unseen import WAYS, count_deals, seed_view
from tables.rules import BAG, COUNT, HAND, PIECES, PLAYER, SCORE, carry_rules
from tables.simulate import seated, typed
from tests.conftest import view
from tests.engine import states
from tests.parity.worlds import Table

ALL = Table("")
SETTINGS = Table("*")
RULES = (
    make_rules(),
    make_rules("bis-paper"),
    make_rules("classic", {"bags": False, "failed_nil_tricks": "none", "nil_points": 50}),
    make_rules("bis-paper", {"failed_nil_tricks": "contract", "bag_limit": 3, "blind_nil": True}),
    make_rules("classic", {"min_bid": 2, "team_min": 5, "team_max": 9, "double_nil": False}),
    make_rules("whiz"),
    make_rules("suicide", {"team_min": 4}),
)
POLICIES = tuple(
    typed(parse_policy(text))
    for text in (
        "bis",
        "bis:tuned",
        "bis:curves=single,spade_honours=allow,nil_threshold=-20",
        "bis:curves=raw,factor=off,offset=.3,dynamic=on",
        "bis:endgame=off",
        "bis:nils=off,nil_floor=0",
        "rb",
        "rb:nil=5-8-T",
        "rb:nils=off",
        "ms",
        "io",
        "fixed:bid=3",
        "fixed:bid=0",
    )
)
SHAPES = (0x1FFF << 48, 0x1FFF, 0x1FFF << 16, 0xFFF << 48 | 1, 0x3F | 0x7F << 32, 0x1FFE | 1 << 60)


def hand(rng: random.Random) -> int:
    """13 cards: mostly any, some low (nils), some of extreme shape."""
    kind = rng.random()
    if kind < 0.03:
        return rng.choice(SHAPES)
    deck = cards_of(DECK)
    if kind < 0.35:
        deck = [card for card in deck if card & 15 < 10]
    if kind < 0.15:
        deck = [card for card in deck if card < 48 or card & 15 < 5]
    return sum(1 << card for card in rng.sample(deck, 13))


def bid(rng: random.Random) -> int:
    return rng.choice((0, 0, 1, 2, 3, 3, 4, 4, 5, 6, 8, 13, BLIND_NIL))


def auction(rng: random.Random) -> tuple[int, int, int, int]:
    """(seat, b0, b1, b2)."""
    seat = rng.randrange(4)
    bids = [bid(rng) for _ in range(seat)] + [NO_BID] * (3 - seat)
    return seat, bids[0], bids[1], bids[2]


def scores(rng: random.Random, rules: Rules) -> tuple[int, int, int]:
    """(us, them, us_bags): anywhere, or near the goal."""
    if rng.random() < 0.3:
        us, them = rng.randrange(-400, 600), rng.randrange(-400, 600)
    else:
        us, them = (rules.win - rng.randrange(-30, 170) for _ in range(2))
    return us, them, rng.randrange(10)


def position(rng: random.Random) -> tuple:
    """All arguments of `choose_bid` but the policy and the tables."""
    rules = rng.choice(RULES)
    return hand(rng), *auction(rng), *scores(rng, rules), rules


@cache
def pool() -> tuple[memoryview, ...]:
    """Play states: after random plays, and after the players' own."""
    found = [states.midway(seed) for seed in range(150)]
    rng = random.Random(6)
    for number in range(100):
        players = [rng.choice(sorted(IDS)) for _ in range(4)]
        s = states.dealt(6, number, states.random_bids(rng), players)
        for _ in range(rng.randrange(52)):
            states.play_on(s)
        found.append(s)
    for s in found:
        for side in range(2):
            s[SCORE + side], s[BAG + side] = rng.randrange(-100, 500), rng.randrange(10)
    return tuple(found)


def sitting(rng: random.Random, leading: bool | None = None) -> tuple[memoryview, int, int, int, int]:
    """(state, seat to play, hand, legal, unseen); the seat leads or follows as ``leading`` says, None: either."""
    while True:
        s = rng.choice(pool())
        if leading is None or (s[COUNT] == 0) == leading:
            me = states.to_play(s)
            return s, me, s[HAND + me], sum(1 << card for card in states.legal_now(s)), unseen_cards(s, me)


def cards(rng: random.Random, least: int = 0) -> int:
    """Any set of cards, jokers too."""
    deck = [*cards_of(DECK), 61, 62]
    return sum(1 << card for card in rng.sample(deck, rng.randint(least, 26)))


def card(rng: random.Random) -> int:
    return rng.choice(cards_of(DECK))


def holding(rng: random.Random) -> int:
    return rng.choice((0, 0x1FFF, rng.randrange(8192), 1 << rng.randrange(13)))


def nil_of(rng: random.Random) -> tuple:
    seat, b0, b1, b2 = auction(rng)
    policy = rng.choice(POLICIES[:6])
    return (
        hand(rng),
        seat,
        b0,
        b1,
        sequence_index(seat, b0, b1, b2),
        policy.curves,
        policy.nil_threshold,
        policy.spade_honours,
        policy.nils,
        rng.choice((50, 100)),
        rng.choice((EVERY_BID, EVERY_BID - 1, 1)),
        ALL,
    )


def endgame(rng: random.Random) -> tuple:
    seat, b0, b1, b2 = auction(rng)
    rules = rng.choice(RULES)
    takes = rng.randint(1, 7)
    estimate = takes + rng.random() - 0.5
    return (
        seat,
        b0,
        b1,
        b2,
        rng.choice((0, takes, takes)),
        takes,
        estimate,
        rng.random(),
        rng.choice((0, 0, 2)),
        0.3,
        *scores(rng, rules),
        rules,
        ALL,
    )


def game(rng: random.Random) -> tuple:
    a, b = rng.sample(POLICIES, 2)
    players = seated(rng.choice(("srp", "wrp")), rng.choice(("srp", "wrp")), rng.choice((ALL_PIECES, 255)))
    return (
        states.empty(),
        view(np.zeros(64, np.int64)),
        rng.randrange(2**31),
        rng.randrange(1000),
        rng.randrange(2),
        make_rules("bis-paper"),
        (a, b, a, b),
        view(players),
        SETTINGS,
        view(np.zeros(SUMS)),
    )


def finished(rng: random.Random) -> memoryview:
    """A round played to its end."""
    s = states.dealt(9, rng.randrange(50), states.random_bids(rng))
    for _ in range(52):
        states.play_on(s)
    return s


def last_tricks(rng: random.Random) -> tuple[memoryview, int]:
    """(state, seat to play) with at most four cards in a hand, rules carried, UCT in every seat."""
    s = states.midway(rng.randrange(2**31), rng.randrange(36, 52))
    carry_rules(s, rng.choice(RULES))
    for seat in range(4):
        s[PLAYER + seat], s[PIECES + seat] = UCT1, packed(rng.choice((3, 4)), rng.choice((1, 5, 15)), 100)
    return s, states.to_play(s)


def arms(rng: random.Random) -> tuple:
    s, me = last_tricks(rng)
    cells = np.zeros(3 * MOST_CARDS, np.int64)
    legal = states.legal_now(s)
    cells[: len(legal)] = legal
    return s, me, view(cells), len(legal)


def counted(rng: random.Random) -> tuple:
    """Arguments of `deal_unseen`: the deals of a state counted, a generator seeded."""
    s, me, *_ = sitting(rng)
    ways, x = view(np.zeros(WAYS, np.int64)), states.empty()
    count_deals(s, me, ways)
    seed_view(s, me, rng.randrange(100), x)
    return s, me, ways, x


def setting(rng: random.Random) -> tuple:
    policy = typed(parse_policy(f"bis:convention={rng.choice(CONVENTIONS)},variant={rng.choice(('heed', 'ignore'))}"))
    return rng.choice(RULES), policy, rng.randint(-200, 500), rng.randint(-200, 500)


def unit(rng: random.Random) -> float:
    return rng.choice((0.0, 1.0, 0.5, 0.29, 0.57, 0.58, rng.random(), rng.random()))


Maker = Callable[[random.Random], tuple[Any, ...]]
SCORING, AUCTION, REGULAR = "service.bidding.scoring.", "service.bidding.auction.", "service.bidding.regular."
NIL, ENDGAME, BASELINES = "service.bidding.nil.", "service.bidding.endgame.", "service.bidding.baselines."
RULES_OF_PLAY, DEAL, COMMON = "tables.rules.", "tables.deal.", "tables.players.common."
LEGAL = "service.bidding.legal."
UNSEEN, UCT = "tables.players.unseen.", "tables.players.uct."
SRP1, GAME = "tables.players.srp1.", "tables.game."


def baseline(first: int, last: int) -> Maker:
    return lambda r: (hand(r), *auction(r)[:3], r.choice(POLICIES[first:last]), ALL)


CASES: dict[str, Maker] = {
    "service.bidding.cards.holding": lambda r: (cards(r), r.randrange(4)),
    "service.bidding.cards.lowest": lambda r: (cards(r, 1),),
    "service.bidding.cards.highest": lambda r: (cards(r, 1),),
    "service.bidding.cards.cards_of": lambda r: (cards(r),),
    SCORING + "contract_of": lambda r: (r.randint(0, 14),),
    SCORING + "is_nil": lambda r: (r.randint(-1, 14),),
    SCORING + "nil_stake": lambda r: (r.randint(0, 14), r.choice(RULES)),
    SCORING + "score_side": lambda r: (
        bid(r),
        r.choice((0, r.randint(0, 7))),
        bid(r),
        r.choice((0, r.randint(0, 6))),
        r.randrange(10),
        r.choice(RULES),
    ),
    SCORING + "game_winner": lambda r: (r.randint(-120, 520), r.randint(-120, 520), r.choice(RULES)),
    AUCTION + "sequence_index": lambda r: auction(r),
    AUCTION + "partner_bid": lambda r: auction(r)[:3],
    AUCTION + "opponents_nils": lambda r: auction(r),
    AUCTION + "sum_of_bids": lambda r: auction(r),
    REGULAR + "side_value": lambda r: (holding(r), r.randrange(4), Table("p_length")),
    REGULAR + "spade_counts": lambda r: (holding(r),),
    REGULAR + "ruff_row": lambda r: (holding(r), holding(r), holding(r)),
    REGULAR + "regular_takes": lambda r: (hand(r), *auction(r), r.random() - 0.5, r.choice((0.0, 0.25)), ALL),
    REGULAR + "limit_takes": lambda r: (r.choice((2.5, 0.0, -1.0, r.uniform(-1, 15))), r.randint(-1, 14)),
    REGULAR + "previous_bids_factor": lambda r: (*auction(r), ALL),
    NIL + "ruled_out": lambda r: (
        hand(r),
        *auction(r)[:3],
        r.randrange(2),
        r.randrange(2),
        r.choice((EVERY_BID, EVERY_BID - 1)),
    ),
    NIL + "nil_value": lambda r: (unit(r), unit(r), unit(r), unit(r), r.random() < 0.5),
    NIL + "contract_points": lambda r: (r.randint(0, 26), r.randrange(2), ALL),
    NIL + "partnership_threshold": lambda r: (
        r.randint(1, 13),
        r.choice((NO_BID, 0, 5, 13, BLIND_NIL)),
        r.randrange(SEQUENCES),
        ALL,
    ),
    NIL + "interpolate": lambda r: (Table("curves"), r.choice((0, SEQUENCES - 1, r.randrange(SEQUENCES))), unit(r)),
    NIL + "consider_nil": nil_of,
    ENDGAME + "project": lambda r: (
        *auction(r),
        r.randint(0, 9),
        r.randint(-200, 600),
        r.randint(-200, 600),
        r.choice(RULES),
        ALL,
    ),
    ENDGAME + "can_win": lambda r: (r.uniform(480, 520), r.choice((499.9, 500.0, r.uniform(480, 520))), 500),
    ENDGAME + "adjust": endgame,
    "service.bidding.bis.bis": lambda r: (*position(r), r.choice(POLICIES[:6]), r.randrange(1, EVERY_BID + 1), ALL),
    BASELINES + "lowest_at_most": lambda r: (holding(r), r.randrange(13), r.randrange(13), r.randrange(13)),
    BASELINES + "naive_nil": lambda r: (hand(r), *auction(r)[:3], r.choice(POLICIES[6:10])),
    BASELINES + "rb": baseline(6, 9),
    BASELINES + "ms_side": lambda r: (holding(r),),
    BASELINES + "ms": baseline(9, 10),
    BASELINES + "io_side": lambda r: (holding(r),),
    BASELINES + "io": baseline(10, 11),
    BASELINES + "fixed": lambda r: (*auction(r)[:3], r.choice(POLICIES[11:13])),
    "service.bidding.setting.convention_of": setting,
    "service.bidding.setting.setting_of": setting,
    LEGAL + "allowed_bids": lambda r: (hand(r), *auction(r)[:3], r.choice(RULES)),
    LEGAL + "restricted_bids": lambda r: (hand(r), r.choice((NO_BID, 0, 3, 7, 13, BLIND_NIL)), r.choice(RULES)),
    LEGAL + "pair_allowed": lambda r: (bid(r), r.choice((NO_BID, bid(r))), r.choice(RULES)),
    LEGAL + "between": lambda r: (r.randint(0, 13), r.randint(-3, 13)),
    LEGAL + "nearest": lambda r: (r.randint(0, 13), r.randrange(1, EVERY_BID + 1)),
    LEGAL + "within": lambda r: (r.randint(0, 13), r.randint(1, 13), r.randrange(1, EVERY_BID + 1)),
    "service.bidding.choose.choose_bid": lambda r: (*position(r), r.choice(POLICIES), SETTINGS),
    RULES_OF_PLAY + "suit_mask": lambda r: (r.randrange(4),),
    RULES_OF_PLAY + "legal_cards": lambda r: (cards(r, 1), r.randrange(4), card(r), r.randrange(2)),
    RULES_OF_PLAY + "beats": lambda r: (card(r), card(r)),
    RULES_OF_PLAY + "play_card": lambda r: next((s, me, r.choice(cards_of(ok))) for s, me, _, ok, _ in [sitting(r)]),
    DEAL + "seed_rng": lambda r: (states.empty(), r.randrange(2**31), r.choice((0, 2**31 - 1, r.randrange(2**31))), 3),
    DEAL + "next32": lambda r: (states.dealt(r.randrange(2**31), 1),),
    DEAL + "below": lambda r: (states.dealt(r.randrange(2**31), 1), r.choice((1, 52, 2**20))),
    DEAL + "uniform": lambda r: (states.dealt(r.randrange(2**31), 1),),
    DEAL + "deal": lambda r: (states.dealt(r.randrange(2**31), r.randrange(9)), view(np.zeros(64, np.int64))),
    COMMON + "unseen_cards": lambda r: sitting(r)[:2],
    COMMON + "above": lambda r: (card(r),),
    COMMON + "under": lambda r: (card(r),),
    COMMON + "nil_alive": lambda r: (sitting(r)[0], r.randrange(4)),
    COMMON + "tricks_needed": lambda r: (sitting(r)[0], r.randrange(4)),
    COMMON + "tricks_left": lambda r: (sitting(r)[0],),
    COMMON + "winning_cards": lambda r: next((s, ok) for s, _, _, ok, _ in [sitting(r, False)]),
    COMMON + "plays_after": lambda r: (*sitting(r)[:2], r.randrange(4)),
    COMMON + "lowest_equal": lambda r: next((r.choice(cards_of(h)), h, u) for _, _, h, _, u in [sitting(r)]),
    COMMON + "duck": lambda r: next((s, ok) for s, _, _, ok, _ in [sitting(r, False)]),
    COMMON + "highest_rank": lambda r: (cards(r) & ~SPADE_BITS,),
    COMMON + "lowest_rank": lambda r: (cards(r, 1),),
    COMMON + "least_winning_lead": lambda r: sitting(r, True)[3:],
    "tables.players.wrp.wrp": lambda r: sitting(r)[:2],
    SRP1 + "goals.sure_takes": lambda r: next((a, b & ~a) for a, b in [(holding(r), holding(r))]),
    SRP1 + "goals.sum_of_contracts": lambda r: (sitting(r)[0],),
    SRP1 + "goals.round_type": lambda r: sitting(r)[:2],
    SRP1 + "goals.type_by_sum": lambda r: (r.randrange(27),),
    SRP1 + "goals.wants_tricks": lambda r: next((s, me, u) for s, me, _, _, u in [sitting(r)]),
    SRP1 + "lead.lead_for_tricks": lambda r: sitting(r, True),
    SRP1 + "follow.follow_for_tricks": lambda r: sitting(r, False),
    SRP1 + "follow.discard": lambda r: sitting(r)[2:],
    SRP1 + "nils.danger": lambda r: next((h >> 48 << 48, u) for _, _, h, _, u in [sitting(r)]),
    SRP1 + "nils.nil_card": lambda r: next((s, h, ok, u) for s, _, h, ok, u in [sitting(r)]),
    SRP1 + "nils.cover_card": lambda r: sitting(r),
    SRP1 + "nils.cover_lead": lambda r: next((s, me + 2 & 3, h, ok, u) for s, me, h, ok, u in [sitting(r, True)]),
    SRP1 + "nils.attack_card": lambda r: next(
        (s, me, me + r.choice((1, 3)) & 3, h, ok, u) for s, me, h, ok, u in [sitting(r)]
    ),
    SRP1 + "nils.attack_win": lambda r: sitting(r, False),
    SRP1 + "nils.attack_discard": lambda r: (sitting(r)[3],),
    SRP1 + "nils.attack_lead": lambda r: next(
        (s, me + 1 & 3, me + 3 & 3, ok, u) for s, me, _, ok, u in [sitting(r, True)]
    ),
    SRP1 + "srp.srp1": lambda r: sitting(r)[:2],
    RULES_OF_PLAY + "carry_rules": lambda r: (states.empty(), r.choice(RULES)),
    RULES_OF_PLAY + "carried_rules": lambda r: last_tricks(r)[:1],
    UNSEEN + "seed_view": lambda r: (*sitting(r)[:2], r.randrange(1000), states.empty()),
    UNSEEN + "places": lambda r: (*sitting(r)[:2], r.randrange(4)),
    UNSEEN + "count_deals": lambda r: (*sitting(r)[:2], view(np.zeros(WAYS, np.int64))),
    UNSEEN + "deal_unseen": counted,
    UCT + "packed": lambda r: (r.randint(1, 13), r.choice((1, MOST_SAMPLES)), r.choice((0, 100, MOST_C))),
    UCT + "uct": last_tricks,
    UCT + "search": arms,
    UCT + "point_gap": lambda r: (last_tricks(r)[0], finished(r), r.randrange(4)),
    "tables.players.choose.choose_card": lambda r: sitting(r)[:2],
    GAME + "start_round": lambda r: (sitting(r)[0],),
    GAME + "bid_seat": lambda r: next(
        (s, r.randrange(4), r.choice(RULES), r.choice(POLICIES), SETTINGS) for s in [states.dealt(4, r.randrange(200))]
    ),
    GAME + "disturbed": lambda r: (states.dealt(r.randrange(2**31), 1), r.randint(0, 14), r.choice((0.0, 0.5, 1.0))),
    GAME + "play_out": lambda r: (states.dealt(r.randrange(2**31), 1, states.random_bids(r)),),
    GAME + "begin_round": lambda r: (
        states.empty(),
        view(np.zeros(64, np.int64)),
        r.randrange(2**31),
        r.randrange(100),
        r.randrange(10),
        r.randrange(4),
        view(seated("srp", "wrp")),
        r.randint(-100, 200),
        r.randint(-100, 200),
        r.randrange(10),
        r.randrange(10),
    ),
    GAME + "close_round": lambda r: (
        finished(r),
        r.randrange(4),
        r.randrange(10),
        r.randrange(10),
        r.choice(RULES),
        view(np.zeros(SUMS)),
    ),
    GAME + "turn_of": lambda r: (r.randrange(100), r.randrange(2), r.randrange(20)),
    GAME + "play_game": game,
    GAME + "record_round": lambda r: (finished(r), r.randrange(4), 61, -40, view(np.zeros(SUMS))),
}

# Functions of the kernel modules that compiled code never calls.
TEXTS = {"service.bidding.cards." + name for name in ("parse_card", "format_card", "parse_pbn", "format_pbn")}
BUILD_ONLY = {"service.bidding.regular.ruff_values"}  # makes `ruffs`; a list of floats, sorted

HOW_MANY = {GAME + "play_game": 3} | dict.fromkeys(
    (GAME + "play_out", GAME + "close_round", GAME + "record_round", UCT + "uct", UCT + "search", UCT + "point_gap"), 25
)
