"""The review of a round: what cannot be true, bids, passes, cards and grades, by hand."""

import pytest

from spades import BiddingError, review
from spades.cards import CARD_BITS, CARD_NAMES, parse_hand
from spades.contract.examples import REVIEW_REQUEST
from spades.legal import BLIND_NIL, BLIND_NUMBER
from spades.play.srp.player import srp4
from spades.play.tricks import legal_cards, play_card, start_play
from spades.policies import parse_policy
from spades.round_review import (
    CUT_OFFS,
    GRADES,
    PlayedRound,
    ReviewedChoice,
    ValuedCard,
    card_turns,
    contradictions_in,
    grade_of,
    passing_seats,
    review_bids_and_passes,
    review_card,
    summary_of,
)
from spades.rules import make_rules
from tests.conftest import committed_tables

HANDS = tuple(parse_hand(hand) for hand in REVIEW_REQUEST["hands"])
PLAYS = tuple(CARD_BITS[0][card].bit_length() - 1 for card in REVIEW_REQUEST["plays"])
ROUND = PlayedRound(make_rules("classic"), HANDS, (2, 2, 4, 2), (0, 0, 0, 0), PLAYS, (123, 95), (3, 5))
PASS_2 = make_rules("pass-2")
FIRST = make_rules("pass-2", {"nil_passes_first": True})


def bits(*cards):
    return sum(CARD_BITS[0][card] for card in cards)


def judged(played):
    return list(review_bids_and_passes(played, parse_policy("winprob", played.rules.variant), committed_tables()))


def places(**changes):
    return [(one.place, one.code) for one in contradictions_in(ROUND._replace(**changes))]


def test_a_true_round():
    assert contradictions_in(ROUND) == []


def test_what_cannot_be_true():
    assert places(hands=(HANDS[0], HANDS[0], *HANDS[2:])) == [(("hands", 1), "duplicate-card")] * 13
    assert places(bids=(3, 2, 4, 2), rules=make_rules("whiz")) == [
        (("bids", 0), "bid-out-of-range"),
        *[(("bids", seat), "bid-out-of-range") for seat in (1, 2, 3)],
    ]
    assert places(scores=(500, 0)) == [(("scores", 0), "out-of-range")]
    assert places(bags=(0, 10)) == [(("bags", 1), "out-of-range")]
    assert places(passed=(0, bits("9S"), 0, 0)) == [(("passed", 1), "unsupported-field")]


def test_the_first_impossible_card_is_named():
    other = list(PLAYS)
    other[1], other[2] = other[2], other[1]  # seat 1 plays 4C, which seat 2 holds
    (found,) = contradictions_in(ROUND._replace(plays=tuple(other)))
    assert (found.place, found.code) == (("plays", 1), "contradiction")
    assert found.detail == "plays.1 is 4C, but seat 1 does not hold it; accepted: 2C, 3C, JC, QC, KC"
    last = PLAYS.index(bits("JC").bit_length() - 1)
    revoke = list(PLAYS)
    revoke[5], revoke[last] = revoke[last], revoke[5]  # JC instead of AH, to QH
    (found,) = contradictions_in(ROUND._replace(plays=tuple(revoke)))
    assert found.detail == "plays.5 is JC, but seat 1 must play another card; accepted: 2H, 4H, JH, AH"


@pytest.mark.parametrize(
    ("passed", "found"),
    [
        ((0, 0, 0, 0), [("passed", 0), ("passed", 2)]),
        ((bits("6S", "AC"), 0, bits("4C"), 0), [("passed", 2)]),
        ((bits("6S", "AS"), 0, bits("4C", "7C"), 0), [("passed", 0)]),
        ((bits("6S", "AC"), bits("2C"), bits("4C", "7C"), 0), [("passed", 1)]),
    ],
)
def test_passes_that_cannot_be_true(passed, found):
    played = ROUND._replace(rules=PASS_2, bids=(0, 2, 4, 2), passed=passed)
    assert [one.place for one in contradictions_in(played)] == found


def played_by(rules):
    """A round with these rules in which each seat plays its highest legal card, as bits."""
    state = next(iter(card_turns(ROUND._replace(rules=rules)))).state
    state.hand = list(HANDS)
    start_play(state)
    plays = []
    for _ in range(52):
        seat = state.leader + state.trick_size & 3
        legal = legal_cards(state.hand[seat], state.trick_size, state.trick[0], state.broken)
        plays.append(legal.bit_length() - 1)
        play_card(state, seat, plays[-1])
    return ROUND._replace(rules=rules, plays=tuple(plays))


