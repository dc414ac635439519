"""The bench of decisions runs."""

import pytest

from tests.bench.decisions import compiled_us, random_positions


@pytest.mark.compiled
def test_the_bench_times_the_compiled_decision():
    assert compiled_us(random_positions(8, seed=1), runs=1) > 0.0
