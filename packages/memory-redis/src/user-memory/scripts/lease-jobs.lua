-- Hands out entries of the list of all jobs, each to one caller.
--
-- KEYS  1 list of all jobs
-- ARGV  1 the time   2 until when they are handed out   3 at most this many
--
-- Returns the entries, the oldest first.

local entries = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, entry in ipairs(entries) do redis.call('ZADD', KEYS[1], ARGV[2], entry) end
return entries
