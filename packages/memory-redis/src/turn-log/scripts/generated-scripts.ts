// Made of the .lua files beside it by the script "generate": edit those.
export const scripts = {
  append: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function digits(number) return string.format('%.0f', number) end
local function head(key)
  return redis.call('HMGET', key, 'conversation', 'user', 'turn', 'state', 'started', 'count', 'stop', 'record')
end
local function extend(key, milliseconds)
  if redis.call('PTTL', key) < tonumber(milliseconds) then redis.call('PEXPIRE', key, milliseconds) end
end
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
`,
  begin: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function digits(number) return string.format('%.0f', number) end
local function head(key)
  return redis.call('HMGET', key, 'conversation', 'user', 'turn', 'state', 'started', 'count', 'stop', 'record')
end
local function extend(key, milliseconds)
  if redis.call('PTTL', key) < tonumber(milliseconds) then redis.call('PEXPIRE', key, milliseconds) end
end
local function indexTurn(turns, open, name, now, keepMs)
  redis.call('ZREMRANGEBYSCORE', turns, '-inf', digits(now))
  redis.call('ZADD', turns, digits(now + 2000 * keepMs), name)
  extend(turns, digits(2 * keepMs))
  redis.call('ZADD', open, digits(now), name)
  extend(open, digits(2 * keepMs))
end
local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if last[1] then
  local key = ARGV[9] .. last[1]
  local state = redis.call('HGET', key, 'state')
  if state == 'running' then return { 0, head(key) } end
  if state == 'waiting' then redis.call('HSET', key, 'state', 'ended') end
end
if redis.call('EXISTS', KEYS[2]) == 1 then return { 2 } end
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
`,
  erase: `local erased, others = {}, 0
for _, turn in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local user = redis.call('HGET', ARGV[1] .. turn, 'user')
  if user and (ARGV[3] == '' or user == ARGV[3]) then
    erased[#erased + 1] = turn
    erased[#erased + 1] = user
    redis.call('UNLINK', ARGV[1] .. turn, ARGV[2] .. turn)
  elseif user then
    others = others + 1
  end
end
if others == 0 then redis.call('UNLINK', KEYS[1]) end
return erased
`,
  leases: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function digits(number) return string.format('%.0f', number) end
local function head(key)
  return redis.call('HMGET', key, 'conversation', 'user', 'turn', 'state', 'started', 'count', 'stop', 'record')
end
local function extend(key, milliseconds)
  if redis.call('PTTL', key) < tonumber(milliseconds) then redis.call('PEXPIRE', key, milliseconds) end
end
return { head(KEYS[1]), redis.call('HGET', KEYS[1], 'lease'), digits(clock()) }
`,
  listTurns: `local function head(key)
  return redis.call('HMGET', key, 'conversation', 'user', 'turn', 'state', 'started', 'count', 'stop', 'record')
end
local function extend(key, milliseconds)
  if redis.call('PTTL', key) < tonumber(milliseconds) then redis.call('PEXPIRE', key, milliseconds) end
end
local found = {}
for _, turn in ipairs(redis.call('ZREVRANGE', KEYS[1], 0, -1)) do
  local each = head(ARGV[1] .. turn)
  if each[1] then found[#found + 1] = each end
  if #found == tonumber(ARGV[2]) then break end
end
return found
`,
  markEnd: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function digits(number) return string.format('%.0f', number) end
local function head(key)
  return redis.call('HMGET', key, 'conversation', 'user', 'turn', 'state', 'started', 'count', 'stop', 'record')
end
local function extend(key, milliseconds)
  if redis.call('PTTL', key) < tonumber(milliseconds) then redis.call('PEXPIRE', key, milliseconds) end
end
redis.call('ZADD', KEYS[1], digits(clock() + ARGV[3] * 1000), ARGV[1])
extend(KEYS[1], ARGV[3])
if ARGV[2] == 'ended' then redis.call('ZREM', KEYS[2], ARGV[1]) else extend(KEYS[2], ARGV[3]) end
return 1
`,
  markUser: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function digits(number) return string.format('%.0f', number) end
local function head(key)
  return redis.call('HMGET', key, 'conversation', 'user', 'turn', 'state', 'started', 'count', 'stop', 'record')
end
local function extend(key, milliseconds)
  if redis.call('PTTL', key) < tonumber(milliseconds) then redis.call('PEXPIRE', key, milliseconds) end
end
local function indexTurn(turns, open, name, now, keepMs)
  redis.call('ZREMRANGEBYSCORE', turns, '-inf', digits(now))
  redis.call('ZADD', turns, digits(now + 2000 * keepMs), name)
  extend(turns, digits(2 * keepMs))
  redis.call('ZADD', open, digits(now), name)
  extend(open, digits(2 * keepMs))
end
indexTurn(KEYS[1], KEYS[2], ARGV[1], clock(), ARGV[2])
return 1
`,
  read: `local function head(key)
  return redis.call('HMGET', key, 'conversation', 'user', 'turn', 'state', 'started', 'count', 'stop', 'record')
end
local function extend(key, milliseconds)
  if redis.call('PTTL', key) < tonumber(milliseconds) then redis.call('PEXPIRE', key, milliseconds) end
end
local turn = ARGV[1]
if turn == '' then
  for _, candidate in ipairs(redis.call('ZREVRANGE', KEYS[1], 0, 9)) do
    if redis.call('EXISTS', ARGV[2] .. candidate) == 1 then turn = candidate break end
  end
  if turn == '' then return {} end
end
local found = head(ARGV[2] .. turn)
if not found[1] then return {} end
return { found, redis.call('LRANGE', ARGV[3] .. turn, ARGV[4], ARGV[4] + ARGV[5] - 1) }
`,
  release: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function digits(number) return string.format('%.0f', number) end
local token, state = unpack(redis.call('HMGET', KEYS[1], 'token', 'state'))
if token ~= ARGV[1] or state ~= 'running' then return 0 end
local now = digits(clock())
redis.call('HSET', KEYS[1], 'lease', now)
if KEYS[2] then redis.call('ZADD', KEYS[2], now, ARGV[2]) end
return 1
`,
  requestStop: `if redis.call('HGET', KEYS[1], 'state') ~= 'running' then return 0 end
redis.call('HSET', KEYS[1], 'stop', 1)
return 1
`,
  takeOver: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function digits(number) return string.format('%.0f', number) end
local function head(key)
  return redis.call('HMGET', key, 'conversation', 'user', 'turn', 'state', 'started', 'count', 'stop', 'record')
end
local function extend(key, milliseconds)
  if redis.call('PTTL', key) < tonumber(milliseconds) then redis.call('PEXPIRE', key, milliseconds) end
end
local state, lease, leaseMs, request = unpack(redis.call('HMGET', KEYS[1], 'state', 'lease', 'leaseMs', 'request'))
local now = clock()
if state ~= 'running' or tonumber(lease) > now then return {} end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'lease', digits(now + leaseMs * 1000))
extend(KEYS[1], leaseMs)
return { head(KEYS[1]), request }
`,
} as const;
