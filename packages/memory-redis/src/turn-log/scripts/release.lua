-- Ends the lease of a turn's writer.
--
-- KEYS  1 hash of the turn   2 running turns: absent where they may lie on another server
-- ARGV  1 token   2 the turn's name in the index
--
-- Returns 1 if the writer had it, else 0.

--@include clock.lua

local token, state = unpack(redis.call('HMGET', KEYS[1], 'token', 'state'))
if token ~= ARGV[1] or state ~= 'running' then return 0 end
local now = digits(clock())
redis.call('HSET', KEYS[1], 'lease', now)
if KEYS[2] then redis.call('ZADD', KEYS[2], now, ARGV[2]) end
return 1
