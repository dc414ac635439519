"""The rule options that the page of strength measures: each by a bidder against the same one that ignores the option.

The ignoring bidder bids as if all rules except the goals were classic. Its bid is then moved to a legal one.
"""

OPTIONS: dict[str, dict[str, object]] = {  # by name, their fields
    "nil 25": {"nil_points": 25},
    "nil 50": {"nil_points": 50},
    "nil 200": {"nil_points": 200},
    "no bags": {"bags": False},
    "five bags cost 50": {"bag_limit": 5, "bag_penalty": 50},
    "ten bags cost 50": {"bag_penalty": 50},
    "ten bags cost 200": {"bag_penalty": 200},
    "five bags cost 100": {"bag_limit": 5},
    "ten for 200": {"ten_for_200": True},
    "minimum bid 2": {"min_bid": 2},
    "minimum bid 3": {"min_bid": 3},
    "minimum bid of a side 4": {"team_min": 4},
    "minimum bid of a side 6": {"team_min": 6},
    "maximum bid of a side 9": {"team_max": 9},
    "one nil per side": {"double_nil": False},
    "tricks of a failed nil count for the contract": {"failed_nil_tricks": "contract"},
    "tricks of a failed nil count for nothing": {"failed_nil_tricks": "none"},
    "a pass of two cards": {"nil_pass": 2},
    "a pass of four cards": {"nil_pass": 4},
}
