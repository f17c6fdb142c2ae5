import { clockMs, lua } from "../../lua.ts";

/**
 * Makes a job's entry in the list of all, before the job is written. A crash in between leaves an entry without a job,
 * which `lease` takes away, and never a job that nobody finds.
 *
 * KEYS  1 list of all jobs
 * ARGV  1 entry   2 for how long it is handed out, in ms
 */
export const reserveJob = lua`
${clockMs}

return redis.call('ZADD', KEYS[1], clock() + ARGV[2], ARGV[1])
`;

/**
 * Writes a job whose entry in the list of all was made.
 *
 * KEYS  1 head   2 jobs   3 a mark that the entry was taken away meanwhile
 * ARGV  1 job id   2 ticket of its entry, that no other has   3 the epoch that the user must have   4 body
 *
 * Returns 1; 0 if there is one of this id or the epoch is another; -1 if the entry is gone. A job that a client sends
 * twice is written once.
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
 * Hands out entries of the list of all jobs that are due, each to one caller.
 *
 * KEYS  1 list of all jobs
 * ARGV  1 for how long they are handed out, in ms   2 at most this many
 *
 * Returns the entries, the oldest first.
 */
export const leaseJobs = lua`
${clockMs}

local now = clock()
local entries = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[2])
for _, entry in ipairs(entries) do redis.call('ZADD', KEYS[1], now + ARGV[1], entry) end
return entries
`;

/**
 * Reads a job whose entry was handed out, and counts the attempt.
 *
 * KEYS  1 jobs   2 a mark that the entry is being taken away
 * ARGV  1 job id   2 ticket of its entry   3 how long the mark stays, in ms
 *
 * Returns { attempts, body }, or, if there is no job to the entry, nil: and none will be written, because of the mark.
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
 * Sets when a job can be handed out again, if its entry is there.
 *
 * KEYS  1 list of all jobs
 * ARGV  1 entry   2 in how long, in ms
 */
export const releaseJob = lua`
${clockMs}

return redis.call('ZADD', KEYS[1], 'XX', clock() + ARGV[2], ARGV[1])
`;

/**
 * The ticket of a job: it names its entry in the list of all.
 *
 * KEYS  1 jobs
 * ARGV  1 job id   2 '1' to delete the job
 *
 * Returns the ticket, or nil if there is no such job.
 */
export const findJob = lua`
local stored = redis.call('HGET', KEYS[1], ARGV[1])
if not stored then return false end
if ARGV[2] == '1' then redis.call('HDEL', KEYS[1], ARGV[1]) end
return string.match(stored, '^%S+')
`;
