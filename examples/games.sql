-- Tables of games as a studio may have them. examples/export.sql makes a log of them. A chair is a fixed place at the
-- table, 0 to 3 clockwise; chairs 0 and 2 are one side, 1 and 3 the other.
CREATE TABLE games (game_id text, goal int, losing_goal int, winner int);  -- winner: 0 for chairs 0 and 2, 1, or null
CREATE TABLE rounds (game_id text, round_no int, started_at timestamptz, first_chair int,  -- round_no: from 0
  points_02 int, points_13 int, bags_02 int, bags_13 int);  -- of both sides, before the round
CREATE TABLE bids (game_id text, round_no int, chair int, bid int,  -- 0: nil, 14: blind nil
  tricks int, bot text, skill text);  -- bot: how a bot bids, null for a person
CREATE TABLE cards (game_id text, round_no int, chair int, rank text, suit text,  -- such as 'T' and 'S'
  play_no int);  -- 0 to 51 in the order of play, null if the card was not played
