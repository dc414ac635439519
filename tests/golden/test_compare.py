"""The comparison of two commits finds planted differences. No service is started."""

import json

import pytest

from tests.golden.compare import differences_of, report
from tests.golden.services import Answer, Request

REQUEST = Request("/v1/bid", b'{"seat":0}')
JSON = {"content-type": "application/json"}
BID = Answer(200, JSON, b'{"bid":4,"explanation":{"takes":[4.5,1]}}')


def refused(*faults, text="wrong"):
    errors = [{"pointer": pointer, "code": code, "detail": text} for pointer, code in faults]
    return Answer(422, JSON, json.dumps({"type": "/problems/invalid-request", "errors": errors}).encode())


REFUSED = refused(("/seat", "out-of-range"), ("/hand", "hand-size"))


@pytest.mark.parametrize(
    ("base", "new", "kinds"),
    [
        (BID, Answer(200, JSON, b'{"explanation":{"takes":[4.5,1]},"bid":4}'), []),
        (BID, Answer(200, JSON, b'{"bid":5,"explanation":{"takes":[4.5,1]}}'), ["/bid"]),
        (BID, Answer(200, JSON, b'{"bid":4,"explanation":{"takes":[4.5,1.0]}}'), ["/explanation/takes/#"]),
        (BID, Answer(200, {}, BID.body), ["header content-type"]),
        (BID, Answer(200, {**JSON, "date": "now"}, BID.body), ["header date"]),
        (BID, REFUSED, ["status 200 to 422 hand-size out-of-range"]),
        (REFUSED, refused(("/seat", "out-of-range"), ("/hand", "hand-size"), text="another text"), []),
        (REFUSED, refused(("/seat", "wrong-type"), ("/hand", "hand-size")), ["/errors out-of-range wrong-type"]),
        (REFUSED, refused(("/hand", "hand-size"), ("/seat", "out-of-range")), ["/errors in another order"]),
    ],
)
def test_differences(base, new, kinds):
    assert [one.kind for one in differences_of(REQUEST, base, new)] == [f"POST /v1/bid: {kind}" for kind in kinds]


def test_an_item_of_a_batch_is_reported_alone(capsys):
    def batch(*bids):
        items = [{"status": 200, "body": {"bid": bid}} for bid in bids]
        return Answer(200, JSON, json.dumps({"answers": items}).encode())

    items = [Request("/v1/bid", b'{"seat":%d}' % seat) for seat in range(3)]
    found = differences_of(Request("/v1/bids", b""), batch(1, 2, 3), batch(1, 4, 3), items)
    assert report(found, []) == 1
    assert report(found, ["an item: /bid$"]) == 0
    printed = capsys.readouterr().out
    assert "1 times POST /v1/bids, an item: /bid: 2 became 4" in printed
    assert '--data-binary \'{"requests":[{"seat":1}]}\' http://127.0.0.1:8080/v1/bids' in printed
