-- Notes that the indexes of a conversation were kept for its ttl.
--
-- KEYS  1 conversation
-- ARGV  1 when, in ms

if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], 'indexedAt', ARGV[1]) end
return 1
