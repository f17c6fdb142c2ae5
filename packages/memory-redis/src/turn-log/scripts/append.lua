-- Stores events and renews the lease, or ends the turn.
--
-- KEYS  1 hash of the turn   2 its events   3 turns of the conversation
--       4 running turns   5 the user's turns   6 the user's open turns: absent where they may lie on another server
-- ARGV  1 token   2 number of the first event, or '' to renew the lease alone   3 the turn's name in the indexes
--       4 state at the end, or '' if it goes on   5 record   6 how long events are kept   7 how long the turn is kept, both in
--       milliseconds   8 ... events
--
-- Returns 1, whether it should stop, and 1 if the user's index has to be told; 0 if it is lost; or 2 if events are missing.

--@include clock.lua
--@include heads.lua

local token, state, count, leaseMs, keepMs, stop, indexed =
  unpack(redis.call('HMGET', KEYS[1], 'token', 'state', 'count', 'leaseMs', 'keepMs', 'stop', 'indexed'))
if token ~= ARGV[1] then return { 0 } end
count = tonumber(count)
local given = #ARGV - 7
local first = tonumber(ARGV[2]) or count
if state ~= 'running' then
  if ARGV[4] ~= '' and first + given <= count then return { 1, tonumber(stop), 0 } end
  return { 0 }
end
if first > count then return { 2 } end
local at = 8 + count - first
while at <= #ARGV do
  local to = math.min(at + 4999, #ARGV)
  redis.call('RPUSH', KEYS[2], unpack(ARGV, at, to))
  at = to + 1
end
count = math.max(count, first + given)
local now = clock()
if ARGV[4] == '' then
  redis.call('HSET', KEYS[1], 'count', count, 'lease', digits(now + leaseMs * 1000))
  redis.call('PEXPIRE', KEYS[1], keepMs)
  redis.call('PEXPIRE', KEYS[2], keepMs)
  extend(KEYS[3], keepMs)
  local late = now + keepMs * 1000 > tonumber(indexed)
  if late then redis.call('HSET', KEYS[1], 'indexed', digits(now + 2000 * keepMs)) end
  return { 1, tonumber(stop), late and 1 or 0 }
end
redis.call('HSET', KEYS[1], 'count', count, 'state', ARGV[4], 'record', ARGV[5])
redis.call('HDEL', KEYS[1], 'request')
redis.call('PEXPIRE', KEYS[1], ARGV[7])
redis.call('PEXPIRE', KEYS[2], ARGV[6])
extend(KEYS[3], ARGV[7])
if KEYS[4] then
  redis.call('ZREM', KEYS[4], ARGV[3])
  redis.call('ZADD', KEYS[5], digits(now + ARGV[7] * 1000), ARGV[3])
  extend(KEYS[5], ARGV[7])
  if ARGV[4] == 'ended' then redis.call('ZREM', KEYS[6], ARGV[3]) else extend(KEYS[6], ARGV[7]) end
end
return { 1, tonumber(stop), 0 }
