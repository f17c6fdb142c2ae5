// Made of the .lua files beside it by the script "generate": edit those.
export const scripts = {
  delete: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function parts(prefix, conversation)
  local tag = ':{' .. conversation .. '}'
  return prefix .. 'messages' .. tag, prefix .. 'keys' .. tag, prefix .. 'traces' .. tag
end
local conversation = KEYS[1]
local id, user, prefix = ARGV[1], ARGV[2], ARGV[4]
local messages, keys, traces = parts(prefix, conversation)
local now = clock()
local stored = redis.call('HMGET', conversation, 'version', 'userId')
if not stored[1] or user ~= '' and stored[2] ~= user then return { 0, now, '' } end
local reply = { 1, now, stored[2] or '' }
local written = redis.call('SMEMBERS', traces)
redis.call('UNLINK', conversation, messages, keys, traces)
if ARGV[3] == 'atomic' then
  redis.call('ZREM', ARGV[5], id)
  if stored[2] then redis.call('ZREM', prefix .. 'user:' .. stored[2] .. ':conversations', id) end
  for _, trace in ipairs(written) do redis.call('ZREM', prefix .. 'trace:' .. trace .. ':conversations', id) end
else
  for _, trace in ipairs(written) do reply[#reply + 1] = trace end
end
return reply
`,
  heads: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function read(conversation)
  if ARGV[2] == '' then return redis.pcall('HGETALL', conversation) end
  local values = redis.pcall('HMGET', conversation, 'userId', 'createdAt', 'totalMessages')
  if not values[2] then return {} end
  return { 'userId', values[1] or '', 'createdAt', values[2], 'totalMessages', values[3] }
end
local reply = { clock() }
for at = 1, #KEYS, 2 do
  local fields = read(KEYS[at])
  local wanted = #fields > 0 and (ARGV[1] == '' or redis.call('SISMEMBER', KEYS[at + 1], ARGV[1]) == 1)
  reply[#reply + 1] = wanted and fields or false
end
return reply
`,
  keep: `local function keep_index(index, ttl, just_made)
  if not ttl then
    redis.call('PERSIST', index)
    return
  end
  local left = redis.call('PTTL', index)
  if left >= 0 and left < 2 * ttl or just_made then redis.call('PEXPIRE', index, 2 * ttl) end
end
local function enter_index(index, id, score, ttl)
  local just_made = redis.call('EXISTS', index) == 0
  redis.call('ZADD', index, score, id)
  keep_index(index, ttl, just_made)
end
keep_index(KEYS[1], tonumber(ARGV[1]))
return 1
`,
  mend: `local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if score and tonumber(score) == tonumber(ARGV[2]) then redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1]) end
return 1
`,
  page: `local low, high = ARGV[2], ARGV[3]
if ARGV[1] == 'newest' then
  return redis.call('ZREVRANGEBYSCORE', KEYS[1], high, low, 'WITHSCORES', 'LIMIT', 0, ARGV[4])
end
return redis.call('ZRANGEBYSCORE', KEYS[1], low, high, 'WITHSCORES', 'LIMIT', 0, ARGV[4])
`,
  reserve: `local function keep_index(index, ttl, just_made)
  if not ttl then
    redis.call('PERSIST', index)
    return
  end
  local left = redis.call('PTTL', index)
  if left >= 0 and left < 2 * ttl or just_made then redis.call('PEXPIRE', index, 2 * ttl) end
end
local function enter_index(index, id, score, ttl)
  local just_made = redis.call('EXISTS', index) == 0
  redis.call('ZADD', index, score, id)
  keep_index(index, ttl, just_made)
end
local RESERVED_MS = 60000
local ttl = tonumber(ARGV[3])
enter_index(KEYS[1], ARGV[1], ARGV[2] + RESERVED_MS + 0.5, ttl > 0 and math.max(ttl, RESERVED_MS) or nil)
return 1
`,
  sample: `return redis.call('ZRANDMEMBER', KEYS[1], ARGV[1])
`,
  settle: `local score = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0)
local reserved = score % 1 ~= 0
if reserved or score < tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
elseif ARGV[3] == '1' then
  redis.call('ZADD', KEYS[1], score + 1, ARGV[1])
  redis.call('ZADD', KEYS[1], score, ARGV[1])
end
return 1
`,
  touch: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function keep_index(index, ttl, just_made)
  if not ttl then
    redis.call('PERSIST', index)
    return
  end
  local left = redis.call('PTTL', index)
  if left >= 0 and left < 2 * ttl or just_made then redis.call('PEXPIRE', index, 2 * ttl) end
end
local function enter_index(index, id, score, ttl)
  local just_made = redis.call('EXISTS', index) == 0
  redis.call('ZADD', index, score, id)
  keep_index(index, ttl, just_made)
end
local function parts(prefix, conversation)
  local tag = ':{' .. conversation .. '}'
  return prefix .. 'messages' .. tag, prefix .. 'keys' .. tag, prefix .. 'traces' .. tag
end
local conversation = KEYS[1]
local messages, keys, traces = parts(ARGV[2], conversation)
local stored = redis.call('HMGET', conversation, 'ttlMs', 'indexedAt', 'userId', 'ownTtl')
local ttl = tonumber(stored[1] or '')
if not ttl or stored[4] then return 0 end
if redis.call('PTTL', conversation) > ttl - ttl / 100 then return 0 end
local now = clock()
local due = now - tonumber(stored[2] or 0) >= ttl / 2
local owner, written = stored[3], {}
if due then written = redis.call('SMEMBERS', traces) end
if due and ARGV[1] ~= 'atomic' and ARGV[3] ~= '1' then
  local reply = { ttl, owner or '' }
  for _, trace in ipairs(written) do reply[#reply + 1] = trace end
  return reply
end
if type(redis.pcall('PEXPIREAT', conversation, now + ttl)) == 'table' then return 0 end
for _, part in ipairs({ messages, keys, traces }) do redis.call('PEXPIREAT', part, now + ttl) end
if not due then return 0 end
redis.call('HSET', conversation, 'indexedAt', now)
if ARGV[1] == 'atomic' then
  if owner then keep_index(ARGV[2] .. 'user:' .. owner .. ':conversations', ttl) end
  for _, trace in ipairs(written) do
    keep_index(ARGV[2] .. 'trace:' .. trace .. ':conversations', ttl)
  end
end
return 0
`,
  unindex: `local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if score and tonumber(score) < tonumber(ARGV[2]) then return redis.call('ZREM', KEYS[1], ARGV[1]) end
return 0
`,
  write: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local RESERVED_MS = 60000
local function keep_index(index, ttl, just_made)
  if not ttl then
    redis.call('PERSIST', index)
    return
  end
  local left = redis.call('PTTL', index)
  if left >= 0 and left < 2 * ttl or just_made then redis.call('PEXPIRE', index, 2 * ttl) end
end
local function enter_index(index, id, score, ttl)
  local just_made = redis.call('EXISTS', index) == 0
  redis.call('ZADD', index, score, id)
  keep_index(index, ttl, just_made)
end
local function parts(prefix, conversation)
  local tag = ':{' .. conversation .. '}'
  return prefix .. 'messages' .. tag, prefix .. 'keys' .. tag, prefix .. 'traces' .. tag
end
local given = cjson.decode(ARGV[1])
local conversation, prefix, indexing = KEYS[1], given.prefix, given.indexing
local messages, keys, traces = parts(prefix, conversation)
local user, trace, key = given.user, given.trace, given.key
local batch = #ARGV - 1
local now = clock()
local stored = redis.call('HMGET', conversation,
  'version', 'userId', 'lastActivity', 'createdAt', 'totalMessages', 'writes', 'ttlMs', 'indexedAt')
local exists = stored[1] and true or false
local version = tonumber(stored[1] or 0)
local owner = stored[2]
local last_activity = tonumber(stored[3] or 0)
local total = tonumber(stored[5] or 0)
local writes = tonumber(stored[6] or 0)
local ttl = tonumber(stored[7]) or given.newTtl
local function outcome(status)
  return { status, version, last_activity, 0, owner or '', ttl or 0, 0 }
end
if owner and user and owner ~= user then return outcome('owner') end
if exists and key then
  local known = redis.call('HGET', keys, key)
  if known then
    if string.sub(known, 1, #given.hash) ~= given.hash then return outcome('idempotency-key') end
    if given.wait then redis.call('HSET', conversation, 'version', stored[1]) end
    return outcome('replayed')
  end
end
if given.version and given.version ~= version then return outcome('version') end
if total > 0 and redis.call('EXISTS', messages) == 0 then return outcome('damaged') end
local new_owner = user and not owner
local new_trace = trace and (not exists or redis.call('SISMEMBER', traces, trace) == 0)
owner = owner or user
local former_ttl = tonumber(stored[7])
ttl = given.ttl or ttl
local renew = ttl and (not exists or new_owner or former_ttl ~= ttl or now - tonumber(stored[8] or 0) >= ttl / 2)
local keep = renew or not exists or new_owner
local written_traces = {}
if renew and exists then written_traces = redis.call('SMEMBERS', traces) end
local unreserved = indexing == 'ask' and (keep or new_trace)
  or indexing == 'reserved' and (now >= given.reservedAt + RESERVED_MS or not exists and not given.reservedNew
    or renew and exists and not given.kept)
if unreserved then
  local reply = outcome('reserve')
  reply[3] = now
  reply[4] = exists and 0 or 1
  reply[5] = stored[2] or ''
  reply[6] = ttl or 0
  reply[7] = renew and exists and 1 or 0
  for _, written in ipairs(written_traces) do reply[#reply + 1] = written end
  return reply
end
last_activity = math.max(now, last_activity)
if indexing == 'atomic' then
  redis.call('ZADD', given.recent, last_activity, given.id)
  if owner then
    local index = prefix .. 'user:' .. owner .. ':conversations'
    if keep then
      enter_index(index, given.id, last_activity, ttl)
    else
      redis.call('ZADD', index, last_activity, given.id)
    end
  end
  if new_trace then enter_index(prefix .. 'trace:' .. trace .. ':conversations', given.id, last_activity, ttl) end
  for _, written in ipairs(written_traces) do
    keep_index(prefix .. 'trace:' .. written .. ':conversations', ttl)
  end
end
if not exists then redis.call('DEL', messages, keys, traces) end
local replaced = 0
if given.mode == 'replace' and exists then
  replaced = total
  for _, field in ipairs(redis.call('HKEYS', conversation)) do
    if string.sub(field, 1, 9) == 'metadata:' then redis.call('HDEL', conversation, field) end
  end
end
for from = 2, #ARGV, 4000 do
  redis.call('RPUSH', messages, unpack(ARGV, from, math.min(from + 3999, #ARGV)))
end
if replaced > 0 then redis.call('LTRIM', messages, replaced, -1) end
total = total - replaced
version = version + batch
total = total + batch
if given.max and total > given.max then
  local cut = total - given.max
  local PORTION = 100
  local function is_message(item) return string.sub(item, 1, 1) ~= ' ' end
  local function first_after(at)
    while at < total do
      for offset, item in ipairs(redis.call('LRANGE', messages, at, at + PORTION - 1)) do
        if is_message(item) then return at + offset - 1 end
      end
      at = at + PORTION
    end
  end
  local function last_before(at)
    while at > 0 do
      local from = math.max(0, at - PORTION)
      local items = redis.call('LRANGE', messages, from, at - 1)
      for offset = #items, 1, -1 do
        if is_message(items[offset]) then return from + offset - 1 end
      end
      at = from
    end
  end
  cut = first_after(cut) or last_before(cut) or cut
  redis.call('LTRIM', messages, cut, -1)
  total = total - cut
end
if new_trace then redis.call('SADD', traces, trace) end
writes = writes + 1
if key then
  redis.call('HSET', keys, key, given.hash .. writes)
  if redis.call('HLEN', keys) > 1100 then
    local known = redis.call('HGETALL', keys)
    for at = 1, #known, 2 do
      if tonumber(string.sub(known[at + 1], #given.hash + 1)) < writes - 1000 then
        redis.call('HDEL', keys, known[at])
      end
    end
  end
end
local fields = {
  'version', version, 'lastActivity', last_activity, 'totalMessages', total, 'writes', writes,
}
local function set(field, value)
  fields[#fields + 1] = field
  fields[#fields + 1] = value
end
if not exists then set('createdAt', last_activity) end
if owner and (not exists or new_owner) then set('userId', owner) end
if ttl then set('ttlMs', ttl) end
if given.ttl then set('ownTtl', 1) end
if renew then set('indexedAt', now) end
local metadata = given.metadata or {}
for at = 1, #metadata, 2 do set('metadata:' .. metadata[at], metadata[at + 1]) end
for from = 1, #fields, 4000 do
  redis.call('HSET', conversation, unpack(fields, from, math.min(from + 3999, #fields)))
end
if ttl then
  for _, part in ipairs({ conversation, messages, keys, traces }) do
    if part ~= messages or total > 0 then redis.call('PEXPIREAT', part, now + ttl) end
  end
end
if indexing == 'atomic' and (exists or not ttl) then return 1 end
return { 'written', version, last_activity, exists and 0 or 1, owner or '', ttl or 0, 0 }
`,
} as const;
