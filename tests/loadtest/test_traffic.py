"""The requests of the load test: the same for a seed, valid, and answered by the real service as declared."""

import itertools
import json
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtest import slo
from loadtest.arrivals import prepare
from loadtest.servers import running_service
from loadtest.traffic import DECK, deal, fault, mixed, pbn, previous_bids, questions, request


def first(count, seed=1, **options):
    return list(itertools.islice(questions(seed, **options), count))


def test_a_seed_fixes_all():
    assert first(50) == first(50)
    assert first(50) != first(50, seed=2)


def test_the_deck():
    assert len(set(DECK)) == 52
    hands = deal(random.Random(1))
    assert [len(hand) for hand in hands] == [13] * 4
    assert sorted(card for hand in hands for card in hand) == sorted(DECK)


def test_pbn_of_the_worked_hand():
    hand = ["KC", "9C", "5C", "4C", "3C", "QD", "AH", "QH", "AS", "KS", "JS", "6S", "2S"]
    assert pbn(hand) == "AKJ62.AQ.Q.K9543"


@given(st.integers(0, 10**9), st.integers(0, 3))
def test_previous_bids_are_legal(seed, seat):
    bids = previous_bids(random.Random(seed), seat)
    assert len(bids) == seat
    assert all(0 <= bid <= 13 for bid in bids)
    assert seat < 3 or bids[0] + bids[2] <= 13


@given(st.integers(0, 10**9), st.integers(0, 3))
def test_a_fault_changes_the_request(seed, seat):
    rng = random.Random(seed)
    body = request(deal(rng)[seat], previous_bids(rng, seat), rng)
    what, wrong = fault(body, rng)
    assert wrong != body, what


def test_all_seats_and_the_stated_share_of_wrong_ones():
    drawn = first(4000)
    wrong = [question for question in drawn if question.status != 200]
    assert 0.04 < len(wrong) / len(drawn) < 0.06  # 0.05, three standard errors
    assert len({question.what for question in wrong}) == 7
    seats = Counter(json.loads(question.body)["seat"] for question in drawn if question.status == 200)
    assert set(seats) == {0, 1, 2, 3}
    assert min(seats.values()) > 900
    assert all(question.status == 200 for question in first(200, bad_share=0.0))


def test_mixed_requests_are_of_all_kinds():
    drawn = [*itertools.islice(mixed(1), 1000)]
    assert drawn == [*itertools.islice(mixed(1), 1000)]
    assert {"/bid", "/v1/bid", "/v1/card", "/v1/bids"} < {question.path for question in drawn}
    assert {question.status for question in drawn} == {200, 400, 404, 422}


@pytest.mark.server
def test_the_service_answers_each_as_it_should():
    """One worker, every kind of request, three times as many wrong requests as usual."""
    with running_service() as server:
        requests = [prepare(question, server.host, {}) for question in first(400, bad_share=0.2)]
        measured = slo.measure(server, requests, rate=200, seconds=2.0)
    assert measured.run.failures == 0
    assert set(measured.run.statuses) == {200, 400, 422}
    assert measured.cost is not None
    assert 10 < measured.cost.cpu_us < 50_000
    assert 20 < measured.cost.resident_mib < 1000
