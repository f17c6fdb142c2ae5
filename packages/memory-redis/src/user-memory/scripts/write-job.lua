-- Writes a job whose entry in the list of all was made.
--
-- KEYS  1 head   2 jobs   3 a mark that the entry was taken away meanwhile
-- ARGV  1 job id   2 ticket of its entry, that no other has   3 the epoch that the user must have   4 body
--
-- Returns 1; 0 if there is one of this id or the epoch is another; -1 if the entry is gone. A job that a client sends
-- twice is written once.

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
