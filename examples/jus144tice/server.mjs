// Lets the bot of Jus144tice/spades (https://github.com/Jus144tice/spades, Apache-2.0) play in the arena: it answers
// POST /v1/bid and /v1/card, and batches of them, with the program's own functions. It needs Node 20 and a copy of the
// program, of which nothing is stored here:
//
//     git clone https://github.com/Jus144tice/spades bot
//     node examples/jus144tice/server.mjs bot 9000
//     .venv/bin/python -m arena match --a winprob --b "http(url=http://127.0.0.1:9000, cards=on)"
//
// It plays rules without blind bids, in which the first bidder leads. The answer depends only on the request: the
// program's random numbers are seeded with the request's text.
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, port = '0'] = process.argv.slice(2);
if (!folder) {
  console.error('usage: node server.mjs FOLDER [PORT]; FOLDER is a copy of Jus144tice/spades');
  process.exit(2);
}
const load = (file) => import(pathToFileURL(resolve(folder, 'server', file)));
const { botBid, botPlayCard } = await load('botAI.js');
const { GameState } = await load('game/GameState.js');
const { determineTrickWinner } = await load('game/tricks.js');

const SEATS = [0, 1, 2, 3];
const PLAYERS = SEATS.map((seat) => ({ id: `seat ${seat}`, name: `seat ${seat}`, team: 1 + (seat % 2), seatIndex: seat }));
const RULES = { win: 500, bag_limit: 10 }; // the values of a request that leaves them out

// The program writes a ten as "10", the arena as "T".
const cardOf = (name) => ({ rank: name[0] === 'T' ? '10' : name.slice(0, -1), suit: name.at(-1) });
const nameOf = (card) => (card.rank === '10' ? 'T' : card.rank) + card.suit;

// The program's state of a game, as the player sees it. Their scores and bags are "scores" and "books".
function gameOf(request, bids) {
  const { win, bag_limit: bookThreshold } = { ...RULES, ...request.rules };
  const settings = { winTarget: win, bookThreshold, blindNil: false, tenBidBonus: false };
  const game = new GameState(PLAYERS, {}, settings);
  const { us, them, us_bags: ourBags, them_bags: theirBags } = request.scores;
  const [own, other] = request.seat % 2 === 0 ? ['team1', 'team2'] : ['team2', 'team1'];
  game.scores = { [own]: us, [other]: them };
  game.books = { [own]: ourBags, [other]: theirBags };
  bids.forEach((bid, seat) => { game.bids[PLAYERS[seat].id] = bid; });
  return game;
}

function answerBid(request) {
  const { seat, previous_bids: bids } = request;
  const game = gameOf(request, bids);
  const hand = game.sortHand(request.hand.map(cardOf));
  const partner = bids[seat ^ 2];
  const opponents = [(seat + 1) % 4, (seat + 3) % 4].sort().map((other) => bids[other]);
  const bid = botBid(hand, partner, opponents, game, PLAYERS[seat].id);
  // The arena's rules let partners bid 13 tricks together; the program may bid more.
  return { bid: Math.min(bid, 13 - (partner ?? 0)) };
}

function answerCard(request) {
  const { seat, tricks } = request;
  const game = gameOf(request, request.bids);
  const played = new Set(tricks.flat());
  let leader = 0; // seat 0 leads the first trick
  for (const names of tricks) {
    const trick = names.map((name, index) => ({ playerId: PLAYERS[(leader + index) % 4].id, card: cardOf(name) }));
    game.spadesBroken ||= trick.some((play) => play.card.suit === 'S');
    if (trick.length < 4) {
      game.currentTrick = trick;
    } else {
      const winner = determineTrickWinner(trick);
      leader = PLAYERS.findIndex((player) => player.id === winner);
      game.tricksTaken[winner] += 1;
      game.cardsPlayed.push(...trick);
    }
  }
  const hand = game.sortHand(request.hand.filter((name) => !played.has(name)).map(cardOf));
  return { card: nameOf(botPlayCard(hand, game, PLAYERS[seat].id)) };
}

// Replace Math.random by numbers that follow from a text (FNV-1a, then mulberry32).
function seedRandom(text) {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function answerWith(answer, request) {
  seedRandom(JSON.stringify(request));
  return answer(request);
}

const ANSWERS = { '/v1/bid': answerBid, '/v1/card': answerCard };
const BATCHES = { '/v1/bids': answerBid, '/v1/cards': answerCard };

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const reply = (status, content) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(content));
    };
    try {
      const asked = JSON.parse(Buffer.concat(chunks));
      if (ANSWERS[request.url]) {
        reply(200, answerWith(ANSWERS[request.url], asked));
      } else if (BATCHES[request.url]) {
        const answers = asked.requests.map((one) => ({ status: 200, body: answerWith(BATCHES[request.url], one) }));
        reply(200, { answers });
      } else {
        reply(404, { detail: `${request.url}: no such path; accepted: ${Object.keys({ ...ANSWERS, ...BATCHES }).join(', ')}` });
      }
    } catch (error) {
      reply(500, { detail: String(error.stack) });
    }
  });
}).listen(Number(port), '127.0.0.1', function listening() {
  console.log(`running on http://127.0.0.1:${this.address().port}`);
});
