// The score of a round by the rules. tests/browser compares it with the service's own scoring.

const TEN = 10;
const TEN_POINTS = 200;
const ALL_TRICKS = 13;

const isNil = (bid) => bid === 0;

function withBags(points, spilled, bags, rules) {
  if (!rules.bags) return { points, bags };
  let total = points + rules.bag_points * spilled;
  let left = bags + spilled;
  while (left >= rules.bag_limit) {
    left -= rules.bag_limit;
    total -= rules.bag_penalty;
  }
  return { points: total, bags: left };
}

const trickPoints = (contract, rules) => (rules.ten_for_200 && contract === TEN ? TEN_POINTS : 10 * contract);

/** Return the points lost with a contract that misses `missing` tricks. */
function pointsIfSet(contract, missing, rules) {
  if (rules.set_points === "none") return 0;
  return rules.set_points === "missing" ? 10 * missing : trickPoints(contract, rules);
}

/** Return a side's points in a round and its bags after it; `players`: bid and taken tricks of both partners. */
export function scoreSide(players, bags, rules) {
  const all = players.reduce((sum, { taken }) => sum + taken, 0);
  const double = rules.double_nil_points !== null && players.every(({ bid }) => isNil(bid));
  let [contract, made, spilled] = [0, 0, 0];
  let points = all === ALL_TRICKS ? rules.slam_points : 0;
  if (double) points += all ? -rules.double_nil_points : rules.double_nil_points;
  for (const { bid, taken } of players) {
    if (!isNil(bid)) {
      contract += bid;
      made += taken;
      continue;
    }
    if (!double) points += taken ? -rules.nil_points : rules.nil_points;
    if (rules.failed_nil_tricks === "contract") made += taken;
    else if (rules.failed_nil_tricks === "bags") spilled += taken;
  }
  if (made < contract) return withBags(points - pointsIfSet(contract, contract - made, rules), spilled, bags, rules);
  return withBags(points + trickPoints(contract, rules), spilled + made - contract, bags, rules);
}

/** Return the same of a player who plays alone. */
export function scoreSeat({ bid, taken }, bags, rules) {
  const slam = taken === ALL_TRICKS ? rules.slam_points : 0;
  if (isNil(bid)) return withBags(taken ? slam - rules.nil_points : rules.nil_points, taken, bags, rules);
  if (taken < bid) return { points: -pointsIfSet(bid, bid - taken, rules), bags };
  return withBags(slam + trickPoints(bid, rules), taken - bid, bags, rules);
}
