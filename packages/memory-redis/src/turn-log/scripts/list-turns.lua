-- Turns of a conversation, the latest first.
--
-- KEYS  1 turns of the conversation
-- ARGV  1 what the hash of a turn begins with, before its id   2 how many, at most
--
-- Returns them.

--@include heads.lua

local found = {}
for _, turn in ipairs(redis.call('ZREVRANGE', KEYS[1], 0, -1)) do
  local each = head(ARGV[1] .. turn)
  if each[1] then found[#found + 1] = each end
  if #found == tonumber(ARGV[2]) then break end
end
return found
