import { clockMs, lua } from "../../lua.ts";

/**
 * Adds a job's entry to the list of all jobs before the job is written. A crash in between leaves an entry without a
 * job, which `lease` removes, but never a job without an entry.
 *
 * KEYS  1 list of all jobs
 * ARGV  1 entry   2 duration of its lease in ms
 */
export const reserveJob = lua`
${clockMs}

return redis.call('ZADD', KEYS[1], clock() + ARGV[2], ARGV[1])
`;

/**
 * Writes a job after its entry.
 *
 * KEYS  1 head   2 jobs   3 a mark that the entry was removed meanwhile
 * ARGV  1 job id   2 unique ticket of its entry   3 the user's expected epoch   4 body
 *
 * Returns 1; 0 if the job id is taken or the epoch is another; -1 if the entry was removed. A resent job is written
 * once.
 */
export const writeJob = lua`
local stored = redis.call('HGET', KEYS[2], ARGV[1])
if stored then
  if string.match(stored, '^%S+') ~= ARGV[2] then return 0 end
  redis.call('HSET', KEYS[2], ARGV[1], stored)
  return 1
end
if (redis.call('HGET', KEYS[1], 'epoch') or '0') ~= ARGV[3] then return 0 end
if redis.call('EXISTS', KEYS[3]) == 1 then return -1 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2] .. ' 1 ' .. ARGV[4])
return 1
`;

/**
 * Leases due entries of the list of all jobs, each to one caller.
 *
 * KEYS  1 list of all jobs
 * ARGV  1 duration of the leases in ms   2 maximum number
 *
 * Returns the entries, oldest first.
 */
export const leaseJobs = lua`
${clockMs}

local now = clock()
local entries = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[2])
for _, entry in ipairs(entries) do redis.call('ZADD', KEYS[1], now + ARGV[1], entry) end
return entries
`;

/**
 * Reads a job after its entry was leased, and counts the attempt.
 *
 * KEYS  1 jobs   2 a mark that the entry is being removed
 * ARGV  1 job id   2 ticket of its entry   3 how long the mark stays, in ms
 *
 * Returns { attempts, body }, or nil if the entry has no job. The mark then prevents a late write of the job.
 */
export const takeJob = lua`
local stored = redis.call('HGET', KEYS[1], ARGV[1])
local ticket, attempts, from = string.match(stored or '', '^(%S+) (%d+) ()')
if ticket ~= ARGV[2] then
  redis.call('SET', KEYS[2], '', 'PX', ARGV[3])
  return false
end
attempts = attempts + 1
local body = string.sub(stored, from)
redis.call('HSET', KEYS[1], ARGV[1], ticket .. ' ' .. attempts .. ' ' .. body)
return { attempts, body }
`;

/**
 * Sets when a job can be leased again, if its entry exists.
 *
 * KEYS  1 list of all jobs
 * ARGV  1 entry   2 delay in ms
 */
export const releaseJob = lua`
${clockMs}

return redis.call('ZADD', KEYS[1], 'XX', clock() + ARGV[2], ARGV[1])
`;

/**
 * Returns the ticket of a job, which is part of its entry in the list of all jobs.
 *
 * KEYS  1 jobs
 * ARGV  1 job id   2 '1' to delete the job
 *
 * Returns nil if there is no such job.
 */
export const findJob = lua`
local stored = redis.call('HGET', KEYS[1], ARGV[1])
if not stored then return false end
if ARGV[2] == '1' then redis.call('HDEL', KEYS[1], ARGV[1]) end
return string.match(stored, '^%S+')
`;
