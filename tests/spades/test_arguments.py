"""Numbers in texts: only plain ASCII decimals are accepted, although Python accepts more."""

import argparse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades.arguments import decimal, integer

TRAPS = [
    "",
    " ",
    " 1 ",
    "1\n",
    "1_0",
    "١",
    "１",
    "²",
    "1e1",
    "0x1",
    "inf",
    "-inf",
    "nan",
    "infinity",
    "--1",
    "+-1",
    "1,0",
]


@pytest.mark.parametrize("text", [*TRAPS, "1.", ".", "-.", "1..2", "1.2.3"])
def test_decimals_refused(text):
    with pytest.raises(ValueError, match=r"^found .*; accepted: a number such as 3 or -0\.25$"):
        decimal(text)


@pytest.mark.parametrize("text", [*TRAPS, "1.0", ".5"])
def test_integers_refused(text):
    with pytest.raises(ValueError, match=r"^found .*; accepted: an integer such as 5 or -12$"):
        integer(text)


@given(st.integers(-(10**18), 10**18))
def test_an_integer_is_read_back(number):
    assert integer(str(number)) == integer(f"{number:+d}") == number


@given(st.decimals(-1000, 1000, places=6))
def test_a_decimal_is_read_back(number):
    assert decimal(f"{number:f}") == float(number)


def test_as_the_type_of_an_argument(capsys):
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=integer)
    parser.add_argument("--rate", type=decimal)
    for arguments, error in (
        (["--seed=1_0"], "invalid integer value: '1_0'"),
        (["--rate=nan"], "invalid decimal value"),
    ):
        with pytest.raises(SystemExit):
            parser.parse_args(arguments)
        assert error in capsys.readouterr().err