@pytest.mark.parametrize(
    ("changes", "first", "refused"),
    [
        ({"spades_lead": "any"}, "6S", True),  # the highest spade of seat 0
        ({"first_lead": "lowest_club"}, "2C", True),
        ({"first_trick_spades": False}, "KH", False),
    ],
)
def test_rules_of_leads_are_those_of_the_round(changes, first, refused):
    """Spades led first, and the lowest club led by another seat, are true only by their rules."""
    played = played_by(make_rules("classic", changes))
    assert CARD_NAMES[0][played.plays[0]] == first
    assert contradictions_in(played) == []
    assert bool(contradictions_in(played._replace(rules=ROUND.rules))) == refused


def test_who_passes_in_which_order():
    assert passing_seats((0, 4, 3, 3), PASS_2) == [0, 2]
    assert passing_seats((3, 4, 0, 3), PASS_2) == [0, 2]
    assert passing_seats((3, 4, 0, 3), FIRST) == [2, 0]
    assert passing_seats((0, 0, 3, 3), FIRST) == [0, 2, 1, 3]
    assert passing_seats((3, 4, 3, 3), PASS_2) == []


def test_bids_are_judged_by_winprob():
    first, second, *_ = judged(ROUND)
    assert (first.choice, first.best, first.loss, first.grade) == ("2", "2", 0.0, "best")
    assert (second.choice, second.best, second.grade) == ("2", "3", grade_of(second.loss))
    assert second.loss == second.best_p_win - second.p_win > 0
    assert second.reasons[0]["code"] == "better-bid"
    assert second.reasons[1]["code"] == "wins"
    nil, *_ = judged(ROUND._replace(bids=(0, 2, 4, 2)))
    assert (nil.choice, nil.reasons[0]["code"], nil.grade) == ("nil", "nil-worse", "blunder")


def test_a_bid_without_a_choice_has_no_grade():
    rules = make_rules("blind-nil")
    blind, *_ = judged(ROUND._replace(rules=rules, bids=(BLIND_NIL, 2, 4, 2)))
    assert (blind.choice, blind.best, blind.grade, blind.loss) == ("blind_nil", "blind_nil", None, None)
    assert blind.reasons[0]["code"] == "hand-not-seen"
    suicide = make_rules("suicide")
    *_, third, fourth = judged(ROUND._replace(rules=suicide, bids=(4, 4, 0, 0)))
    assert [one.reasons[0]["code"] for one in (third, fourth)] == ["only-choice"] * 2
    assert third.p_win is not None
    assert third.grade is None


def test_a_blind_number_has_no_grade_and_doubles_what_partner_bids_for():
    rules = make_rules("classic", {"blind_min": 6})
    usual = judged(ROUND._replace(rules=rules, bids=(6, 2, 1, 2)))
    blind = judged(ROUND._replace(rules=rules, bids=(BLIND_NUMBER + 6, 2, 1, 2)))
    assert (blind[0].choice, blind[0].grade, blind[0].reasons[0]["code"]) == ("blind_6", None, "hand-not-seen")
    assert blind[2].p_win != usual[2].p_win
    assert "counts-double" in {reason["code"] for reason in blind[2].reasons}


def test_a_nil_bidder_loses_by_keeping_dangerous_cards():
    dealt = ROUND._replace(rules=PASS_2, bids=(0, 2, 4, 2))
    usual = bits("AC", "QD"), bits("4C", "7C")
    for given, partner, grades in (
        (bits("2D", "4D"), bits("4C", "7C"), ("blunder", None)),
        (bits("2D", "4D"), bits("5H", "6H"), ("blunder", "best")),
        (usual[0], bits("AS", "AH"), (None, None)),
    ):
        own, partners = judged(dealt._replace(passed=(given, 0, partner, 0)))[4:]
        assert (own.kind, own.seat, partners.seat) == ("pass", 0, 2)
        assert partners.p_win is None
        if grades[0]:
            assert own.loss > 0
            assert own.reasons[0]["code"] == "better-pass"


def nil_percents(rules, bids):
    """Return how often a nil of seat 0 is made, by the review of its pass of 2D and 4D."""
    passed = (bits("2D", "4D"), 0, bits("4C", "7C"), 0)
    reason = judged(ROUND._replace(rules=rules, bids=bids, passed=passed))[4].reasons[0]
    return reason["percent"], reason["choice_percent"]


def test_a_pass_after_a_blind_nil_is_judged_as_one_after_a_nil():
    blind = make_rules("blind-nil", {"blind_nil_pass": 2})
    assert nil_percents(blind, (BLIND_NIL, 2, 4, 2)) == nil_percents(PASS_2, (0, 2, 4, 2))


