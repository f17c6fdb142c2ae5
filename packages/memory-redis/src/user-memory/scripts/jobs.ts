import { clockMs, lua } from "../../lua.ts";

/**
 * Adds a job's entry to the list of all jobs. Must be called before `writeJob`, so no job lacks its entry.
 *
 * KEYS  1 list of all jobs
 * ARGV  1 entry   2 after how many ms the job can be leased
 *
 * Returns 1.
 */
export const reserveJob = lua`
${clockMs}

return redis.call('ZADD', KEYS[1], clock() + ARGV[2], ARGV[1])
`;

/**
 * Writes a job whose entry is in the list of all jobs.
 *
 * KEYS  1 head of the user   2 jobs of the user   3 a key that exists if the job's entry was removed from the list
 * ARGV  1 job id   2 unique ticket of the job's entry   3 the user's expected epoch   4 the job's content
 *
 * Returns one of these numbers:
 *
 *    1   the job is written, by this call or by an earlier call with the same ticket
 *    0   the job id is taken, or the user has another epoch
 *   -1   the job's entry was removed
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
 * Leases due entries of the list of all jobs. Each entry is leased to one caller only.
 *
 * KEYS  1 list of all jobs
 * ARGV  1 duration of the leases in ms   2 maximum number of entries
 *
 * Returns the leased entries, the longest due first.
 */
export const leaseJobs = lua`
${clockMs}

local now = clock()
local entries = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[2])
for _, entry in ipairs(entries) do redis.call('ZADD', KEYS[1], now + ARGV[1], entry) end
return entries
`;

/**
 * Reads a job whose entry was leased, and counts the attempt.
 *
 * KEYS  1 jobs of the user   2 a key to set if there is no such job, so a delayed `writeJob` is refused
 * ARGV  1 job id   2 ticket of the leased entry   3 after how many ms the key expires
 *
 * Returns { number of attempts, the job's content }, or nil if there is no such job.
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
 * Sets when a job can be leased again. Does nothing if the job's entry doesn't exist.
 *
 * KEYS  1 list of all jobs
 * ARGV  1 entry of the job   2 delay in ms
 *
 * Returns 0.
 */
export const releaseJob = lua`
${clockMs}

return redis.call('ZADD', KEYS[1], 'XX', clock() + ARGV[2], ARGV[1])
`;

/**
 * Returns the ticket of a job, and deletes the job if requested. The ticket is a unique text that identifies the job's
 * entry in the list of all jobs.
 *
 * KEYS  1 jobs of the user
 * ARGV  1 job id   2 '1' to delete the job, else '0'
 *
 * Returns nil if there is no such job.
 */
export const findJob = lua`
local stored = redis.call('HGET', KEYS[1], ARGV[1])
if not stored then return false end
if ARGV[2] == '1' then redis.call('HDEL', KEYS[1], ARGV[1]) end
return string.match(stored, '^%S+')
`;
