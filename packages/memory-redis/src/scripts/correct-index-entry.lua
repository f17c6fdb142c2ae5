-- Corrects an entry of an index that a reader has found to be wrong, unless it has changed since.
--
-- KEYS  1 index
-- ARGV  1 conversation id   2 the wrong score   3 last activity in ms
--       4 the marker of imports.lua   5 when the conversation was seen, in ms

--@include imports.lua

local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if score and tonumber(score) == tonumber(ARGV[2]) then
  if tonumber(ARGV[3]) < tonumber(score) then mark_import(ARGV[4], tonumber(ARGV[5])) end
  redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
end
return 1
