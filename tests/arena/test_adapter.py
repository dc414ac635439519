"""examples/jus144tice/server.mjs, with a small program in place of the real one, of which nothing is stored here."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.conftest import ROOT
from tests.patience import LIMIT_S

pytestmark = [
    pytest.mark.slow,
    pytest.mark.needs("node"),
]

# The functions that the server calls. They answer with what they were given, as far as a bid and a card can say it.
BOT = """
import { writeFileSync } from 'node:fs';
const note = (name, content) => writeFileSync(new URL(name, import.meta.url), JSON.stringify(content));
export function botBid(hand, partnerBid, opponentBids, game, botId) {
  const { scores, books, settings } = game;
  note('bid.json', { hand, partnerBid, opponentBids, scores, books, settings, botId });
  return 9;
}
export function botPlayCard(hand, game, botId) {
  note('card.json', { hand, bids: game.bids, tricksTaken: game.tricksTaken, broken: game.spadesBroken,
    trick: game.currentTrick, played: game.cardsPlayed.length, botId });
  return hand[0];
}
"""
GAME_STATE = """
export class GameState {
  constructor(players, preferences, settings) {
    Object.assign(this, { settings, bids: {}, tricksTaken: {}, currentTrick: [], cardsPlayed: [] });
    this.spadesBroken = false;
    for (const player of players) this.tricksTaken[player.id] = 0;
  }
  sortHand(hand) { return hand; }
}
"""
TRICKS = "export const determineTrickWinner = (trick) => trick.at(-1).playerId;"  # here, the last card wins

SCORES = {"us": 120, "them": 95, "us_bags": 3, "them_bags": 5}


@pytest.fixture
def program(tmp_path) -> Path:
    (tmp_path / "package.json").write_text('{"type": "module"}')
    for name, text in (("botAI.js", BOT), ("game/GameState.js", GAME_STATE), ("game/tricks.js", TRICKS)):
        path = tmp_path / "server" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.fixture
def url(program) -> Iterator[str]:
    command = ["node", str(ROOT / "examples/jus144tice/server.mjs"), str(program)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
        process.kill()


def test_a_bid(program, url):
    request = {"hand": ["TS", "2H"], "previous_bids": [6, 4], "seat": 2, "scores": SCORES, "rules": {"win": 200}}
    answer = httpx.post(f"{url}/v1/bid", json=request, timeout=LIMIT_S)
    assert answer.json() == {"bid": 7}, "with partner's 6, at most 13"
    asked = json.loads((program / "server/bid.json").read_text())
    assert asked["hand"] == [{"rank": "10", "suit": "S"}, {"rank": "2", "suit": "H"}]
    assert (asked["partnerBid"], asked["opponentBids"], asked["botId"]) == (6, [4, None], "seat 2")
    assert (asked["scores"], asked["books"]) == ({"team1": 120, "team2": 95}, {"team1": 3, "team2": 5})
    assert asked["settings"]["winTarget"] == 200


def test_cards_in_a_batch(program, url):
    tricks = [["AH", "KH", "QH", "2S"], ["AD"]]
    request = {"hand": ["AH", "TC", "3D"], "bids": [3, 3, 0, 4], "seat": 0, "scores": SCORES, "tricks": tricks}
    answer = httpx.post(f"{url}/v1/cards", json={"requests": [request]}, timeout=LIMIT_S)
    assert answer.json() == {"answers": [{"status": 200, "body": {"card": "TC"}}]}
    asked = json.loads((program / "server/card.json").read_text())
    assert asked["tricksTaken"] == {"seat 0": 0, "seat 1": 0, "seat 2": 0, "seat 3": 1}
    assert asked["trick"] == [{"playerId": "seat 3", "card": {"rank": "A", "suit": "D"}}]
    assert (asked["played"], asked["broken"], asked["bids"]["seat 2"]) == (4, True, 0)


def test_an_unknown_path_names_the_accepted_ones(url):
    answer = httpx.post(f"{url}/v1/pass", json={}, timeout=LIMIT_S)
    assert answer.status_code == 404
    assert "accepted: /v1/bid, /v1/card, /v1/bids, /v1/cards" in answer.json()["detail"]
