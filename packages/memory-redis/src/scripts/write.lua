-- One write to one conversation, decided in this order: expiry (by Redis itself), owner, idempotency, version.
--
-- KEYS  1 conversation (hash)   2 its messages (list)   3 its idempotency keys (hash)   4 its traces (set)
--       5 the recency index that it belongs to; only with indexing 'atomic'
-- ARGV  1 'append' or 'replace'      2 conversation id           3 user id or ''      4 trace id or ''
--       5 expected version or ''     6 idempotency key or ''     7 hash of the body
--       8 most messages to keep or ''                            9 ttl in ms or ''    10 ttl for a new one or ''
--       11 indexing: 'atomic'   all keys are on this server: the indexes are written here
--                    'ask'      indexes are elsewhere: write only if no entry has to be reserved first
--                    'reserved' the entries are reserved
--       12 prefix of the index keys, for 'atomic'
--       13 '1' if the caller waits for replicas
--       14 how many of the arguments that follow are metadata: fields and values in turn; the rest are messages
--
-- Returns { status, version, last activity in ms, created, owner or '', ttl in ms or 0, keep, trace ids … }: `keep` is 1
-- if the caller has to keep the indexes for that ttl, those of the trace ids among them. Status: 'written', 'replayed',
-- 'reserve' (nothing was written; the third value is the time), 'owner', 'idempotency-key', 'version' (conflicts),
-- 'damaged'.
--
-- What can fail comes before the conversation is touched: reads, which find a key of the wrong type, and indexes. Redis
-- undoes nothing, and an index entry without its conversation is harmless.

--@include clock.lua
--@include keep-index.lua

local conversation, messages, keys, traces, recent = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local mode, id, user, trace = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local expected, key, hash = ARGV[5], ARGV[6], ARGV[7]
local indexing, prefix = ARGV[11], ARGV[12]
local metadata_from, messages_from = 15, 15 + tonumber(ARGV[14])
local batch = #ARGV - messages_from + 1

local now = clock()
local stored = redis.call('HMGET', conversation,
  'version', 'userId', 'lastActivity', 'createdAt', 'totalMessages', 'writes', 'ttlMs', 'indexedAt')
local exists = stored[1] and true or false
local version = tonumber(stored[1] or 0)
local owner = stored[2]
local last_activity = tonumber(stored[3] or 0)
local total = tonumber(stored[5] or 0)
local writes = tonumber(stored[6] or 0)
local ttl = tonumber(stored[7] or ARGV[10])

local function outcome(status)
  return { status, version, last_activity, 0, owner or '', ttl or 0, 0 }
end

if owner and user ~= '' and owner ~= user then return outcome('owner') end

if exists and key ~= '' then
  local known = redis.call('HGET', keys, key)
  if known then
    if string.sub(known, 1, #hash) ~= hash then return outcome('idempotency-key') end
    -- WAIT counts from this connection's last write: make one, behind that which is confirmed here.
    if ARGV[13] == '1' then redis.call('HSET', conversation, 'version', stored[1]) end
    return outcome('replayed')
  end
end

if expected ~= '' and tonumber(expected) ~= version then return outcome('version') end

-- A server that evicts keys under memory pressure takes them one by one.
if total > 0 and redis.call('EXISTS', messages) == 0 then return outcome('damaged') end

local new_owner = user ~= '' and not owner
local new_trace = trace ~= '' and (not exists or redis.call('SISMEMBER', traces, trace) == 0)

if indexing == 'ask' and (not exists or new_owner or new_trace) then
  local reply = outcome('reserve')
  reply[3] = now
  reply[4] = exists and 0 or 1
  return reply
end

owner = owner or user
if ARGV[9] ~= '' then
  ttl = tonumber(ARGV[9])
end
-- Never backwards, also when a server with another clock has taken over.
last_activity = math.max(now, last_activity)
local renew = ttl and (not exists or new_owner or tonumber(stored[7]) ~= ttl
  or now - tonumber(stored[8] or 0) >= ttl / 2)

local keep = renew or not exists or new_owner

local written_traces = {}
if renew and exists then written_traces = redis.call('SMEMBERS', traces) end

if indexing == 'atomic' then
  redis.call('ZADD', recent, last_activity, id)
  if owner ~= '' then
    local index = prefix .. 'user:' .. owner .. ':conversations'
    redis.call('ZADD', index, last_activity, id)
    if keep then keep_index(index, ttl) end
  end
  if new_trace then
    local index = prefix .. 'trace:' .. trace .. ':conversations'
    redis.call('ZADD', index, last_activity, id)
    keep_index(index, ttl)
  end
  for _, written in ipairs(written_traces) do
    keep_index(prefix .. 'trace:' .. written .. ':conversations', ttl)
  end
end

if not exists then redis.call('DEL', messages, keys, traces) end

if mode == 'replace' and exists then
  redis.call('DEL', messages)
  total = 0
  for _, field in ipairs(redis.call('HKEYS', conversation)) do
    if string.sub(field, 1, 9) == 'metadata:' then redis.call('HDEL', conversation, field) end
  end
end

-- In portions, since Lua's stack holds some thousands of values only.
for from = messages_from, #ARGV, 4000 do
  redis.call('RPUSH', messages, unpack(ARGV, from, math.min(from + 3999, #ARGV)))
end
version = version + batch
total = total + batch

-- A tool result, which begins with 't', never stays without the call before it: the cut moves past the results, unless
-- nothing else is left; then the last group of call and results stays whole.
if ARGV[8] ~= '' and total > tonumber(ARGV[8]) then
  local cut = total - tonumber(ARGV[8])
  local function first_message(from, to, step)
    for at = from, to, step do
      if string.sub(redis.call('LINDEX', messages, at), 1, 1) ~= 't' then return at end
    end
  end
  cut = first_message(cut, total - 1, 1) or first_message(cut - 1, 0, -1) or cut
  redis.call('LTRIM', messages, cut, -1)
  total = total - cut
end

if new_trace then redis.call('SADD', traces, trace) end

writes = writes + 1
if key ~= '' then
  redis.call('HSET', keys, key, hash .. writes)
  -- Rarely, so that it costs a write next to nothing. Keys are remembered for 1,000 further writes at least.
  if writes % 100 == 0 then
    local known = redis.call('HGETALL', keys)
    for at = 1, #known, 2 do
      if tonumber(string.sub(known[at + 1], #hash + 1)) < writes - 1000 then
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
if owner ~= '' and (not exists or new_owner) then set('userId', owner) end
if ttl then set('ttlMs', ttl) end
if renew then set('indexedAt', now) end
for at = metadata_from, messages_from - 1, 2 do set('metadata:' .. ARGV[at], ARGV[at + 1]) end
for from = 1, #fields, 4000 do
  redis.call('HSET', conversation, unpack(fields, from, math.min(from + 3999, #fields)))
end

if ttl then
  for at = 1, 4 do redis.call('PEXPIREAT', KEYS[at], now + ttl) end
end

local reply = { 'written', version, last_activity, exists and 0 or 1, owner, ttl or 0, keep and 1 or 0 }
if indexing ~= 'atomic' then
  for _, written in ipairs(written_traces) do reply[#reply + 1] = written end
end
return reply
