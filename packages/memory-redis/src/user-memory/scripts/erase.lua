-- Deletes everything of a user but the head, and begins a new audit trail.
--
-- KEYS  1 head   2 audit   3 facts   4 vectors   5 jobs   6 … the others
-- ARGV  1 a name of this write, that no other has   2 state   3 … entries of the new trail
--
-- Returns { facts, vectors, jobs, id and ticket of each job … }, the first three how many were deleted. A write that a
-- client sends twice is done once; the second time, ids and tickets are not known any more.

--@include slices.lua

local erased = redis.call('HMGET', KEYS[1], 'write', 'erased')
if erased[1] == ARGV[1] then
  redis.call('HSET', KEYS[1], 'write', ARGV[1])
  local reply = {}
  for count in string.gmatch(erased[2], '%d+') do reply[#reply + 1] = tonumber(count) end
  return reply
end

local reply = { redis.call('HLEN', KEYS[3]), redis.call('HLEN', KEYS[4]), redis.call('HLEN', KEYS[5]) }
local counts = table.concat(reply, ' ')
local jobs = redis.call('HGETALL', KEYS[5])
for at = 1, #jobs, 2 do
  reply[#reply + 1] = jobs[at]
  reply[#reply + 1] = string.match(jobs[at + 1], '^%S+')
end

redis.call('HINCRBY', KEYS[1], 'version', 1)
redis.call('HINCRBY', KEYS[1], 'epoch', 1)
redis.call('HSET', KEYS[1], 'state', ARGV[2], 'write', ARGV[1], 'erased', counts)
redis.call('UNLINK', unpack(KEYS, 2))
local entries = {}
for at = 3, #ARGV do entries[#entries + 1] = ARGV[at] end
call_all('RPUSH', KEYS[2], entries)
return reply
