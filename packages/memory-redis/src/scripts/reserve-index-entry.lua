-- Enters a conversation in an index before it is written, where both can't be done in one step: a crash in between
-- leaves an entry without a conversation, which readers pass over and later take away, and never the reverse.
--
-- KEYS  1 index   2 the tombstone of the user whose index it is, if that is asked for
-- ARGV  1 conversation id   2 time in ms   3 ttl in ms, 0 for none   4 what the tombstone may hold, if it is asked for
--
-- Returns what the tombstone holds, or ''. Where that forbids the write, nothing is entered. Whoever clears the user sets that first and then looks at the entries: so
-- either this sees the tombstone, or the entry is seen.
--
-- The score lies ahead of every reader's clock, so that none takes the entry away while it is waiting for its
-- conversation; the half millisecond tells it from a final one.

--@include index-ttl.lua
--@include reserved-ms.lua

local tombstone = KEYS[2] and redis.call('GET', KEYS[2]) or ''
if tombstone ~= '' and tombstone ~= ARGV[4] then return tombstone end
local ttl = tonumber(ARGV[3])
enter_index(KEYS[1], ARGV[1], ARGV[2] + RESERVED_MS + 0.5, ttl > 0 and math.max(ttl, RESERVED_MS) or nil)
return tombstone
