-- Enters a conversation in an index before it is written, where both can't be done in one step: a crash in between
-- leaves an entry without a conversation, which readers pass over and later take away, and never the reverse.
--
-- KEYS  1 index
-- ARGV  1 conversation id   2 time in ms   3 '1' if the conversation is about to be created
--       4 '1' if the caller waits for replicas
--
-- The score lies ahead of every reader's clock, so that none takes the entry away while it is waiting for its
-- conversation; the half millisecond tells it from a final one.

--@include confirm.lua

local RESERVED_MS = 60000
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if ARGV[3] == '1' or not score then
  redis.call('ZADD', KEYS[1], ARGV[2] + RESERVED_MS + 0.5, ARGV[1])
elseif ARGV[4] == '1' then
  confirm(KEYS[1], ARGV[1], score)
end
return 1
