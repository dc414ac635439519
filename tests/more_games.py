"""Test games for the table `extra_win`, with every kind of rule that changes a win table; their cells begin at 0."""

from spades.rules import Rules, make_rules
from spades.winprob import SLICE_COLUMNS, WinTableSlice, key_of, win_slice_of


def _places() -> dict[Rules, WinTableSlice]:
    places = {}
    start = 0
    for preset, overrides in (
        ("five-bags", {"win": 200}),
        ("no-bags", {"win": 200, "lose": -200}),
        ("ten-for-200", {"win": 100, "lose": -50}),
        ("nil-50", {"win": 50}),
        ("board-4", {"win": 120, "bag_limit": 7, "bag_penalty": 57}),
        ("classic", {"win": 80, "bag_penalty": 0}),
        ("classic", {"win": 60, "bag_limit": 5, "bag_penalty": 1, "nil_points": 35}),
        ("classic", {"win": 50, "bag_limit": 2, "bag_penalty": 12, "failed_nil_tricks": "contract", "team_max": 9}),
        ("classic", {"win": 60, "set_points": "missing", "slam_points": 50, "double_nil_points": 300}),
        ("classic", {"win": 60, "nil": False, "set_points": "none"}),
        ("classic", {"win": 240, "blind_min": 6, "blind_nil_deficit": 20}),
    ):
        rules = make_rules(preset, overrides)
        places[rules] = place = win_slice_of(rules, start)
        start += place.size**2 * place.bags**2
    return places


MORE = _places()
MORE_ROWS = tuple((*key_of(rules), *place[:SLICE_COLUMNS]) for rules, place in MORE.items())
MORE_CELLS = max(place.start + place.size**2 * place.bags**2 for place in MORE.values())
