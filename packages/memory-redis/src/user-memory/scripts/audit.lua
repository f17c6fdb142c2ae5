-- A part of a user's audit trail, and the head that it belongs to.
--
-- KEYS  1 head   2 audit
-- ARGV  1 first position, from 0   2 last
--
-- Returns { version, epoch, state, number of entries, entries }, the first three '' where there is no head.

local head = redis.call('HMGET', KEYS[1], 'version', 'epoch', 'state')
local entries = redis.call('LRANGE', KEYS[2], ARGV[1], ARGV[2])
return { head[1] or '', head[2] or '', head[3] or '', redis.call('LLEN', KEYS[2]), entries }
