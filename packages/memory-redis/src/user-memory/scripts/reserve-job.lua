-- Makes a job's entry in the list of all, before the job is written. A crash in between leaves an entry without a job,
-- which `lease` takes away, and never a job that nobody finds.
--
-- KEYS  1 list of all jobs
-- ARGV  1 entry   2 for how long it is handed out, in ms

--@include ../../scripts/clock.lua

return redis.call('ZADD', KEYS[1], clock() + ARGV[2], ARGV[1])
