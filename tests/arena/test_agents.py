"""The registry of agents: texts in both forms, matches of the same games, and programs that play whole games."""

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from arena import agents
from arena.__main__ import main
from arena.agent_text import AgentText, parse_text
from arena.agents import AGENTS, parse_agent, parse_player_agent
from arena.called.learned import RandomAnswers, RandomPlayer
from arena.errors import AgentError, BidderError
from arena.match import PAPER_RULES, Match
from arena.questions import BID, CARD
from arena.result import run_match
from spades.legal import BLIND_NIL
from spades.rules import make_rules

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/how-to/extend.md"
EARLIER = {
    "bis": "bis",
    "bis:tuned": "bis(tuned)",
    "bis:endgame=off,offset=-0.2": "bis(endgame=off, offset=-0.2)",
    "bis:offset=1,tables=a/b": "bis(offset=1, tables=a/b)",
    "rb:nil=5-8-T": "rb(nil=5-8-T)",
    "winprob:level=3": "winprob(level=3)",
    "public:trickster": "public(bot=trickster)",
    "model:ours": "model(folder=ours)",
    "model:a/b,kind=human,skill=beginner": "model(folder=a/b, kind=human, skill=beginner)",
    "python:a/b.py:f": "python(file=a/b.py, name=f)",
    "http://host:80/bid": "http(url=http://host:80/bid)",
    "http://host/bid?policy=ms": "http(url=http://host/bid, policy=ms)",
    "q@1:net=linear,reward=tricks": "q@1(net=linear, reward=tricks)",
    "q": "q",
    "random": "random",
    "wrp": "wrp",
    "srp@4": "srp@4",
    "uct:5": "uct(tricks=5)",
    "uct@2:5,samples=400,c=90": "uct@2(tricks=5, samples=400, c=90)",
    "search:deals=64,bids=none": "search(deals=64, bids=none)",
    "blend:0.25": "blend(wrp=0.25)",
    # the present form after an earlier one
    "http://host:80(cards=on)": "http(url=http://host:80, cards=on)",
    "python:b.py:f(cards=uct:5)": "python(file=b.py, name=f, cards=uct(tricks=5))",
    "bis:endgame=off(cards=search:deals=9)": "bis(endgame=off, cards=search(deals=9))",
}


@pytest.mark.parametrize("text", EARLIER)
def test_earlier_spellings_are_read_and_printed_in_the_present_form(text):
    agent = parse_agent(text)
    assert agent.text == EARLIER[text]
    assert parse_agent(EARLIER[text]) == agent


def test_every_agent_is_read_in_its_own_form():
    """Each name of the registry makes an agent that bids if the registry says so."""
    options = {"uct": "tricks=3", "uct@2": "tricks=3", "blend": "wrp=0.5", "public": "bot=trickster"}
    options |= {"model": "folder=x", "python": "file=a.py, name=f", "http": "url=http://host"}
    for name, kind in AGENTS.items():
        text = f"{name}({options[name]})" if name in options else name
        assert parse_agent(text).text == text
        assert parse_agent(text).bids == kind.bids


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "accepted: a name such as bis"),
        ("bos", "agent is 'bos'; accepted: bis, rb"),
        ("bis(", "accepted: NAME"),
        ("bis)", "brackets that do not match"),
        ("bis(endgame=off", "with a bracket at the end"),
        ("bis(endgame=off,)", "option is ''; accepted: KEY=VALUE"),
        ("bis(nils=off, nils=on)", "option is 'nils=on'; accepted: KEY=VALUE, each key at most once"),
        ("bis(tables=)", "tables is ''; accepted: the folder"),
        ("uct(tricks=0)", "tricks is '0'; accepted: 1 to 13"),
        ("uct(5)", "option is '5'; accepted: tricks=1 to 13, samples=1 to 1048575, c=0 to 1048575"),
        ("srp(x=1)", "player is 'srp(x=1)'; accepted: wrp"),
        ("random(net=conv)", "option is 'net=conv'; accepted: random, without options"),
        ("public(bot=x)", "bot is 'x'; accepted: trickster, cards_with_cats, jus144tice"),
        ("model(kind=human)", "folder is missing; accepted: folder=the folder of a model"),
        ("bis(cards=rb)", "player is 'rb', which plays no cards; accepted: model, python, http, q@1, q, random, wrp"),
        ("bis(cards=q@1(cards=srp))", "accepted: a card player without cards=srp"),
        ("bis(cards=on)", "cards is 'on'; accepted: model, python, http, q@1, q, random, wrp"),
    ],
)
def test_texts_that_name_no_agent(text, message):
    with pytest.raises(AgentError, match=re.escape(message)):
        parse_agent(text)


def test_texts_and_options_are_inverses():
    for text in ("bis", "bis(tuned, cards=uct(tricks=5, c=9))", "model(folder=a b/c, kind=x)"):
        assert str(parse_text(text)) == text
    assert parse_text("a( b = c ,d)") == AgentText("a", {"b": "c", "d": ""})


