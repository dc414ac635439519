"""The measurements of `python -m loadtest.bench`: intervals, turns, and each measurement once against real servers."""

import doctest
from collections import Counter
from contextlib import nullcontext
from itertools import islice
from math import inf
from threading import Event
from time import sleep
from typing import Any

import pytest

from loadtest import bench, comparisons, overload, turns
from loadtest.beside import beside, due_times
from loadtest.servers import ServerError
from loadtest.traffic import results
from loadtest.turns import Plan, Spent, difference, figure, in_turns, mean_interval, ratio
from spades.contract import examples

QUICK = ["--starts", "1", "--rounds", "1", "--seconds", "0.1"]


@pytest.mark.parametrize("module", [turns, overload])
def test_doctests(module):
    assert doctest.testmod(module).failed == 0


def test_a_single_value_has_no_bounds():
    assert mean_interval([3.0]) == (3.0, -inf, inf)


def test_the_ratio_is_of_pairs_of_rounds():
    slow, fast = ([Spent(10, wall_s, 2 * wall_s) for wall_s in walls] for walls in ((1.0, 10.0, 4.0), (0.5, 5.0, 2.0)))
    assert ratio([fast, fast], [slow, slow], Spent.rate) == pytest.approx((2.0, 2.0, 2.0))
    assert figure([slow, slow], Spent.cpu_us).value == pytest.approx(800_000)
    assert figure([slow, slow], Spent.core_rate).value == pytest.approx(1.25)
    assert difference([fast], [slow], Spent.rate).value == pytest.approx(2.5)  # of the pairs 10, 1 and 2.5


class Counting:
    """Callers that only note their turns."""

    def __init__(self, name, turns_taken):
        self._name, self._turns = name, turns_taken

    def load(self, seconds):
        self._turns.append(self._name)
        return Spent(1, seconds, seconds)


def test_the_order_changes_with_rounds_and_starts():
    taken: list[str] = []
    sides: dict[str, Any] = {name: lambda name=name: nullcontext(Counting(name, taken)) for name in "ab"}
    found = in_turns(sides, Plan(starts=2, rounds=2, seconds=1.0))
    assert "".join(taken) == "abbaab" + "baabba"
    assert {name: [len(rounds) for rounds in starts] for name, starts in found.items()} == {"a": [2, 2], "b": [2, 2]}


def test_threads_end_with_the_block_and_their_errors_are_not_lost():
    sent: list[int] = []

    def send(ended):
        sent.append(1)
        ended.wait(60)
        if len(sent) > 1:
            raise ConnectionError("refused")

    with pytest.raises(ZeroDivisionError), beside(send):
        raise ZeroDivisionError
    with beside(send, threads=0):
        assert sent == [1]
    with pytest.raises(ServerError, match="did not get its right answer: refused"), beside(send, threads=2):
        pass


def test_due_times_do_not_wait_for_what_is_late():
    ended = Event()
    times = due_times(ended, 100.0)
    first = next(times)
    sleep(0.05)
    assert [next(times) - first for _ in range(5)] == pytest.approx([0.01, 0.02, 0.03, 0.04, 0.05])
    ended.set()
    assert [*times] == []


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("503 Busy\r\nretry-after: 1\r\ncontent-type: application/problem+json", overload.REFUSAL),
        ("503 Busy\r\nRetry-After: soon\r\nContent-Type: application/problem+json", "503, application/problem+json"),
        ("500 Oops", "500, no media type"),
    ],
)
def test_the_form_of_a_refusal(head, expected):
    assert overload.form(f"HTTP/1.1 {head}\r\n\r\nretry-after: 2".encode()) == expected


def test_rates_of_an_overload():
    found = overload.Round(300.0, 2.0, [1.0] * 150, Counter({overload.REFUSAL: 50}), service_cores=0.5)
    assert (found.sent_per_s(), found.goodput(), found.core_goodput()) == (100.0, 75.0, 150.0)


def test_the_request_is_the_example_of_the_contract():
    assert comparisons.REQUEST == examples.REQUEST


def test_results_are_drawn_with_a_seed():
    first, again, other = ([*islice(results(seed, "1.0"), 200)] for seed in (1, 1, 2))
    assert first == again != other
    assert {"p_nil_made", "p_contract_made", "p_win"} <= {name for result in first for name in result}


SHORT = {
    "flat --requests 200": "growth after the first 40:",
    "results --batch 40": "POST /v1/results, batches of 40",
}
LONG = {
    "start": "worker 2 of 2, mapped tables",
    "bids": "service to app, h11",
    "batches --batch 40": "batches to 16 callers",
    "latency --rate 50": "POST /bid at a constant 50/s",
    "overload --base HEAD": "goodput, this tree to HEAD",
    "log": "with a log of all rounds",
    "beside --batch 10 --rate 50 --results-rate 100": "POST /bid at 50/s, with 100 results/s",
}


@pytest.mark.server
@pytest.mark.parametrize(
    ("arguments", "printed"),
    [*SHORT.items(), *(pytest.param(*one, marks=pytest.mark.long) for one in LONG.items())],
)
def test_each_measurement(arguments, printed, capsys):
    assert bench.main([*arguments.split(), *QUICK]) in (0, 1)  # the speed decides
    out = capsys.readouterr().out
    assert printed in out
    assert "verdict: " in out


@pytest.mark.parametrize(
    "arguments", [["nothing"], ["overload"], ["log", "--starts", "many"], ["log", "--starts", "0"]]
)
def test_wrong_arguments(arguments):
    with pytest.raises(SystemExit) as caught:
        bench.main(arguments)
    assert caught.value.code == 2
