"""The success curve of an answer: the point of the hand lies on it."""

import pytest

from spades.bis import GRID


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"policy": "best"},
        {"policy": "winprob", "rules": {"preset": "short"}},
        {"policy": "bis:curves=single"},
        {"policy": "bis:curves=raw"},
        {"policy": "bis", "convention": "big5"},
        {"policy": "bis:variant=ignore", "rules": {"preset": "whiz"}},
        {"policy": "bis", "rules": {"preset": "pass-2"}},
        {"policy": "bis", "rules": {"preset": "suicide"}, "previous_bids": [4, 4]},
        {"policy": "bis", "level": 2},
    ],
    ids=str,
)
def test_the_hand_is_on_its_curve(call, change):
    request = {"hand": "3.98642.T8543.72", "previous_bids": [3, 4], "seat": 2, "explain": "curve", **change}
    nil = call("POST", "/v1/bid", json=request).json()["explanation"]["nil"]
    curve, at = nil["curve"], nil["value"] * GRID
    assert len(curve) == GRID + 1
    assert nil["value"] > 0.1
    low = min(int(at), GRID - 1)
    assert nil["probability"] == pytest.approx(curve[low] + (at - low) * (curve[low + 1] - curve[low]))
    plain = call("POST", "/v1/bid", json={**request, "explain": True}).json()["explanation"]["nil"]
    assert plain == {name: value for name, value in nil.items() if name != "curve"}


def test_cutthroat_has_its_own_curve(call):
    rules = {"preset": "cutthroat"}
    request = {"hand": "3.98642.T8543.72", "previous_bids": [3], "seat": 1, "explain": "curve", "rules": rules}
    nil = call("POST", "/v1/bid", json=request).json()["explanation"]["nil"]
    near = nil["curve"][int(nil["value"] * GRID) : int(nil["value"] * GRID) + 2]
    assert min(near) <= nil["probability"] <= max(near)


def test_a_policy_without_curve_has_none(call):
    request = {"hand": "3.98642.T8543.72", "previous_bids": [], "seat": 0, "explain": "curve", "policy": "rb"}
    assert "curve" not in call("POST", "/v1/bid", json=request).json()["explanation"]["nil"]
