-- One write to one conversation, decided in this order: expiry (by Redis itself), owner, idempotency, version.
--
-- KEYS  1 conversation   on a Cluster also the keys of its parts, so that it doesn't run while they are being moved
-- ARGV  1 a JSON object, of which all but the first four may be absent:
--         prefix      of all keys
--         mode        'append' or 'replace'
--         id          of the conversation
--         indexing    'atomic'   all keys are on this server: the indexes are written here
--                     'ask'      indexes are elsewhere: write only if no entry has to be reserved first
--                     'reserved' entries were reserved, at the time `reservedAt`; `reservedNew`: for a conversation
--                                that did not exist then; `kept`: its other indexes were kept for the ttl
--         recent      the recency index that it belongs to, for 'atomic'
--         user, trace, version (the expected one), key and hash (of idempotency), max (messages to keep)
--         ttl         in ms
--         newTtl      in ms, for a conversation that has none
--         wait        true if the caller waits for replicas
--         metadata    fields and values in turn
--       2 … messages, each a JSON text; that of a tool result begins with a space
--
-- Returns { status, version, last activity in ms, created, owner or '', ttl in ms or 0, keep, trace ids … }. Status:
-- 'written', 'replayed', 'reserve' (nothing was written; the third value is the time; `keep` is 1 if the indexes of the
-- owner and of the trace ids have to be kept for that ttl first), 'owner', 'idempotency-key', 'version' (conflicts),
-- 'damaged'. Or 1, for 'written' where there is nothing more to do.
--
-- What can fail comes before the conversation is touched: reads, which find a key of the wrong type, and indexes. Redis
-- undoes nothing, and an index entry without its conversation is harmless.

--@include clock.lua
--@include reserved-ms.lua
--@include keep-index.lua
--@include parts.lua

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
    -- WAIT counts from this connection's last write: make one, behind that which is confirmed here.
    if given.wait then redis.call('HSET', conversation, 'version', stored[1]) end
    return outcome('replayed')
  end
end

if given.version and given.version ~= version then return outcome('version') end

-- A server that evicts keys under memory pressure takes them one by one.
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

-- A reservation is good for RESERVED_MS, and, made for a conversation that was there, for no other.
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

-- Never backwards, also when a server with another clock has taken over.
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

-- In portions, since Lua's stack holds some thousands of values only.
for from = 2, #ARGV, 4000 do
  redis.call('RPUSH', messages, unpack(ARGV, from, math.min(from + 3999, #ARGV)))
end
-- Afterwards, since a list that is gone for a moment can't be made anew while a Cluster moves its slot.
if replaced > 0 then redis.call('LTRIM', messages, replaced, -1) end
total = total - replaced
version = version + batch
total = total + batch

-- A tool result, which begins with a space, never stays without the call before it: the cut moves past the results,
-- unless nothing else is left; then the last group of call and results stays whole.
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
  -- Rarely, so that it costs a write next to nothing. Keys are remembered for 1,000 further writes at least.
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
