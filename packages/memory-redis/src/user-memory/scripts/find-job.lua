-- The ticket of a job: it names its entry in the list of all.
--
-- KEYS  1 jobs
-- ARGV  1 job id   2 '1' to delete the job
--
-- Returns the ticket, or nil if there is no such job.

local stored = redis.call('HGET', KEYS[1], ARGV[1])
if not stored then return false end
if ARGV[2] == '1' then redis.call('HDEL', KEYS[1], ARGV[1]) end
return string.match(stored, '^%S+')
