-- Tells the indexes of a user that a turn has ended, where `append.lua` can't.
--
-- KEYS  1 the user's turns   2 the user's open turns
-- ARGV  1 the turn's name   2 its state   3 how long it is kept, in milliseconds
--
-- Returns 1.

--@include clock.lua
--@include heads.lua

redis.call('ZADD', KEYS[1], digits(clock() + ARGV[3] * 1000), ARGV[1])
extend(KEYS[1], ARGV[3])
if ARGV[2] == 'ended' then redis.call('ZREM', KEYS[2], ARGV[1]) else extend(KEYS[2], ARGV[3]) end
return 1
