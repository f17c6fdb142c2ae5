-- The conversations with blobs that were swept longest ago. Their idle time starts again.
--
-- KEYS  1 conversations that are due
-- ARGV  1 how many, at most   2 for how many seconds they have waited, at least
--
-- Returns their ids.

--@include clock.lua

local now = clock()
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', digits(now - ARGV[2] * 1000000), 'LIMIT', 0, ARGV[1])
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[1], digits(now), id) end
return ids
