"""Outside bidders: Python files, servers on loopback, and every error that they can cause."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from arena import bidders
from arena.bidders import HttpBidder, PythonBidder, checked_bid, is_outside, open_bidder
from arena.errors import BidderError
from arena.lockstep import CELLS, NEXT, request_of
from arena.match import Match, PlayChunk
from spades.cards import CARD_NAMES, STANDARD
from spades.contract.bid_request import read_bid
from spades.play import PlayState
from spades.rules import Rules, overrides_of
from tests.service.conftest import running_server

NAMES = CARD_NAMES[STANDARD]
REQUEST = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [3, 1], "seat": 2}


def test_what_is_outside():
    assert is_outside("python:a.py:f")
    assert is_outside("http://localhost/bid")
    assert is_outside("public:trickster")
    assert not is_outside("bis:curves=single")


# ---- the request -------------------------------------------------------------------------------------------------


def waiting_state(seat):
    s = PlayState()
    s.hand[seat] = 0b1000000000001 | 0b11 << 16 | 0x1FF << 48
    s.bid = [3, 0, 14, 5]
    s.score[0], s.score[1], s.bags[0], s.bags[1] = 120, -95, 3, 5
    game = [0] * CELLS
    game[NEXT] = seat
    return s, game


def test_request_by_hand():
    s, game = waiting_state(3)
    found = request_of(s, game, 1, {"preset": "classic", "win": 200, "lose": -100}, NAMES)
    assert found["hand"] == ["TS", "9S", "8S", "7S", "6S", "5S", "4S", "3S", "2S", "3D", "2D", "AC", "2C"]
    assert found["previous_bids"] == [3, 0, "blind_nil"]
    assert found["seat"] == 3
    assert found["scores"] == {"us": -95, "them": 120, "us_bags": 5, "them_bags": 3}
    assert found["rules"] == {"preset": "classic", "win": 200, "lose": -100}
    assert found["explain"] is False


def test_request_is_one_that_the_service_takes():
    for seat in range(4):
        s, game = waiting_state(seat)
        found = request_of(s, game, 1, {"preset": "classic"} | overrides_of(Rules(win=300, blind_nil=1)), NAMES)
        read_bid(found)


def test_lots_differ_by_position_and_repeat():
    def lots(seat, **cells):
        s, game = waiting_state(seat)
        for cell, value in cells.items():
            game[int(cell[1:])] = value
        return request_of(s, game, 1, {}, NAMES)["seed"]

    seeds = [lots(0), lots(1), lots(1, c0=1), lots(1, c1=1), lots(1, c2=1)]
    assert len(set(seeds)) == 5
    assert lots(1) == seeds[1]


@pytest.mark.parametrize("answer", [None, "3", 3.0, True, -1, 14, {}, {"bid": "nil"}, [4]])
def test_answers_that_are_no_bid_are_refused(answer):
    with pytest.raises(BidderError, match=r"me: found answer .* accepted: a bid from 0 to 13"):
        checked_bid("me", REQUEST, answer)


def test_answers_that_are_bids():
    assert checked_bid("me", REQUEST, 0) == 0
    assert checked_bid("me", REQUEST, {"bid": 13, "kind": "regular"}) == 13


# ---- Python files ------------------------------------------------------------------------------------------------


def test_python_callable(bidder_file):
    bidder = open_bidder(f"python:{bidder_file('def four(request):  return 4')}:four")
    assert isinstance(bidder, PythonBidder)
    assert bidder.bids([REQUEST, REQUEST]) == [4, 4]


def test_a_file_is_run_once(bidder_file):
    source = """
        from itertools import count
        numbers = count()
        def number(request):
            return next(numbers)
    """
    text = f"python:{bidder_file(source)}:number"
    assert open_bidder(text).bids([REQUEST]) == [0]
    assert open_bidder(text).bids([REQUEST]) == [1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("python:", "accepted: python:path/to/file.py:callable"),
        ("python:file.py", "accepted: python:path/to/file.py:callable"),
        ("python:nowhere.py:bid", "nowhere.py is not a Python file"),
        ("python:README.md:bid", "README.md is not a Python file"),
        ("http://localhost/bid?rule=1", "accepted: http://host:port/bid"),
        ("http:///bid", "accepted: http://host:port/bid"),
    ],
)
def test_texts_that_name_nobody(text, message):
    with pytest.raises(BidderError, match=message):
        open_bidder(text)


def test_missing_callable(bidder_file):
    with pytest.raises(BidderError, match="has no callable bid"):
        open_bidder(f"python:{bidder_file('bid = 4')}:bid")


def test_a_bad_bid_stops_the_match(committed, bidder_file):
    text = f"python:{bidder_file('def bid(request): return 99')}:bid"
    with pytest.raises(BidderError, match="found answer 99"):
        PlayChunk(Match("bis", text, pairs=2), committed).play(0, 2)


# ---- servers -----------------------------------------------------------------------------------------------------


class StubServer(ThreadingHTTPServer):
    """A server that keeps its requests as (path, content, address)."""

    def __init__(self, script):
        super().__init__(("127.0.0.1", 0), Stub)
        self.script = script
        self.seen: list[tuple] = []


class Stub(BaseHTTPRequestHandler):
    """A handler that answers with ``server.script(path, content)`` -> (status, headers, body or JSON value)."""

    protocol_version = "HTTP/1.1"
    server: "StubServer"

    def do_POST(self):
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, content, self.client_address))
        status, headers, body = self.server.script(self.path, content)
        if status == 0:  # close without an answer
            self.close_connection = True
            return
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


@contextmanager
def stub(script):
    """Yield (bidder, requests) of a server on loopback, and stop it at the end."""
    server = StubServer(script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    bidder = HttpBidder(f"http://127.0.0.1:{server.server_port}/bid?policy=ms")
    try:
        yield bidder, server.seen
    finally:
        bidder.close()
        server.shutdown()
        thread.join()
        server.server_close()


def batch_of(content):
    return {"answers": [{"status": 200, "body": {"bid": len(r["previous_bids"])}} for r in content["requests"]]}


def test_batches_where_the_server_has_them():
    with stub(lambda path, content: (200, {}, batch_of(content))) as (bidder, seen):
        assert bidder.bids([REQUEST] * 600) == [2] * 600
    assert [(path, len(content["requests"])) for path, content, _ in seen] == [("/v1/bids", 512), ("/v1/bids", 88)]
    assert seen[0][1]["requests"][0] == REQUEST | {"policy": "ms"}
    assert seen[0][2] == seen[1][2]  # the connection is kept open


def test_one_by_one_where_it_has_none():
    def script(path, content):
        return (200, {}, {"bid": 5}) if path == "/bid" else (404, {}, {"title": "not here"})

    with stub(script) as (bidder, seen):
        assert bidder.bids([REQUEST] * 3) == [5] * 3
        assert bidder.bids([REQUEST]) == [5]
    assert [path for path, _, _ in seen] == ["/v1/bids", "/bid", "/bid", "/bid", "/bid"]
    assert len({address for _, _, address in seen}) == 1


def test_a_versioned_address_has_its_batches_beside_it():
    for address in ("http://localhost:1/bid", "http://localhost:1/v1/bid"):
        assert HttpBidder(address).batch_path == "/v1/bids"
    assert HttpBidder("http://localhost:1/spades/bid").batch_path == "/spades/v1/bids"
    assert HttpBidder("http://localhost:1/ask").batch_path is None


def test_shedding_is_waited_out():
    answers = iter([(code, {"Retry-After": "0"}, None) for code in (503, 429)])
    with stub(lambda path, content: next(answers, None) or (200, {}, batch_of(content))) as (bidder, seen):
        assert bidder.bids([REQUEST]) == [2]
    assert len(seen) == 3


def test_a_closed_connection_is_opened_again():
    hung_up = []

    def script(path, content):
        hung_up.append(path)
        return (0, {}, b"") if len(hung_up) == 1 else (200, {}, batch_of(content))

    with stub(script) as (bidder, seen):
        assert bidder.bids([REQUEST]) == [2]
    assert len(seen) == 2


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((200, {}, {"answers": []}), "accepted: 1 answers"),
        ((200, {}, [1]), "accepted: 1 answers"),
        ((500, {}, {"title": "broken"}), "status 500: {'title': 'broken'} from /v1/bids"),
        ((500, {}, b"<html>"), "status 500: '<html>'"),
        ((200, {}, b"<html>"), "found b'<html>' from POST /v1/bids; accepted: JSON"),
        ((200, {}, {"answers": [{"status": 422, "body": {"title": "no"}}]}), "'title': 'no'.*accepted: status 200"),
        ((200, {}, {"answers": [{"status": 200, "body": {"bid": 15}}]}), "accepted: a bid"),
    ],
)
def test_wrong_answers_are_named(answer, message):
    with stub(lambda path, content: answer) as (bidder, _), pytest.raises(BidderError, match=message):
        bidder.bids([REQUEST])


def test_wrong_answers_one_by_one_are_named():
    with (
        stub(lambda path, content: (404 if path == "/v1/bids" else 422, {}, {})) as (bidder, _),
        pytest.raises(BidderError, match=r"status is 422: \{\}; accepted: 200"),
    ):
        bidder.bids([REQUEST])


def test_nobody_listens(monkeypatch):
    monkeypatch.setattr(bidders, "TRIES", 2)
    with stub(lambda path, content: (200, {}, {})) as (bidder, _):
        text = bidder.text
    silent = HttpBidder(text)
    with pytest.raises(BidderError, match="POST /v1/bids got no answer"):
        silent.bids([REQUEST])


@pytest.mark.server
def test_our_own_service_bids_as_the_engine_does(committed):
    """Policy ms inside the engine, and behind POST /v1/bids of a real server: the same games."""
    with running_server() as server:
        text = f"{server.url}/bid?policy=ms"
        outside = PlayChunk(Match("bis", text, pairs=40), committed).play(0, 40)
    inside = PlayChunk(Match("bis", "ms", pairs=40), committed).play(0, 40)
    assert (inside["scores"] == outside["scores"]).all()
    assert inside["sums"].tobytes() == outside["sums"].tobytes()
