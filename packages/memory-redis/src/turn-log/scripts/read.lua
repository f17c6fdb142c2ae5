-- Events of a turn.
--
-- KEYS  1 turns of the conversation
-- ARGV  1 turn id, or '' for the latest   2 what the hash of a turn begins with, before its id   3 what its events' key begins
--       with   4 number of the first event   5 how many, at most
--
-- Returns the turn and its events; nothing if there is no such turn.

--@include heads.lua

local turn = ARGV[1]
if turn == '' then
  for _, candidate in ipairs(redis.call('ZREVRANGE', KEYS[1], 0, 9)) do
    if redis.call('EXISTS', ARGV[2] .. candidate) == 1 then turn = candidate break end
  end
  if turn == '' then return {} end
end
local found = head(ARGV[2] .. turn)
if not found[1] then return {} end
return { found, redis.call('LRANGE', ARGV[3] .. turn, ARGV[4], ARGV[4] + ARGV[5] - 1) }
