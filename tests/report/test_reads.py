"""Which arrays a match reads."""

import pytest

from arena.match import Match
from report.reads import BIS_FIELDS, INFERENCE, NET, WIN_TABLES, arrays_of_match
from spades.rules import PRESETS
from spades.tables import Tables
from tests.conftest import committed_tables


def read(a, b, players=("srp", "srp"), preset="bis-paper"):
    return arrays_of_match(Match(a, b, players, 10, PRESETS[preset]), committed_tables().arrays)


def test_every_table_of_the_kernels_is_read_by_some_policy():
    assert {*BIS_FIELDS, *NET, *WIN_TABLES, "rb_suit"} == set(Tables._fields)
    assert set(INFERENCE) == {name for name in committed_tables().arrays if name.startswith(("prior_", "holders_"))}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (read("ms", "io"), set()),
        (read("rb", "public:trickster"), {"rb_suit"}),
        (read("bis", "bis"), set(BIS_FIELDS)),
        (read("winprob", "ms"), {*BIS_FIELDS, *NET, *WIN_TABLES}),
        (read("ms", "ms", ("search:deals=16", "srp")), {*WIN_TABLES, *INFERENCE}),
        (read("ms", "ms", ("q@1", "srp")), {"q1_conv"}),
    ],
)
def test_arrays_by_agent(found, expected):
    assert found == expected


def test_a_variant_has_its_own_arrays_and_who_ignores_it_the_partnerships():
    own = read("bis", "bis", preset="jokers")
    assert {"jokers_curves", "jokers_cnil"} < own
    assert not {"curves", "cnil"} & own
    assert {"jokers_curves", "curves"} < read("bis", "bis:variant=ignore", preset="jokers")
    assert {"big5_curves", "curves"} < read("bis:convention=big5", "bis")
    assert {"pass2_curves"} < read("bis", "bis", preset="pass-2")
