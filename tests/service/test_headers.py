"""Header fields with several values."""

from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from service.requests import join_headers

_NAMES = st.sampled_from([b"host", b"accept", b"x"])


def _naive(headers):
    """Join headers by the text of RFC 9110, section 5.3: each name once, its values in order."""
    names = [name for name, _ in headers]
    return {name: b", ".join(value for other, value in headers if other == name) for name in names}


@given(st.lists(st.tuples(_NAMES, st.binary(max_size=3)), max_size=8))
def test_values_of_a_repeated_name_are_joined(headers):
    assert join_headers(headers) == _naive(headers)


def test_many_values_of_one_name_take_time_in_proportion():
    """30,000 values take 3 ms of CPU time if joined at once, but over 100 ms if joined pair by pair."""
    headers = [(b"x", b"some value")] * 30_000
    times = []
    for _ in range(5):
        started = process_time()
        join_headers(headers)
        times.append(process_time() - started)
    assert min(times) < 0.03
