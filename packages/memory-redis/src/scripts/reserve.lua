-- Enters a conversation in an index before it is written, where both can't be done in one step: a crash in between
-- leaves an entry without a conversation, which readers pass over and later take away, and never the reverse.
--
-- KEYS  1 index
-- ARGV  1 conversation id   2 time in ms   3 ttl in ms, 0 for none
--
-- The score lies ahead of every reader's clock, so that none takes the entry away while it is waiting for its
-- conversation; the half millisecond tells it from a final one.

--@include keep-index.lua
--@include reserved-ms.lua

local ttl = tonumber(ARGV[3])
enter_index(KEYS[1], ARGV[1], ARGV[2] + RESERVED_MS + 0.5, ttl > 0 and math.max(ttl, RESERVED_MS) or nil)
return 1
