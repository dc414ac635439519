-- One record of the game log (docs/reference/game-log.md) in each row, from the tables of examples/games.sql. Rounds
-- without four bids are left out, and nobody's id is in it. Chairs become seats: the first bidder of a round is seat 0.
-- For PostgreSQL; DuckDB runs it too.
SELECT row_to_json(record) FROM (
  WITH seats AS (
    SELECT bids.*, (chair - first_chair + 4) % 4 AS seat
    FROM bids JOIN rounds USING (game_id, round_no)
  ),
  hands AS (
    SELECT game_id, round_no, chair,
      coalesce(string_agg(rank, '') FILTER (WHERE suit = 'S'), '') || '.' ||
      coalesce(string_agg(rank, '') FILTER (WHERE suit = 'H'), '') || '.' ||
      coalesce(string_agg(rank, '') FILTER (WHERE suit = 'D'), '') || '.' ||
      coalesce(string_agg(rank, '') FILTER (WHERE suit = 'C'), '') AS hand
    FROM cards GROUP BY game_id, round_no, chair
  ),
  by_seat AS (
    SELECT game_id, round_no,
      array_agg(hand ORDER BY seat) AS hands,
      array_agg(bid ORDER BY seat) AS bids,
      CASE WHEN count(tricks) = 4 THEN array_agg(tricks ORDER BY seat) END AS tricks,
      array_agg((SELECT row_to_json(label) FROM (
        SELECT CASE WHEN bot IS NULL THEN 'human' ELSE 'bot' END AS kind, bot AS policy, skill
      ) label) ORDER BY seat) AS labels
    FROM seats LEFT JOIN hands USING (game_id, round_no, chair)
    GROUP BY game_id, round_no HAVING count(bid) = 4
  ),
  played AS (
    SELECT game_id, round_no, array_agg(rank || suit ORDER BY play_no) AS plays
    FROM cards GROUP BY game_id, round_no HAVING count(play_no) = 52
  )
  SELECT 1 AS format, game_id AS game, round_no AS round,
    replace(CAST(started_at AT TIME ZONE 'UTC' AS text), ' ', 'T') || 'Z' AS time,
    (SELECT row_to_json(rules) FROM (SELECT 'classic' AS preset, goal AS win, losing_goal AS lose) rules) AS rules,
    hands, bids, tricks, plays,
    CASE first_chair % 2 WHEN 0 THEN ARRAY[points_02, points_13] ELSE ARRAY[points_13, points_02] END AS scores,
    CASE first_chair % 2 WHEN 0 THEN ARRAY[bags_02, bags_13] ELSE ARRAY[bags_13, bags_02] END AS bags,
    labels,
    CASE WHEN winner IS NOT NULL THEN (winner + first_chair) % 2 END AS winner
  FROM rounds JOIN games USING (game_id) JOIN by_seat USING (game_id, round_no)
    LEFT JOIN played USING (game_id, round_no)
  ORDER BY game_id, round_no
) record;
