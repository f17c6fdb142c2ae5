-- Puts a hold on those blobs that are there.
--
-- KEYS  1 records, as in put.lua
-- ARGV  1 id of the hold   2 its seconds   3 … hashes of blobs
--
-- Returns the hashes of those that are there.

--@include clock.lua

local kept, over = {}, digits(clock() + ARGV[2] * 1000000)
for at = 3, #ARGV do
  local size = string.match(redis.call('HGET', KEYS[1], 'b' .. ARGV[at]) or '', '^%d+')
  if size then
    redis.call('HSET', KEYS[1], 'b' .. ARGV[at], size .. ' ' .. ARGV[1], 'h' .. ARGV[at] .. ARGV[1], over)
    kept[#kept + 1] = ARGV[at]
  end
end
return kept
