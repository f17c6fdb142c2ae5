-- Hands out entries of the list of all jobs that are due, each to one caller.
--
-- KEYS  1 list of all jobs
-- ARGV  1 for how long they are handed out, in ms   2 at most this many
--
-- Returns the entries, the oldest first.

--@include ../../scripts/clock.lua

local now = clock()
local entries = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[2])
for _, entry in ipairs(entries) do redis.call('ZADD', KEYS[1], now + ARGV[1], entry) end
return entries
