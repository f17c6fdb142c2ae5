-- Erases the turns of a conversation.
--
-- KEYS  1 turns of the conversation
-- ARGV  1 what the hash of a turn begins with, before its id   2 what its events' key begins with   3 a user id, or '': only
--       that user's turns
--
-- Returns of each that there was its id and its user's.

local erased, others = {}, 0
for _, turn in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local user = redis.call('HGET', ARGV[1] .. turn, 'user')
  if user and (ARGV[3] == '' or user == ARGV[3]) then
    erased[#erased + 1] = turn
    erased[#erased + 1] = user
    redis.call('UNLINK', ARGV[1] .. turn, ARGV[2] .. turn)
  elseif user then
    others = others + 1
  end
end
if others == 0 then redis.call('UNLINK', KEYS[1]) end
return erased
