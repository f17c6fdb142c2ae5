-- A part of an index.
--
-- KEYS  1 index
-- ARGV  1 'newest' or 'oldest' first   2 lowest score   3 highest score   4 at most this many
--
-- Returns conversation ids and scores in turn. Among equal scores, ids are in the same direction, by their bytes.

local low, high = ARGV[2], ARGV[3]
if ARGV[1] == 'newest' then
  return redis.call('ZREVRANGEBYSCORE', KEYS[1], high, low, 'WITHSCORES', 'LIMIT', 0, ARGV[4])
end
return redis.call('ZRANGEBYSCORE', KEYS[1], low, high, 'WITHSCORES', 'LIMIT', 0, ARGV[4])
