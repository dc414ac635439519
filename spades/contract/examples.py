"""Examples of requests, answers and faults for the OpenAPI document; tests check them against the contract."""

from collections.abc import Callable
from typing import Any, Final

from spades.card_net import DISTILLED
from spades.contract.bid_request import read_bid
from spades.contract.card_request import no_searches, read_card
from spades.contract.faults import CODES, Fault, RequestError
from spades.contract.fields import POLICIES, unknown_tables

REQUEST = {
    "hand": ["KC", "9C", "5C", "4C", "3C", "QD", "AH", "QH", "AS", "KS", "JS", "6S", "2S"],
    "previous_bids": [3, 1],
    "seat": 2,
    "scores": {"us": 120, "them": 95, "us_bags": 3, "them_bags": 5},
    "convention": "none",
    "policy": "bis",
    "rules": {"preset": "classic"},
    "explain": True,
}
BRIEF_REQUEST = {**REQUEST, "policy": "best", "explain": "brief", "players": {"partner": "weak", "left": "bis"}}
SHORT_REQUEST = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": []}
POLICY_REQUESTS = {policy: {**SHORT_REQUEST, "policy": policy} for policy in POLICIES}
LEVEL_REQUEST = {
    **SHORT_REQUEST,
    "policy": "winprob",
    "level": 2,
    "style": {"aggression": 0.5, "nil_bias": -0.3},
    "seed": 7,
}
CUTTHROAT_REQUEST = {
    "hand": "AKJ62.AQ.Q.K9543",
    "previous_bids": [3, 1],
    "seat": 2,
    "scores": {"seats": [120, 95, 140, 60], "bags": [3, 5, 0, 2]},
    "rules": {"preset": "cutthroat"},
}
# Figures for shape only.
ANSWER = {
    "bid": 6,
    "kind": "regular",
    "policy": "bis",
    "tables": "2026.11.1+3f9a2c",
    "assumed": [],
    "explanation": {
        "regular": {
            "side_high": {"H": 0.9908, "D": 0.0, "C": 0.6767},
            "spade_high": 2.0,
            "spade_long": 0.0,
            "ruffs": 2.3034,
            "previous_bids_factor": 0.0,
            "offset": 0.0,
            "estimate": 5.971,
            "takes": 6,
        },
        "nil": {
            "cnil": {"S": 0.0, "H": 0.0084, "D": 0.5714, "C": 1.0},
            "void_factor": 1.0,
            "value": 0.0,
            "probability": 0.03,
            "expected_points": -94.0,
            "threshold": 25.0,
            "chosen": False,
            "ruled_out": "ace of spades",
        },
        "adjustments": [],
        "candidates": [],
        "reasons": [
            {"code": "bid", "bid": 6},
            {"code": "tricks", "tricks": 6},
            {"code": "partner-bid", "partner": 3, "bid": 6, "contract": 9},
            {"code": "no-nil-ace-of-spades"},
        ],
        "sentence": "Bid 6. Your cards should win about 6 of the 13 tricks. Partner bid 3 and you add 6: 9 in all. "
        "No nil: the ace of spades always wins a trick.",
    },
}
BLIND_REQUEST = {
    "previous_bids": [4, 4, 3],
    "seat": 3,
    "scores": {"us": 120, "them": 310, "us_bags": 3, "them_bags": 5},
    "convention": "none",
    "policy": "bis:tuned",
    "rules": {"preset": "blind-nil"},
    "seed": 7,
}
SHORT_BLIND_REQUEST: dict[str, Any] = {"previous_bids": []}
# Figures for shape only.
BLIND_ANSWER = {
    "blind_nil": True,
    "policy": "bis:tuned",
    "tables": "2026.11.1+3f9a2c",
    "assumed": [],
    "explanation": {
        "rule": "fourth-seat",
        "p_ace_of_spades": 0.038,
        "p_made": 0.613,
        "expected_points": 45.2,
        "floor": 0.3,
        "frequency": 1.0,
        "lot": 0.62,
        "projected": {"us": 171.5, "them": 380.0, "sum_of_bids": 12.2},
        "sentence": "After 11 tricks bid our hand holds the ace of spades in 4%, and a blind nil here makes 61%: "
        "blind nil.",
    },
}
PASS_REQUEST = {"hand": "K83.T64.9732.J64", "bids": [0, 4, 5, 3], "seat": 0, "rules": {"preset": "pass-2"}}
PASS_ANSWER = {
    "cards": ["KS", "8S"],
    "to": 2,
    "reasons": [
        {
            "code": "spade",
            "card": "KS",
            "above": 1,
            "below": 9,
            "sentence": "KS may win a trick as a trump (higher unseen spades: 1).",
        },
        {
            "code": "spade",
            "card": "8S",
            "above": 5,
            "below": 5,
            "sentence": "8S may win a trick as a trump (higher unseen spades: 5).",
        },
    ],
}
CARD_REQUEST = {
    "hand": "AKJ62.AQ.Q.K9543",
    "bids": [3, 1, 5, 4],
    "seat": 2,
    "tricks": [["KD", "2D", "QD", "6D"], ["4H", "KH"]],
}
CARD_ANSWER = {
    "card": "AH",
    "player": DISTILLED,
    "legal": ["QH", "AH"],
    "assumed": ["rules.preset", "scores"],
    "reasons": [
        {
            "code": "contract",
            "left": 12,
            "needed": 7,
            "sentence": "Your side needs 7 of the 12 remaining tricks to make its contract.",
        },
        {
            "code": "win-now",
            "card": "AH",
            "sentence": "AH wins the trick, unless a later player has a higher card or a trump.",
        },
    ],
    "tables": "2026.11.1+3f9a2c",
    "not_searched": "no-processes",
}
SEARCH_REQUEST = CARD_REQUEST | {"player": "search@3", "deals": 64}
# Two tricks are left, so that the answer is short.
INFERENCE_REQUEST = {
    "hand": "AKJ62.AQ.Q.K9543",
    "bids": [3, 1, 5, 4],
    "seat": 2,
    "scores": {"us": 120, "them": 95, "us_bags": 3, "them_bags": 5},
    "policy": "bis",
    "rules": {"preset": "classic"},
    "played": {
        "0": ["KD", "AD", "4D", "2H", "TH", "JC", "QC", "5D", "4S", "6D", "QS"],
        "1": ["7D", "8D", "TD", "3H", "5H", "6C", "8C", "8H", "7S", "9H", "JH"],
        "2": ["QD", "3C", "2S", "AH", "QH", "4C", "5C", "6S", "9C", "JS", "KC"],
        "3": ["2D", "3D", "JD", "4H", "KH", "AC", "2C", "9S", "7C", "6H", "TC"],
    },
    "voids": {"0": ["H", "C"], "1": ["D", "C"], "3": ["D"]},
    "deals": 2,
    "seed": 7,
}
SHORT_INFERENCE_REQUEST = {"hand": "AKJ62.AQ.Q.K9543", "bids": [3, 1], "seat": 2}
SPECTATOR_REQUEST = {"bids": [3, 0, 5, 4], "policy": "best", "played": {"0": ["KD"], "1": ["2D"]}}
# Figures for shape only.
INFERENCE_ANSWER = {
    "seats": {
        "0": {"9D": 1.0, "3S": 0.248, "5S": 0.257, "8S": 0.263, "TS": 0.233},
        "1": {"7H": 0.634, "3S": 0.308, "5S": 0.371, "8S": 0.318, "TS": 0.37},
        "3": {"7H": 0.366, "3S": 0.445, "5S": 0.372, "8S": 0.419, "TS": 0.398},
    },
    "tables": "2026.11.1+3f9a2c",
    "policy": "bis",
    "assumed": [],
    "deals": [
        {"0": ["9D", "3S"], "1": ["7H", "TS"], "3": ["5S", "8S"]},
        {"0": ["9D", "TS"], "1": ["7H", "3S"], "3": ["5S", "8S"]},
    ],
}
_PLAYED = (
    "AC 2C 4C 5C QH AH 5H 3H JH 6H 8H KH JD KD AD 3D TD 5D 2D 9S 2H 8S 9H 7H 7C 6C 2S 3C "
    "TH 4H TC 3S 6D 4D TS 8D JS QS 7S 6S 8C 4S QD KC 5S 9D QC AS 9C KS 7D JC"
)
REVIEW_REQUEST: dict[str, Any] = {
    "hands": ["62.KQT7.QJ9742.A", "JT9.AJ42.K.KQJ32", "AQ8.65.AT8.T9874", "K7543.983.653.65"],
    "bids": [2, 2, 4, 2],
    "plays": _PLAYED.split(),
    "scores": [123, 95],
    "bags": [3, 5],
    "deals": 64,
}
# Two of its decisions, with figures for shape only.
REVIEW_ANSWER: dict[str, Any] = {
    "decisions": [
        {
            "seat": 1,
            "kind": "bid",
            "choice": "2",
            "best": "4",
            "p_win": 0.417215,
            "best_p_win": 0.439162,
            "loss": 0.021947,
            "grade": "inaccuracy",
            "reasons": [
                {
                    "code": "better-bid",
                    "bid": 2,
                    "other": 4,
                    "percent": 43.9,
                    "choice_percent": 41.7,
                    "sentence": "With 4 you win 43.9% of the games, and with 2 41.7%.",
                },
                {
                    "code": "makes",
                    "makes": 90,
                    "sentence": "Your side makes its bid 90% of the time.",
                },
            ],
        },
        {
            "seat": 3,
            "kind": "card",
            "choice": "3S",
            "best": "6D",
            "p_win": 0.349638,
            "best_p_win": 0.360981,
            "loss": 0.011343,
            "error": 0.002937,
            "grade": "good",
            "reasons": [
                {
                    "code": "better-card",
                    "best_card": "6D",
                    "played": "3S",
                    "percent": 36.1,
                    "choice_percent": 35.0,
                    "sentence": "After 6D your side wins 36.1% of the games, and after 3S 35.0%.",
                }
            ],
        },
    ],
    "summary": [
        {
            "seat": seat,
            "graded": 10,
            "grades": {"best": 7, "good": 2, "inaccuracy": 1, "mistake": 0, "blunder": 0},
            "mean_loss": 0.004032,
            "total_loss": 0.040321,
        }
        for seat in range(4)
    ],
    "cards_reviewed": True,
    "policy": "winprob",
    "tables": "2026.11.1+3f9a2c",
    "assumed": ["rules.preset"],
    "player": "search@3",
    "deals": 64,
}
RESULTS_REQUEST = {
    "results": [
        {
            "policy": "winprob",
            "tables": "2026.11.1+3f9a2c",
            "p_contract_made": 0.81,
            "contract_made": True,
            "p_win": 0.62,
            "won": False,
            "round_id": "7f3a-2",
            "seat": 2,
            "bids": [3, 3, 2, 2],
            "tricks": [3, 4, 3, 3],
            "game": "7f3a",
            "round": 2,
        },
        {"policy": "bis", "tables": "2026.11.1+3f9a2c", "p_nil_made": 0.71, "nil_made": True},
    ]
}
BATCH_REQUEST = {"requests": [REQUEST, SHORT_REQUEST]}

