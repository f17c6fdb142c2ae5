-- Stores a blob, or stores it again, with a hold on it.
--
-- KEYS  1 records: a hash in which 'b' and the hash of a blob lead to its size and token, 'h', the hash and the id of a hold
--         to when the hold is over
--       2 bytes   3 conversations that are due, absent where that may lie on another server
-- ARGV  1 hash of the blob   2 size   3 id of the hold   4 its seconds   5 the bytes, base64   6 conversation id
--
-- Returns 1.

--@include clock.lua

local now = clock()
redis.call('SET', KEYS[2], ARGV[5])
redis.call('HSET', KEYS[1], 'b' .. ARGV[1], ARGV[2] .. ' ' .. ARGV[3], 'h' .. ARGV[1] .. ARGV[3],
  digits(now + ARGV[4] * 1000000))
if KEYS[3] then redis.call('ZADD', KEYS[3], digits(now), ARGV[6]) end
return 1
