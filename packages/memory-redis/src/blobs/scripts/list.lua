-- The blobs of a conversation.
--
-- KEYS  1 records, as in put.lua
--
-- Returns, of each blob, hash, size, token and 1 if it is held, else 0.

--@include clock.lua

local now = clock()
local records, held, reply = redis.call('HGETALL', KEYS[1]), {}, {}
for at = 1, #records, 2 do
  local field = records[at]
  if string.sub(field, 1, 1) == 'h' and tonumber(records[at + 1]) > now then held[string.sub(field, 2, 65)] = true end
end
for at = 1, #records, 2 do
  local field = records[at]
  if string.sub(field, 1, 1) == 'b' then
    local hash = string.sub(field, 2)
    local size, token = string.match(records[at + 1], '^(%d+) (.*)$')
    reply[#reply + 1] = hash
    reply[#reply + 1] = size
    reply[#reply + 1] = token
    reply[#reply + 1] = held[hash] and 1 or 0
  end
end
return reply
