-- Stores until when the entries of a turn in the indexes of its user live, once they do.
--
-- KEYS  1 hash of the turn
-- ARGV  1 token
--
-- Returns 1 if the writer has the turn, else 0.

--@include clock.lua

local token, keepMs = unpack(redis.call('HMGET', KEYS[1], 'token', 'keepMs'))
if token ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'indexed', digits(clock() + 2000 * keepMs))
return 1
