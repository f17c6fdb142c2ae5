-- Gives a conversation its place in an index, once it is written, and keeps the index for as long as it needs.
--
-- KEYS  1 index
-- ARGV  1 conversation id   2 last activity in ms   3 ttl in ms, 0 for none   4 '1' to keep the index for that ttl
--       5 a wrong score, or '': mend the entry if it still has that one   6 '1' if the caller waits for replicas

--@include confirm.lua
--@include keep-index.lua

local score = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0)
local reserved = score % 1 ~= 0
local outdated = reserved or score < tonumber(ARGV[2])
if ARGV[5] ~= '' then outdated = score == tonumber(ARGV[5]) end
if outdated then
  redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
elseif ARGV[6] == '1' and score > 0 then
  confirm(KEYS[1], ARGV[1], score)
end
if ARGV[4] == '1' then
  local ttl = tonumber(ARGV[3])
  keep_index(KEYS[1], ttl > 0 and ttl or nil)
end
return 1
