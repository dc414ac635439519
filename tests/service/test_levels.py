"""Level and style over HTTP: in the explanation, repeatable by seed, and combined with the policy's own options."""

from spades.contract.bid_request import read_bid


def test_an_answer_names_its_seed_and_repeats(call, request_body):
    request_body |= {"level": 1, "policy": "winprob"}
    answers = [call("POST", "/bid", json=request_body).json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert "seed" in answers[0]["assumed"]
    again = call("POST", "/bid", json=request_body | {"seed": answers[0]["seed"]}).json()
    assert again == answers[0] | {"assumed": again["assumed"]}
    assert "seed" not in again["assumed"]
    request_body["explain"] = False
    bids = {call("POST", "/bid", json=request_body | {"seed": seed}).json()["bid"] for seed in range(40)}
    assert len(bids) > 1


def test_full_strength_is_the_same_answer_as_none(call, request_body):
    for policy in ("best", "bis", "rb", "ms", "io", "winprob", "bis:tuned"):
        request_body["policy"] = policy
        plain = call("POST", "/bid", json=request_body)
        for more in (
            {"level": 5},
            {"level": None, "style": None},
            {"style": {}, "seed": 3},
            {"style": {"nil_bias": 0}},
        ):
            assert call("POST", "/bid", json=request_body | more).content == plain.content


def test_the_request_has_its_way_over_the_policy_text(request_body):
    def policy(text, **more):
        return read_bid(request_body | {"policy": text} | more).policy

    assert policy("bis:level=2") == policy("bis", level=2)
    assert policy("bis:level=2", level=4) == policy("bis", level=4)
    assert policy("bis:level=2", level=5) == policy("bis")
    assert policy("bis:level=2,aggression=1", style={"nil_bias": 1}) == policy("bis:level=2,aggression=1,nil_bias=1")


def test_a_style_draws_no_lot(call, request_body):
    request_body |= {"style": {"aggression": 1}, "policy": "bis"}
    answer = call("POST", "/bid", json=request_body).json()
    assert "seed" not in answer
    assert "seed" not in answer["assumed"]
    assert answer["explanation"]["adjustments"][0]["rule"] == "style"
