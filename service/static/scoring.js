// The score of a round by the rules. tests/browser compares it with the service's own scoring.

const TEN = 10;
const TEN_POINTS = 200;

const isNil = (bid) => bid === 0;

function withBags(points, spilled, bags, rules) {
  if (!rules.bags) return { points, bags };
  let total = points + spilled;
  let left = bags + spilled;
  while (left >= rules.bag_limit) {
    left -= rules.bag_limit;
    total -= rules.bag_penalty;
  }
  return { points: total, bags: left };
}

/** Return a side's points in a round and its bags after it; `players`: bid and taken tricks of both partners. */
export function scoreSide(players, bags, rules) {
  let [points, contract, made, spilled] = [0, 0, 0, 0];
  for (const { bid, taken } of players) {
    if (!isNil(bid)) {
      contract += bid;
      made += taken;
      continue;
    }
    points += taken ? -rules.nil_points : rules.nil_points;
    if (rules.failed_nil_tricks === "contract") made += taken;
    else if (rules.failed_nil_tricks === "bags") spilled += taken;
  }
  const worth = rules.ten_for_200 && contract === TEN ? TEN_POINTS : 10 * contract;
  if (made < contract) return withBags(points - worth, spilled, bags, rules);
  return withBags(points + worth, spilled + made - contract, bags, rules);
}

/** Return the same of a player who plays alone. */
export function scoreSeat({ bid, taken }, bags, rules) {
  if (isNil(bid)) return withBags(taken ? -rules.nil_points : rules.nil_points, taken, bags, rules);
  if (taken < bid) return { points: -10 * bid, bags };
  return withBags(10 * bid, taken - bid, bags, rules);
}
