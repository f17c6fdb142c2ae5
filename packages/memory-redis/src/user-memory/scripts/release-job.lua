-- Sets when a job can be handed out again, if its entry is there.
--
-- KEYS  1 list of all jobs
-- ARGV  1 entry   2 in how long, in ms

--@include ../../scripts/clock.lua

return redis.call('ZADD', KEYS[1], 'XX', clock() + ARGV[2], ARGV[1])
