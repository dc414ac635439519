"""Uses the generated Python client against the service at the URL in the first argument."""

import sys

from generated import Client
from generated.api.bidding import bid, bids, blind
from generated.api.catalogue import list_policies, list_reasons, list_rules
from generated.models import (
    AnsweredItem,
    BidAnswer,
    BidRequest,
    BidsAnswer,
    BidsRequest,
    BlindAnswer,
    BlindRequest,
    Problem,
    RefusedItem,
    RuleSet,
    Scores,
)

client = Client(base_url=sys.argv[1])
rules = RuleSet.from_dict({"preset": "whiz"})
assert rules.to_dict() == {"preset": "whiz"}, rules.to_dict()
request = BidRequest(hand="AKJ62.AQ.Q.K9543", previous_bids=[], seat=0, rules=rules)
answer = bid.sync(client=client, body=request)
assert isinstance(answer, BidAnswer), answer
assert answer.bid in (0, 5), "variant whiz bids the five spades or nil"
assert answer.explanation
assert answer.explanation.regular
assert answer.explanation.nil
assert answer.explanation.regular.takes >= 1
assert answer.explanation.nil.chosen == (answer.bid == 0)

winprob = bid.sync(
    client=client, body=BidRequest(hand="AKJ62.AQ.Q.K9543", previous_bids=[3], seat=1, policy="winprob", rules=None)
)
assert isinstance(winprob, BidAnswer)
assert winprob.explanation
candidates = winprob.explanation.candidates
assert candidates
assert 0 < candidates[0].p_win < 1
assert candidates[0].outcomes.made >= 0

best = BidRequest(hand="AKJ62.AQ.Q.K9543", previous_bids=[3], seat=1, policy="best", explain="brief")
brief = bid.sync(client=client, body=best)
assert isinstance(brief, BidAnswer)
assert brief.policy == "winprob"
assert brief.explanation
assert not brief.explanation.regular
assert brief.explanation.p_win
templates = {reason.code: reason.template for reason in list_reasons.sync(client=client).reasons}
reason = brief.explanation.reasons[0]
assert templates[str(reason.code)].format(**reason.to_dict()).startswith(f"Bid {brief.bid}: you win the game ")

refused = bid.sync(client=client, body=BidRequest(hand="AKJ62.AQ.Q.K9543", previous_bids=[], seat=3))
assert isinstance(refused, Problem)
assert refused.errors
assert refused.errors[0].pointer == "/seat"
assert str(refused.errors[0].code.value) == "seat-mismatch"

wrong = BidRequest(hand="AKJ62", previous_bids=[], seat=0)
many = bids.sync(client=client, body=BidsRequest(requests=[request, wrong]))
assert isinstance(many, BidsAnswer)
first, second = many.answers
assert isinstance(first, AnsweredItem)
assert first.body.bid == answer.bid
assert isinstance(second, RefusedItem)
assert second.body.status == 422

unseen = BlindRequest(previous_bids=[], seat=0, scores=Scores(us=-100, them=300), rules=RuleSet(blind_nil=True))
look = blind.sync(client=client, body=unseen)
assert isinstance(look, BlindAnswer)
assert look.explanation.p_made
assert list_rules.sync(client=client).presets["classic"].win == 500
policies = list_policies.sync(client=client)
assert policies.default == "bis"
assert policies.policies[0].deciders == ["winprob", "bis:tuned"]
assert policies.policies[0].win_rates[0].interval_percent[0] > 50
print("Python client: all good")
