-- Gives the reserved entry of a conversation its final score, once the conversation is written.
--
-- KEYS  1 index
-- ARGV  1 conversation id   2 last activity in ms   3 '1' if the caller waits for replicas
--       4 of an import: the marker of imports.lua   5 when it was written, in ms

--@include imports.lua

if ARGV[4] then mark_import(ARGV[4], tonumber(ARGV[5])) end
local score = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0)
local reserved = score % 1 ~= 0
if reserved or score < tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
elseif ARGV[3] == '1' then
  -- WAIT counts from this connection's last write, and a command that changes nothing is none: change the entry, and
  -- change it back, so that replicas which have that have the entry, too.
  redis.call('ZADD', KEYS[1], score + 1, ARGV[1])
  redis.call('ZADD', KEYS[1], score, ARGV[1])
end
return 1
