"""When the supervisor starts the next worker. tests/faults/test_workers.py tests real workers."""

from service.supervisor import FIRST_PAUSE_S, LONGEST_PAUSE_S, MOST_FAILURES, QUICK_S, Backoff


def test_pauses_double_up_to_the_longest():
    backoff = Backoff()
    pauses = [backoff.pause_s(0.5, was_ready=False) for _ in range(2000)]
    assert pauses[:8] == [0.25, 0.5, 1, 2, 4, 8, 16, 30]
    assert set(pauses[8:]) == {LONGEST_PAUSE_S}
    assert sum(pauses[: MOST_FAILURES - 1]) < 5  # how long callers may wait until the supervisor gives up
    assert backoff.failures == 2000


def test_a_long_life_is_followed_at_once():
    backoff = Backoff()
    assert [backoff.pause_s(age, was_ready=True) for age in (QUICK_S - 0.1, QUICK_S, QUICK_S - 0.1)] == [
        FIRST_PAUSE_S,
        0.0,
        FIRST_PAUSE_S,
    ]
    assert backoff.pause_s(60.0, was_ready=False) == 2 * FIRST_PAUSE_S  # ran for long, but was never ready


def test_only_workers_that_never_were_ready_are_failures():
    backoff = Backoff()
    backoff.pause_s(1.0, was_ready=False)
    assert backoff.failures == 1
    backoff.pause_s(1.0, was_ready=True)
    assert (backoff.failures, backoff.quick) == (0, 2)
