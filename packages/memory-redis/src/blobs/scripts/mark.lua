-- Records that something was put in a conversation, where `put.lua` can't.
--
-- KEYS  1 conversations that are due
-- ARGV  1 conversation id
--
-- Returns 1.

--@include clock.lua

redis.call('ZADD', KEYS[1], digits(clock()), ARGV[1])
return 1
