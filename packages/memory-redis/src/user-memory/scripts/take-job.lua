-- Reads a job whose entry was handed out, and counts the attempt.
--
-- KEYS  1 jobs   2 a mark that the entry is being taken away
-- ARGV  1 job id   2 ticket of its entry   3 how long the mark stays, in ms
--
-- Returns { attempts, body }, or, if there is no job to the entry, nil: and none will be written, because of the mark.

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