_GONE: Final = object()
# By fault code: a change to `REQUEST` that causes this fault.
_FAULTY: dict[str, dict[str, Any]] = {
    "missing-field": {"previous_bids": _GONE},
    "unknown-field": {"previousBids": [3, 1]},
    "unsupported-field": {"scores": {"seats": [120, 95, 140, 60]}},
    "wrong-type": {"seat": "2"},
    "out-of-range": {"seat": 4},
    "too-many-items": {"previous_bids": [3, 1, 2, 4]},
    "hand-form": {"hand": "AKJ62.AQ.K9543"},
    "hand-size": {"hand": REQUEST["hand"][:12]},  # type: ignore[index]
    "unknown-card": {"hand": ["1S", *REQUEST["hand"][1:]]},  # type: ignore[index]
    "duplicate-card": {"hand": ["AS", *REQUEST["hand"][1:]]},  # type: ignore[index]
    "bid-out-of-range": {"previous_bids": [14, 1]},
    "seat-mismatch": {"seat": 3},
    "team-over-limit": {"previous_bids": [9, 1, 6], "seat": 3},
    "team-under-limit": {"previous_bids": [2, 3, 1], "seat": 3, "rules": {"team_min": 4}},
    "illegal-bids": {"legal_bids": []},
    "unknown-policy": {"policy": "strongest"},
    "unsupported-convention": {"policy": "rb", "convention": "big5"},
    "unsupported-rules": {"rules": {"variant": "mirror", "team_min": 4}},
}


def _faults(change: dict[str, Any]) -> list[Fault]:
    return _refused(read_bid, {name: value for name, value in {**REQUEST, **change}.items() if value is not _GONE})


def _refused(read: Callable[[Any], object], request: dict[str, Any]) -> list[Fault]:
    try:
        read(request)
    except RequestError as refused:
        return list(refused.faults)
    return []


_OTHER_FAULTS = {
    "contradiction": _refused(read_card, {**CARD_REQUEST, "tricks": [["AS"]]}),
    "unknown-tables": [unknown_tables("2026.12.1", ["2026.11.1+3f9a2c"])],
    "unsupported-player": [no_searches()],
}
FAULTS: Final = {
    code: next(fault for fault in _OTHER_FAULTS.get(code) or _faults(_FAULTY[code]) if fault.code == code)
    for code in CODES
}
SEVERAL_FAULTS: Final = _faults(_FAULTY["hand-size"] | _FAULTY["seat-mismatch"])