def test_the_command_lists_agents_and_prints_their_present_form(capsys):
    assert main(["agents"]) == 0
    listed = capsys.readouterr().out
    assert all(f"{name}: " in listed for name in AGENTS)
    assert "samples=1 to 1048575: iterations for each decision (default 500)" in listed
    assert main(["agents", "uct:5,c=3"]) == 0
    assert capsys.readouterr().out == "uct(tricks=5, c=3)\n"


def test_the_page_adds_an_agent(monkeypatch):
    """Run the page's code as if it were a module of arena/called, with its name in `CALLED_AGENTS`."""
    section = PAGE.read_text(encoding="utf-8").split("\n## Add an agent\n")[1].split("\n## ")[0]
    code = re.findall(r"```python\n(.*?)```", section, re.DOTALL)[0]
    added = ModuleType("spades_only")
    monkeypatch.setitem(sys.modules, added.__name__, added)
    exec(code, vars(added))
    monkeypatch.setitem(agents.AGENTS, "spades_only", agents.kind_of_called(added.SpadesOnly))
    agents.parse_agent.cache_clear()
    found = run_match(Match("spades_only", "random", pairs=10, seed=1))
    agents.parse_agent.cache_clear()
    assert found.a == "spades_only"
    assert found.win_rate > 0.5


@pytest.mark.parametrize(
    ("preset", "answer", "error"),
    [
        ("mirror", {BID: 3}, r"bid is 3; accepted: \d+; in seed 1, pair 0, game 0, round 0, seat 0"),
        ("classic", {BID: -64}, "bid is -64; accepted: 0, 1, 2"),
        ("classic", {BID: 64}, "bid is 64; accepted: 0, 1, 2"),
        ("blind-nil", {BID: BLIND_NIL}, "bid is 14; accepted: 0, 1, 2"),  # not behind
        ("jjdd", {CARD: -1}, r"card is -1; accepted: [2-9TJQKA]"),
        ("classic", {CARD: 0}, "card is 2C; accepted: [2-9TJQKA]"),
    ],
)
def test_an_illegal_answer_is_named_with_its_position(monkeypatch, preset, answer, error):
    class Illegal(RandomAnswers):
        def answers(self, asked):
            return super().answers(asked) * (asked.question not in answer) + answer.get(asked.question, 0)

    monkeypatch.setattr(RandomPlayer, "opened", lambda *_: Illegal())
    match = Match("random", "bis", ("random", "srp"), pairs=2, rules=make_rules(preset, {"win": 100, "lose": None}))
    with pytest.raises(BidderError, match=f"Illegal: {error}"):
        run_match(match)


def test_a_bidder_without_bids_is_refused(monkeypatch):
    monkeypatch.setattr(RandomPlayer, "questions", lambda _: frozenset([CARD]))
    with pytest.raises(AgentError, match="agent is 'random', which does not answer for bids"):
        run_match(Match("random", "bis", pairs=2))


def test_a_wrong_number_of_answers_is_refused(monkeypatch):
    monkeypatch.setattr(
        RandomPlayer, "opened", lambda *_: SimpleNamespace(answers=lambda _: np.zeros(1), close=lambda: 0)
    )
    with pytest.raises(BidderError, match=r"answers have shape \(1,\); accepted: \(2,\)"):
        run_match(Match("random", "bis", pairs=2))


def test_who_plays_the_cards():
    match = Match("bis(cards=uct:3)", "rb", ("srp", "wrp"))
    assert match.players_shown == [parse_player_agent("uct:3").version(), "wrp"]
    assert Match("bis(cards=wrp)", "rb", ("srp", "srp"), mixed=True).players_shown == ["wrp", "srp@3", "srp@3", "srp@3"]
    assert Match("bis(cards=search)", "bis").searches


# ---- matches -----------------------------------------------------------------------------------------------------


def figures(match):
    """Return what a match counts, without who played it."""
    found = run_match(match).record(timing=False)
    return {name: value for name, value in found.items() if name not in ("a", "b", "players", "versions")}


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("earlier", "present"),
    [
        (("bis:tuned", "rb", ("srp@4", "wrp")), ("bis(tuned, cards=srp@4)", "rb(cards=wrp)", ("srp", "srp"))),
        (("bis", "public:jus144tice", ("srp", "srp")), ("bis", "public(bot=jus144tice)", ("srp", "srp"))),
        (("bis", "rb", ("blend:0.4", "srp")), ("bis(cards=blend(wrp=0.4))", "rb", ("srp", "srp"))),
        (("q@1", "random", ("q@1", "random")), ("q@1(cards=q@1)", "random(cards=random)", ("srp", "srp"))),
        (
            ("bis", "bis", ("search:deals=4,tricks=2", "srp")),
            ("bis(cards=search(deals=4, tricks=2))", "bis", ("srp", "srp")),
        ),
    ],
)
def test_both_forms_play_the_same_games(earlier, present):
    one, other = (Match(a, b, players, pairs=4, seed=3) for a, b, players in (earlier, present))
    assert figures(one) == figures(other)


