// Made of the .lua files beside it by the script "generate": edit those.
export const scripts = {
  due: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function digits(number) return string.format('%.0f', number) end
local now = clock()
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', digits(now - ARGV[2] * 1000000), 'LIMIT', 0, ARGV[1])
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[1], digits(now), id) end
return ids
`,
  keep: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function digits(number) return string.format('%.0f', number) end
local kept, over = {}, digits(clock() + ARGV[2] * 1000000)
for at = 3, #ARGV do
  local size = string.match(redis.call('HGET', KEYS[1], 'b' .. ARGV[at]) or '', '^%d+')
  if size then
    redis.call('HSET', KEYS[1], 'b' .. ARGV[at], size .. ' ' .. ARGV[1], 'h' .. ARGV[at] .. ARGV[1], over)
    kept[#kept + 1] = ARGV[at]
  end
end
return kept
`,
  list: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function digits(number) return string.format('%.0f', number) end
local now = clock()
local records, held, reply = redis.call('HGETALL', KEYS[1]), {}, {}
for at = 1, #records, 2 do
  local field = records[at]
  if string.sub(field, 1, 1) == 'h' and tonumber(records[at + 1]) > now then held[string.sub(field, 2, 65)] = true end
end
for at = 1, #records, 2 do
  local field = records[at]
  if string.sub(field, 1, 1) == 'b' then
    local hash = string.sub(field, 2)
    local size, token = string.match(records[at + 1], '^(%d+) (.*)$')
    reply[#reply + 1] = hash
    reply[#reply + 1] = size
    reply[#reply + 1] = token
    reply[#reply + 1] = held[hash] and 1 or 0
  end
end
return reply
`,
  mark: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function digits(number) return string.format('%.0f', number) end
redis.call('ZADD', KEYS[1], digits(clock()), ARGV[1])
return 1
`,
  put: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function digits(number) return string.format('%.0f', number) end
local now = clock()
redis.call('SET', KEYS[2], ARGV[5])
redis.call('HSET', KEYS[1], 'b' .. ARGV[1], ARGV[2] .. ' ' .. ARGV[3], 'h' .. ARGV[1] .. ARGV[3],
  digits(now + ARGV[4] * 1000000))
if KEYS[3] then redis.call('ZADD', KEYS[3], digits(now), ARGV[6]) end
return 1
`,
  remove: `local gone, removed = {}, 0
for at = 2, #ARGV, 2 do
  local token = string.match(redis.call('HGET', KEYS[1], 'b' .. ARGV[at]) or '', '^%d+ (.*)$')
  if token == ARGV[at + 1] then
    redis.call('UNLINK', KEYS[at / 2 + 1])
    redis.call('HDEL', KEYS[1], 'b' .. ARGV[at])
    gone[ARGV[at]] = true
    removed = removed + 1
  end
end
if removed > 0 then
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.sub(field, 1, 1) == 'h' and gone[string.sub(field, 2, 65)] then redis.call('HDEL', KEYS[1], field) end
  end
end
local others = redis.call('EXISTS', KEYS[1])
if ARGV[1] ~= '' and others == 0 then redis.call('ZREM', KEYS[#KEYS], ARGV[1]) end
return { removed, others }
`,
} as const;
