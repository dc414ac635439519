"""Every agent, card player, rule set, seating and noise together: each combination plays, or `REFUSED` lists it."""

import textwrap
from itertools import product
from typing import Any

import numpy as np
import pytest

from arena.counters import MATCH_SUMS
from arena.errors import ArenaError
from arena.match import Match
from arena.people import bid_net, model
from spades.inference import readers_of
from spades.rules import make_rules
from spades.tableset import DEFAULT_DIRECTORY, open_tables
from studio.model import write_model
from tests.arena.conftest import called, chunk_of
from tests.arena.stub_server import stub_server

pytestmark = pytest.mark.compiled

LEGAL_BOT = """
    from spades.cards import CARD_NAMES, FIRST_SPADE, lowest
    from spades.legal import NO_BID, allowed_bids, deck_number
    from spades.play import legal_cards
    from spades.rules import make_rules

    class Bot:
        def read(self, request, field):
            overrides = dict(request["rules"])
            self.rules = make_rules(overrides.pop("preset"), overrides)
            self.names = CARD_NAMES[deck_number(self.rules)]
            self.cards = {name: card for card, name in self.names.items()}
            return sum(1 << self.cards[name] for name in request.get(field, ()))

        def bid(self, request):
            hand, before = self.read(request, "hand"), [NO_BID, NO_BID, *request["previous_bids"]]
            allowed = allowed_bids(hand, before[-2], self.rules)
            return min((bid for bid in range(14) if allowed >> bid & 1), key=lambda bid: abs(bid - 3))

        def card(self, request):
            given, received = (self.read(request, field) for field in ("given", "received"))
            played = [self.cards[name] for trick in request["tricks"] for name in trick]
            held = (self.read(request, "hand") & ~given | received) & ~sum(1 << card for card in played)
            table = played[len(played) & ~3 :]
            broken = any(card >= FIRST_SPADE for card in played)
            return self.names[lowest(legal_cards(held, len(table), (table or [0])[0], broken))]
"""
KINDS = ("bis", "winprob", "tables", "public", "python", "http", "model", "q@1", "random")
PLAYERS = (
    *("srp", "wrp", "uct(tricks=2, samples=4)", "blend(wrp=0.4)", "search@3(deals=2, tricks=2)", "q@1(net=linear)"),
    *("solo", "random"),
)
PRESETS = ("classic", "whiz", "whiz-strict", "mirror", "suicide", "jokers", "jjdd", "cutthroat", "pass-4")
# Every refusal, by kind of agent or player: the presets in which it cannot play.
WITH_JOKERS, WITHOUT_A_WIN_TABLE = ("jokers", "jjdd"), ("whiz-strict", "mirror", "cutthroat")
REFUSED = {
    "winprob": WITHOUT_A_WIN_TABLE,
    "search@3(deals=2, tricks=2)": WITHOUT_A_WIN_TABLE,
    "public": (*WITH_JOKERS, "cutthroat"),
    "q@1": WITH_JOKERS,
    "q@1(net=linear)": WITH_JOKERS,
    "model": (*WITH_JOKERS, "cutthroat"),
}


@pytest.fixture(scope="module")
def agents(tmp_path_factory):
    """Return an agent of each kind, by kind."""
    folder = tmp_path_factory.mktemp("agents")
    (folder / "bot.py").write_text(textwrap.dedent(LEGAL_BOT))
    python = f"python(file={folder / 'bot.py'}, name=Bot)"
    arrays: dict[str, Any] = {name: np.zeros(bid_net.shape_of(name, 1), np.float32) for name in bid_net.AXES}
    arrays["nil_success"] = np.zeros((2, len(model.NIL_FEATURES)))
    arrays["contract_success"] = np.zeros((2, len(model.CONTRACT_FEATURES)))
    arrays["blend"] = np.full(1, 0.5)
    write_model(folder / "model", arrays, {"kind=human": 1}, {}, {})
    bot = called(python).connected()

    def script(path, content):
        question = {"/v1/bid": "bid", "/v1/card": "card"}.get(path)  # the server has no batches
        if question is None:
            return 404, {}, {}
        number = ("bid", "card").index(question)
        return 200, {}, {question: bot.ask(number, [content])[0]}

    with stub_server(script) as server:
        yield {
            **{kind: kind for kind in KINDS},
            "tables": f"bis(tables={DEFAULT_DIRECTORY})",
            "public": "public(bot=trickster)",
            "python": python,
            "http": f"http(url=http://127.0.0.1:{server.server_port}, cards=on)",
            "model": f"model(folder={folder / 'model'})",
        }


@pytest.fixture(scope="module")
def attempt(committed, agents):
    """Return a function that plays two pairs of a match, and compares its errors with `REFUSED`."""
    opened = open_tables()
    nets = readers_of(opened.arrays).nets

    def played_or_refused(kind, player, preset, noise, mixed):
        rules = make_rules(preset, {"win": 100, "lose": -100})
        players = (player, "srp", "wrp", player) if mixed else (player, "srp")
        if any(preset in REFUSED.get(one, ()) for one in (kind, player)):
            with pytest.raises(ArenaError, match=r"variant is .* with .*; accepted: "):
                Match(agents[kind], "rb", players, 2, rules, 3, mixed, noise)
            return
        match = Match(agents[kind], "rb", players, 2, rules, 3, mixed, noise)
        found = chunk_of(match, committed, opened.research, nets)
        whole, first, second = found.play(0, 2), found.play(0, 1), found.play(1, 2)
        assert (whole["sums"] == first["sums"] + second["sums"]).all()
        sums = whole["sums"].view(MATCH_SUMS)[0]
        assert sums["games"] == 4
        assert sums["by_bid"][:, :, 1].sum() == 13 * sums["rounds"] > 0

    return played_or_refused


@pytest.mark.parametrize("preset", PRESETS)
def test_a_policy_that_python_calls_plays_the_same_games(committed, agents, preset):
    rules = make_rules(preset, {"win": 100, "lose": -100})
    compiled, called = (
        chunk_of(Match(text, "rb", pairs=4, rules=rules, noise=0.2), committed).play(0, 4)["sums"]
        for text in ("bis", agents["tables"])
    )
    assert compiled.tobytes() == called.tobytes()


@pytest.mark.parametrize("preset", PRESETS)
def test_every_two_choices_play_together_or_are_refused(attempt, preset):
    """Each kind of agent meets each player and each preset, and each player meets each preset and noise."""
    for kind, player, noisy, mixed in chosen(PRESETS.index(preset)):
        attempt(kind, player, preset, 0.2 * noisy, bool(mixed))


def chosen(number):
    """Return (kind, player, noisy, mixed) that are tried in the preset with this number."""
    return [
        (kind, PLAYERS[(i + number) % len(PLAYERS)], (i ^ number >> 2) & 1, (i ^ number >> 1) & 1)
        for i, kind in enumerate(KINDS)
    ]


def test_the_choices_cover_all_pairs():
    tried = [choice for number in range(len(PRESETS)) for choice in chosen(number)]
    assert {(kind, player) for kind, player, *_ in tried} == set(product(KINDS, PLAYERS))
    for whole in (2, 3):  # noise, mixed sides
        assert {(choice[0], choice[whole]) for choice in tried} == set(product(KINDS, (0, 1)))
        assert {(choice[1], choice[whole]) for choice in tried} == set(product(PLAYERS, (0, 1)))


@pytest.mark.long
@pytest.mark.parametrize("preset", PRESETS)
def test_everything_plays_together_or_is_refused(attempt, preset):
    for choice in product(KINDS, PLAYERS, [preset], (0.0, 0.2), (False, True)):
        attempt(*choice)