# SRP 3 and the service's pass through the plain Python of the library, with the requests that any program gets.
SRP_OUTSIDE = """
    from spades import Position, open_tables
    from spades.bidder import decide
    from spades.cards import CARD_NAMES, STANDARD
    from spades.contract.bid_request import decide_blind_nil, read_blind
    from spades.contract.card_request import read_card
    from spades.contract.pass_request import pass_answer, read_pass
    from spades.play import srp3
    from spades.policies import parse_policy
    from spades.play import ALL_PIECES
    from spades.rules import make_rules

    TABLES = open_tables()

    class Bot:
        def bid(self, request):
            overrides = dict(request["rules"])
            rules = make_rules(overrides.pop("preset"), overrides)
            position = Position.of(
                request["hand"],
                [14 if bid == "blind_nil" else bid for bid in request["previous_bids"]],
                rules=rules,
                **request["scores"],
            )
            return decide(position, parse_policy("bis"), TABLES, explain=False).bid

        def card(self, request):
            state = read_card(request).state
            seat = request["seat"]
            state.pieces[seat] = ALL_PIECES
            return {"card": CARD_NAMES[STANDARD][srp3(state, seat)]}

        def pass_cards(self, request):
            return pass_answer(read_pass(request))

        def blind(self, request):
            request = request | {"policy": "bis:blind=on"}
            return {"blind_nil": decide_blind_nil(read_blind(request), TABLES).blind_nil}
"""


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("preset", "first"),
    [
        ("classic", False),
        ("pass-2", True),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in (("pass-2", False), ("pass-4", False), ("pass-4", True))
        ),
    ],
)
def test_a_program_that_plays_as_srp_plays_the_games_of_srp(bidder_file, preset, first):
    rules = make_rules(preset, {"win": 200, "lose": -100, "nil_passes_first": first})
    bot = f"python(file={bidder_file(SRP_OUTSIDE)}, name=Bot)"
    inside = figures(Match("bis", "rb", pairs=6, seed=3, rules=rules))
    match = Match(bot, "rb", pairs=6, seed=3, rules=rules)
    assert match.players_shown == [bot, "srp@3"]
    assert figures(match) == inside
    assert figures(Match("bis", f"rb(cards={bot})", pairs=6, seed=3, rules=rules)) == inside


@pytest.mark.compiled
def test_a_program_decides_about_blind_nils(bidder_file):
    rules = make_rules("classic", {"win": 300, "blind_nil": True})
    bot = f"python(file={bidder_file(SRP_OUTSIDE)}, name=Bot)"
    found = run_match(Match(bot, "rb", pairs=15, seed=3, rules=rules))
    assert {row["side"] for row in found.bids if row["bid"] == "blind_nil"} == {"a"}


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("bid(self, request): return 14", "found answer 14; accepted: bid: one of 0, 1, 2"),
        ("card(self, request): return request['hand'][0][1]", "accepted: card: one of "),
        ("card(self, request): return {'cards': ['AS']}", r"found answer {'cards': \['AS'\]}; accepted: card: one of "),
        ("pass_cards(self, request): return request['hand'][:3]", "accepted: cards: a list of 2 of "),
        ("blind(self, request): return 1", "found answer 1; accepted: blind_nil: false"),
    ],
)
def test_a_wrong_answer_names_the_position(bidder_file, method, message):
    rules = make_rules("pass-2", {"win": 200, "blind_nil": True})
    file = bidder_file(f"class Base:\n    def bid(self, request): return 0\nclass Bot(Base):\n    def {method}\n")
    with pytest.raises(BidderError, match=message) as wrong:
        run_match(Match(f"python:{file}:Bot", "rb", pairs=2, seed=3, rules=rules))
    text = str(wrong.value)
    assert re.search(r"in seed 3, pair \d, game \d, round 0, seat \d, to the request {", text)


@pytest.mark.server
@pytest.mark.compiled
def test_the_service_plays_whole_games(server):
    """Bids, passes and cards of a real server: those of `bis` with `srp@4`. It decides about blind nils too."""
    rules = make_rules("pass-2", {"win": 200, "lose": -100})
    agent = f"http(url={server.url}, policy=bis, cards=on, passes=on)"
    match = Match(agent, "rb", ("srp@4", "srp"), pairs=10, seed=3, rules=rules)
    outside = figures(match)
    assert match.players_shown == [agent, "srp@3"]
    rules = rules._replace(blind_nil=1)
    assert run_match(Match(f"{server.url}/bid(blind=on)", "rb", pairs=2, seed=3, rules=rules)).games == 4
    assert outside == figures(Match("bis", "rb", ("srp@4", "srp"), pairs=10, seed=3, rules=rules._replace(blind_nil=0)))


@pytest.mark.compiled
def test_the_example_bot_plays_whole_games():
    found = run_match(Match("python(file=examples/my_bot.py, name=Bot)", "fixed:bid=3", pairs=20, rules=PAPER_RULES))
    assert found.games == 40
    assert found.players == ["python(file=examples/my_bot.py, name=Bot)", "srp@3"]


def test_the_example_bot_needs_nothing():
    program = "import sys; sys.path.insert(0, 'examples'); import my_bot; "
    program += "print(my_bot.Bot().bid({'hand': ['AS', 'KH', '2C'], 'previous_bids': [3, 1]}))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "2\n"
