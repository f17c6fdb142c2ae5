-- Begins a turn, unless the conversation has one that runs.
--
-- KEYS  1 turns of the conversation, by their order   2 hash of the turn
--       3 running turns   4 the user's turns   5 the user's open turns: absent where they may lie on another server
-- ARGV  1 conversation id   2 user id   3 turn id   4 token   5 request   6 lease in milliseconds   7 how long to keep it,
--       in milliseconds   8 the turn's name in the indexes   9 what the hash of a turn begins with, before its id
--
-- Returns 1 and when it began; 0 and the turn that runs; or 2 if there is a turn of this id.

--@include clock.lua
--@include heads.lua
--@include index-turn.lua

local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if last[1] then
  local key = ARGV[9] .. last[1]
  local state = redis.call('HGET', key, 'state')
  if state == 'running' then return { 0, head(key) } end
  if state == 'waiting' then redis.call('HSET', key, 'state', 'ended') end
end
if redis.call('EXISTS', KEYS[2]) == 1 then return { 2 } end
-- What has expired, a few at a time.
for _, turn in ipairs(redis.call('ZRANGE', KEYS[1], 0, 9)) do
  if redis.call('EXISTS', ARGV[9] .. turn) == 0 then redis.call('ZREM', KEYS[1], turn) end
end
local now = clock()
redis.call('HSET', KEYS[2], 'conversation', ARGV[1], 'user', ARGV[2], 'turn', ARGV[3], 'token', ARGV[4],
  'request', ARGV[5], 'leaseMs', ARGV[6], 'keepMs', ARGV[7], 'state', 'running', 'started', digits(now),
  'count', 0, 'stop', 0, 'lease', digits(now + ARGV[6] * 1000), 'indexed', digits(now + 2000 * ARGV[7]))
redis.call('PEXPIRE', KEYS[2], ARGV[7])
redis.call('ZADD', KEYS[1], (last[2] or 0) + 1, ARGV[3])
extend(KEYS[1], ARGV[7])
if KEYS[3] then
  redis.call('ZADD', KEYS[3], digits(now + ARGV[6] * 1000), ARGV[8])
  indexTurn(KEYS[4], KEYS[5], ARGV[8], now, ARGV[7])
end
return { 1, digits(now) }
