-- Enters a turn into the list of running ones, where its own script can't.
--
-- KEYS  1 running turns, by the ends of their leases
-- ARGV  1 the turn's name   2 for how long its writer has it, in milliseconds
--
-- Returns 1.

--@include clock.lua

redis.call('ZADD', KEYS[1], digits(clock() + ARGV[2] * 1000), ARGV[1])
return 1
