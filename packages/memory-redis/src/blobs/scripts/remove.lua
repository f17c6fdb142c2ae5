-- Removes blobs whose tokens are as they were listed.
--
-- KEYS  1 records, as in put.lua   2 … bytes of each   last: conversations that are due, where ARGV[1] is not ''
-- ARGV  1 conversation id, or '' where what is due may lie on another server   2 … hash and token of each blob
--
-- Returns how many were removed, and 1 if there are others, else 0.

local gone, removed = {}, 0
for at = 2, #ARGV, 2 do
  local token = string.match(redis.call('HGET', KEYS[1], 'b' .. ARGV[at]) or '', '^%d+ (.*)$')
  if token == ARGV[at + 1] then
    redis.call('UNLINK', KEYS[at / 2 + 1])
    redis.call('HDEL', KEYS[1], 'b' .. ARGV[at])
    gone[ARGV[at]] = true
    removed = removed + 1
  end
end
-- Holds that are over, of writers that crashed.
if removed > 0 then
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.sub(field, 1, 1) == 'h' and gone[string.sub(field, 2, 65)] then redis.call('HDEL', KEYS[1], field) end
  end
end
local others = redis.call('EXISTS', KEYS[1])
if ARGV[1] ~= '' and others == 0 then redis.call('ZREM', KEYS[#KEYS], ARGV[1]) end
return { removed, others }