def test_cards_of_a_search():
    turns = list(card_turns(ROUND))
    assert len(turns) == 52
    first = turns[0]
    assert first.state.hand == [HANDS[0], 0, 0, 0], "a player knows no other hand"
    assert (turns[5].seat, turns[5].state.trick_size, turns[5].state.leader) == (1, 1, 0)
    better, worse = (bits(card).bit_length() - 1 for card in ("JD", "2D"))
    rows = [
        ValuedCard(first.card, 0.5, 0.0, 0.0),
        ValuedCard(better, 0.625, 0.125, 0.02),
        ValuedCard(worse, 0.4, -0.1, 0.0),
    ]
    found = review_card(first, rows, ROUND.rules)
    assert (found.choice, found.best, found.p_win, found.best_p_win, found.error) == ("AC", "JD", 0.5, 0.625, 0.02)
    assert found.grade == grade_of(0.125, 0.02)
    assert found.reasons[0]["sentence"] == "After JD your side wins 62.5% of the games, and after AC 50.0%."
    by_rules = CARD_NAMES[0][srp4(first.state, 0)]
    assert (len(found.reasons) > 1) == (by_rules == "JD"), "the reasons of the rules, if they choose the best card"


def test_a_card_that_is_not_clearly_worse_is_best():
    turn = next(iter(card_turns(ROUND)))
    other = bits("JD").bit_length() - 1
    rows = [ValuedCard(turn.card, 0.5, 0.0, 0.0), ValuedCard(other, 0.51, 0.01, 0.02)]
    found = review_card(turn, rows, ROUND.rules)
    assert (found.best, found.loss, found.grade, found.error) == ("AC", 0.0, "best", None)
    alone = review_card(turn, rows[:1], ROUND.rules)
    assert (alone.p_win, alone.grade, alone.reasons[0]["code"]) == (0.5, None, "only-choice")
    nothing = review_card(turn, [], ROUND.rules)
    assert (nothing.p_win, nothing.grade, nothing.reasons[0]["code"]) == (None, None, "no-deal-fits")


def test_the_library_reviews_plain_values():
    request = {name: REVIEW_REQUEST[name] for name in ("hands", "bids", "plays", "scores", "bags")}
    found = review(**request, tables=committed_tables())
    assert found.choices == judged(ROUND)
    assert found.summary == summary_of(found.choices)

    def search(turn):
        return [ValuedCard(turn.card, 0.5, 0.0, 0.0)]

    cards = review(**request, tables=committed_tables(), search=search).choices[4:]
    assert [one.choice for one in cards] == REVIEW_REQUEST["plays"]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"hands": REVIEW_REQUEST["hands"][:3]}, "hands has 3 items; accepted: 4"),
        ({"plays": REVIEW_REQUEST["plays"][:50]}, "plays has 50 items; accepted: 52"),
        ({"plays": ["AC", "AC", *REVIEW_REQUEST["plays"][2:]]}, "AC"),
        ({"scores": (1, 2, 3)}, "scores is .*; accepted: two integers"),
        ({"bags": (0, 10)}, "bags.1 is 10; accepted: 0..9"),
        ({"bids": (9, 2, 5, 2)}, "the bids of two partners sum to 13 at most"),
        ({"rules": make_rules("cutthroat")}, "no win table"),
    ],
)
def test_what_the_library_refuses(change, error):
    request = {name: REVIEW_REQUEST[name] for name in ("hands", "bids", "plays", "scores", "bags")}
    with pytest.raises(BiddingError, match=error):
        review(**request | change, tables=committed_tables())


def test_grades_rise_with_the_loss():
    assert list(CUT_OFFS) == list(GRADES[2:])
    assert list(CUT_OFFS.values()) == sorted(CUT_OFFS.values())
    for grade, least in CUT_OFFS.items():
        assert grade_of(least) == grade != grade_of(least - 1e-9)
    assert (grade_of(0.0), grade_of(1e-9)) == ("best", "good")


def test_the_summary_counts_only_what_is_graded():
    choices = [
        ReviewedChoice(1, "card", "2C", "3C", 0.5, 0.6, 0.1, 0.0, "blunder", []),
        ReviewedChoice(1, "card", "3C", "3C", 0.5, 0.5, 0.0, None, "best", []),
        ReviewedChoice(1, "card", "4C", "4C", 0.5, 0.5, None, None, None, []),
    ]
    summaries = summary_of(choices)
    assert [one.graded for one in summaries] == [0, 2, 0, 0]
    assert summaries[1].grades == {"best": 1, "good": 0, "inaccuracy": 0, "mistake": 0, "blunder": 1}
    assert (summaries[1].mean_loss, summaries[1].total_loss) == (0.05, 0.1)
