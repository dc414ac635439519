"""Cutthroat: exact nil values against a reference, the decision by hand, and the limits of each end-of-game rule."""

from fractions import Fraction

import numpy as np
import pytest

from spades.bidder import decide
from spades.bis.cutthroat import apply_finish, bis_cutthroat, own_and_best, project_race
from spades.bis.estimates import ACE_OF_SPADES, NOT_RULED_OUT, Nil, Regular
from spades.bis.partnership import RULE_NAMES, Proposal
from spades.cards import RANKS, parse_pbn
from spades.errors import PolicyError
from spades.legal import EVERY_BID, NO_BID
from spades.policies import BY_NAME, parse_policy
from spades.position import Position, auction_after
from spades.rules import CUTTHROAT, make_rules
from spades.scoring import Standing, score_seat
from spades.tables import CUTTHROAT_PROFILE
from spades.tableset import open_tables
from tables import exact
from tests import naive

RULES = make_rules("cutthroat")  # to 300, no losing goal
HAND = "AKJ62.AQ.Q.K9543"  # ECAI 2020, figure 1


@pytest.fixture(scope="module")
def tables():
    return open_tables()


def policy(text="bis"):
    return parse_policy(text, CUTTHROAT)


# ---- the exact table -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hunters", [3, pytest.param(2, marks=pytest.mark.slow), 0])
@pytest.mark.parametrize("held", ["2", "9", "A", "K2", "89T", "235", "AQ", "K9543", "JT987654", "AKQJT9876543"])
def test_cnil_against_oracle(held, hunters):
    ranks = {RANKS.index(rank) for rank in held}
    n_ranks = 13 if len(ranks) > 3 else 9  # every deal of the unseen cards, one by one
    ranks = {rank if n_ranks == 13 else rank * 2 // 3 for rank in ranks}
    mask = sum(1 << rank for rank in ranks)
    found = exact.hunted_cnil_of_zones(exact.zones_of(mask, n_ranks), hunters)
    for kind, spades in enumerate((False, True)):
        assert found[kind] == float(naive.cnil_for_oneself(ranks, hunters, spades, n_ranks))


def test_cnil_by_hand():
    """A singleton king against three hunters loses only to the ace, if its holder has no lower card of the suit."""
    # One of three hands has the ace and none of the 11 others: those fall on the 26 places of the other two.
    alone = Fraction(1)
    for i in range(11):
        alone *= Fraction(26 - i, 38 - i)
    mask = 1 << RANKS.index("K")
    assert exact.hunted_cnil_of_zones(exact.zones_of(mask), 3)[0] == pytest.approx(float(alone), abs=1e-15)


@pytest.mark.slow
def test_cnil_table(tables):
    table = exact.hunted_cnil()
    assert np.array_equal(table, tables.arrays["cutthroat_cnil"])
    # Two hunt and one goes over if possible, like a partner who covers in the least strict reading.
    assert np.array_equal(table, tables.arrays["cnil"][exact.READINGS.index("any")])
    fewer, more = exact.hunted_cnil(0), exact.hunted_cnil(3)
    assert (more[0] <= table[0]).all()
    assert (table[0] <= fewer[0]).all()
    assert table[0, 0] == table[1, 0] == 1.0  # a void


# ---- the decision --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("bids", "m"), [((), 3), ((3, 0), 2), ((0, 0, 4), 1), ((0, 14, 0), 0)])
def test_estimate_by_who_might_cut(neutral, bids, m):
    t = neutral.plain_settings.rows[CUTTHROAT_PROFILE]
    plain = policy("bis:factor=off,offset=0")
    made = bis_cutthroat(parse_pbn(HAND), auction_after(bids), (0, 0, 0, 0), 0, EVERY_BID, RULES, plain, t)
    assert made.regular.estimate == pytest.approx(float(naive.regular_estimate(HAND, m)[0]))


def test_nobodys_bid_limits_ours(tables):
    """Opposite sits an opponent: a bid of 9 there limits nothing, and a nil there does not rule ours out."""
    big = Position(parse_pbn("AKQJT98.AK.AK.AK"), (9, 2), rules=RULES)
    assert decide(big, policy(), tables).bid > 4
    low = Position(parse_pbn("432.432.5432.432"), (0, 2), rules=RULES)
    assert decide(low, policy(), tables).kind == "nil"
    assert decide(low, policy("bis:variant=ignore"), tables).kind == "regular"


def test_explanation(tables):
    position = Position(parse_pbn(HAND), (3, 1), Standing(280, 285, 0, 0), RULES, (285, 100, 280, 20))
    decision = decide(position, policy(), tables)
    explanation = decision.explanation
    assert explanation is not None
    assert set(explanation) == {"regular", "nil", "adjustments", "reasons", "sentence"}
    assert explanation["sentence"].startswith(f"Bid {decision.bid}. ")
    assert {"code": "alone"} in explanation["reasons"]
    assert explanation["regular"]["side_high"]["C"] == tables.arrays["p_length"][3, 5, 2]
    least = decide(Position(parse_pbn(HAND), (), rules=make_rules("cutthroat", {"min_bid": 6})), policy(), tables)
    assert least.bid >= 6
    explanation = decide(position, policy(), tables, legal=(2, 3)).explanation
    assert explanation is not None
    assert explanation["adjustments"][-1]["rule"] == "legal-bids"


def test_no_number_is_told_as_forced_where_a_nil_is_chosen(tables):
    rules = make_rules("cutthroat", {"min_bid": 4})
    told = decide(Position(parse_pbn("432.5432.5432.32"), (), rules=rules), policy(), tables).explanation
    assert told is not None
    assert (told["nil"]["chosen"], told["adjustments"]) == (True, [])


def test_options_in_the_variant():
    shipped = BY_NAME["bis"].in_variant[CUTTHROAT]
    assert policy()._asdict().items() >= shipped.items()
    assert policy("bis:tuned") == policy()
    assert policy("bis:nil_threshold=7").nil_threshold == 7
    assert policy("bis:variant=ignore")._replace(ignores=0) == parse_policy("bis")
    with pytest.raises(PolicyError):
        policy("bis:")


def test_other_policies_take_the_seat_opposite_for_a_partner(tables):
    hand = parse_pbn("AKQJT98.AK.AK.AK")
    position = Position(hand, (9, 2), rules=RULES)
    for text in ("rb", "ms", "io", "bis:variant=ignore"):
        assert decide(position, policy(text), tables).bid == 4, text


# ---- the end of the game -------------------------------------------------------------------------------------------


def finish(t, bids, bid, scores, bags=0, takes=2, probability=0.5, reason=NOT_RULED_OUT, rules=RULES):
    nil = Nil(1.0, 1.0, 1.0, 1.0, 1.0, 0.5, probability, 0.0, 25.0, reason, False)
    proposal = Proposal(bid, takes, Regular(0.0, 0.0, 0.0, 0, 0, 0.0, 0.0, 0.0, float(takes), takes), nil, NO_BID)
    made = apply_finish(proposal, auction_after(tuple(bids)), scores, bags, rules, policy(), t)
    return RULE_NAMES[made.rule], made.bid


def test_projection(neutral):
    """Mean bids are 0 here: the scores of those who have not bid yet stay as they are."""
    t = neutral.plain_settings.rows[CUTTHROAT_PROFILE]
    race = project_race(4, auction_after((3, 0)), (200, 150, 100, 260), RULES, t)
    assert race == (140.0, 260.0, 7.0)
    assert project_race(0, auction_after((3, 0, 4)), (200, 250, 100, 60), RULES, t) == (160.0, 350.0, 7.0)
    assert own_and_best(2, (200, 150, 100, 260)) == (100, 260)
    assert own_and_best(0, (9, 1, 3, 2)) == (9, 3)


@pytest.mark.parametrize(
    ("case", "rule", "bid"),
    [
        # out of reach for all, and just within
        ({"bids": (3, 3, 3), "bid": 3, "scores": (159,) * 4}, "", 3),
        # an opponent comes to 310: 20 behind is too far, 19 and 10 are not; level is behind
        ({"bids": (3, 3, 3), "bid": 3, "scores": (280, 0, 0, 260)}, "desperate-nil", 0),
        ({"bids": (3, 3, 3), "bid": 3, "scores": (280, 0, 0, 261)}, "close-race", 5),
        ({"bids": (3, 3, 3), "bid": 3, "scores": (280, 0, 0, 271)}, "close-race", 4),
        ({"bids": (3, 3, 3), "bid": 3, "scores": (280, 0, 0, 280)}, "close-race", 4),
        ({"bids": (3, 3, 3), "bid": 3, "scores": (280, 0, 0, 281)}, "", 3),  # first seat of the race: nothing to gain
        ({"bids": (3, 3, 3), "bid": 13, "scores": (280, 0, 0, 175)}, "", 13),
        # nobody reaches 300
        ({"bids": (3, 3, 3), "bid": 3, "scores": (269, 0, 0, 200)}, "", 3),
        # far behind: only with a nil that is open and likely enough
        ({"bids": (3, 3, 3), "bid": 3, "scores": (280, 0, 0, 0), "probability": 0.3}, "desperate-nil", 0),
        ({"bids": (3, 3, 3), "bid": 3, "scores": (280, 0, 0, 0), "probability": 0.29}, "", 3),
        ({"bids": (3, 3, 3), "bid": 3, "scores": (280, 0, 0, 0), "reason": ACE_OF_SPADES}, "", 3),
        # a nil of the leader's counts as made
        ({"bids": (0, 3, 3), "bid": 3, "scores": (200, 0, 0, 0)}, "desperate-nil", 0),
        ({"bids": (0, 3, 3), "bid": 3, "scores": (199, 0, 0, 0)}, "", 3),
        # last to bid and ahead: the regular bid wins too, or not
        ({"bids": (3, 3, 3), "bid": 0, "takes": 2, "scores": (0, 0, 0, 280)}, "regular-wins-too", 2),
        ({"bids": (3, 3, 3), "bid": 0, "takes": 1, "scores": (0, 0, 0, 280)}, "", 0),
        ({"bids": (3, 3), "bid": 0, "takes": 2, "scores": (0, 0, 280, 0)}, "", 0),  # not last
        # one trick less wins too, but not into a bag penalty, nor below one, nor behind another who makes it
        ({"bids": (3, 3, 3), "bid": 4, "scores": (0, 0, 0, 270)}, "last-seat-one-less", 3),
        ({"bids": (3, 3, 3), "bid": 4, "scores": (0, 0, 0, 269)}, "", 4),
        ({"bids": (3, 3, 3), "bid": 4, "scores": (0, 0, 0, 270), "bags": 7}, "last-seat-one-less", 3),
        ({"bids": (3, 3, 3), "bid": 4, "scores": (0, 0, 0, 270), "bags": 8}, "", 4),
        ({"bids": (3, 3, 3), "bid": 1, "scores": (0, 0, 0, 299)}, "", 1),
        ({"bids": (3, 3, 3), "bid": 4, "scores": (275, 0, 0, 270)}, "", 4),
    ],
)
def test_end_of_game(neutral, case, rule, bid):
    assert finish(neutral.plain_settings.rows[CUTTHROAT_PROFILE], **case) == (rule, bid)


def test_end_of_game_without_bags(neutral):
    t, rules = neutral.plain_settings.rows[CUTTHROAT_PROFILE], make_rules("cutthroat", {"bags": False})
    assert finish(t, (3, 3, 3), 4, (0, 0, 0, 270), bags=9, rules=rules) == ("last-seat-one-less", 3)


# ---- scoring -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bid", "taken", "bags", "points", "left"),
    [
        (3, 3, 0, 30, 0),
        (3, 5, 0, 32, 2),
        (3, 2, 4, -30, 4),
        (4, 6, 8, 42 - 100, 0),
        (0, 0, 9, 100, 9),
        (0, 2, 9, -98 - 100, 1),
    ],
)
def test_score_of_a_seat(bid, taken, bags, points, left):
    assert score_seat(bid, taken, bags, RULES) == (points, left)


def test_score_without_bags():
    rules = make_rules("cutthroat", {"bags": False})
    assert score_seat(2, 6, 0, rules) == (20, 0)
    assert score_seat(0, 3, 0, rules) == (-100, 0)
