// Made of the .lua files beside it by the script "generate": edit those.
export const scripts = {
  confirmIndexEntry: `local function mark_import(marker, at)
  local known = redis.call('GET', marker)
  if not known or tonumber(known) < at then redis.call('SET', marker, at, 'PX', 3600000) end
end
if ARGV[4] then mark_import(ARGV[4], tonumber(ARGV[5])) end
local score = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0)
local reserved = score % 1 ~= 0
if reserved or score < tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
elseif ARGV[3] == '1' then
  redis.call('ZADD', KEYS[1], score + 1, ARGV[1])
  redis.call('ZADD', KEYS[1], score, ARGV[1])
end
return 1
`,
  correctIndexEntry: `local function mark_import(marker, at)
  local known = redis.call('GET', marker)
  if not known or tonumber(known) < at then redis.call('SET', marker, at, 'PX', 3600000) end
end
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if score and tonumber(score) == tonumber(ARGV[2]) then
  if tonumber(ARGV[3]) < tonumber(score) then mark_import(ARGV[4], tonumber(ARGV[5])) end
  redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
end
return 1
`,
  delete: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function part_keys(prefix, conversation)
  local tag = ':{' .. conversation .. '}'
  return prefix .. 'messages' .. tag, prefix .. 'keys' .. tag, prefix .. 'traces' .. tag, prefix .. 'ids' .. tag
end
local conversation = KEYS[1]
local id, user, prefix = ARGV[1], ARGV[2], ARGV[4]
local messages, keys, traces, ids = part_keys(prefix, conversation)
local now = clock()
local stored = redis.call('HMGET', conversation, 'version', 'userId')
local written = redis.call('SMEMBERS', traces)
local present = stored[1] and (user == '' or stored[2] == user)
if present or ARGV[9] == '1' then redis.call('SET', ARGV[6], ARGV[7], 'PX', ARGV[8]) end
if not present then return { 0, now, '' } end
local reply = { 1, now, stored[2] or '' }
redis.call('UNLINK', conversation, messages, keys, traces, ids)
if ARGV[3] == 'atomic' then
  redis.call('ZREM', ARGV[5], id)
  if stored[2] then redis.call('ZREM', prefix .. 'user:' .. stored[2] .. ':conversations', id) end
  for _, trace in ipairs(written) do redis.call('ZREM', prefix .. 'trace:' .. trace .. ':conversations', id) end
else
  for _, trace in ipairs(written) do reply[#reply + 1] = trace end
end
return reply
`,
  extendIndex: `local function extend_index(index, ttl, just_made)
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
  extend_index(index, ttl, just_made)
end
extend_index(KEYS[1], tonumber(ARGV[1]))
return 1
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
  history: `local function part_keys(prefix, conversation)
  local tag = ':{' .. conversation .. '}'
  return prefix .. 'messages' .. tag, prefix .. 'keys' .. tag, prefix .. 'traces' .. tag, prefix .. 'ids' .. tag
end
local messages = part_keys(ARGV[1], KEYS[1])
local stored = redis.call('HMGET', KEYS[1], 'incarnation', 'firstPosition', 'totalMessages', 'base', 'digest')
if not stored[1] then return false end
local first_position = tonumber(stored[2] or 0)
local from = math.max(0, tonumber(ARGV[2]) - first_position)
local items = redis.call('LRANGE', messages, from, from + tonumber(ARGV[3]) - 1)
return { first_position, tonumber(stored[3] or 0), stored[4] or stored[1], stored[5] or '', items }
`,
  indexPage: `local low, high = ARGV[2], ARGV[3]
if ARGV[1] == 'newest' then
  return redis.call('ZREVRANGEBYSCORE', KEYS[1], high, low, 'WITHSCORES', 'LIMIT', 0, ARGV[4])
end
return redis.call('ZRANGEBYSCORE', KEYS[1], low, high, 'WITHSCORES', 'LIMIT', 0, ARGV[4])
`,
  removeIndexEntry: `local imported = redis.pcall('GET', ARGV[3])
if type(imported) == 'table' or imported and tonumber(imported) >= tonumber(ARGV[2]) then return 0 end
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if score and tonumber(score) < tonumber(ARGV[2]) then return redis.call('ZREM', KEYS[1], ARGV[1]) end
return 0
`,
  reserveIndexEntry: `local function extend_index(index, ttl, just_made)
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
  extend_index(index, ttl, just_made)
end
local RESERVED_MS = 60000
local tombstone = KEYS[2] and redis.call('GET', KEYS[2]) or ''
if tombstone ~= '' and tombstone ~= ARGV[4] then return tombstone end
local ttl = tonumber(ARGV[3])
enter_index(KEYS[1], ARGV[1], ARGV[2] + RESERVED_MS + 0.5, ttl > 0 and math.max(ttl, RESERVED_MS) or nil)
return tombstone
`,
  sampleIndex: `return redis.call('ZRANDMEMBER', KEYS[1], ARGV[1])
`,
  selectMessages: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function part_keys(prefix, conversation)
  local tag = ':{' .. conversation .. '}'
  return prefix .. 'messages' .. tag, prefix .. 'keys' .. tag, prefix .. 'traces' .. tag, prefix .. 'ids' .. tag
end
local asked = cjson.decode(ARGV[1])
local conversation = KEYS[1]
local messages, keys, traces, ids = part_keys(asked.prefix, conversation)
local hash = redis.call('HGETALL', conversation)
if #hash == 0 then return { clock() } end
local stored = redis.call('HMGET', conversation, 'firstPosition', 'totalMessages')
local first_position, total = tonumber(stored[1] or 0), tonumber(stored[2])
local function within(low, value) return math.min(math.max(low, value), total) end
local from, to = 0, total
if asked.messageId then
  local position = string.match(redis.call('HGET', ids, 'i' .. asked.messageId) or '', '^%d+')
  from = position and position - first_position or total
  to = within(from, from + 1)
else
  if asked.after then from = within(0, asked.after + 1 - first_position) end
  if asked.before then to = within(from, asked.before - first_position) end
  if asked.limit and asked.after then to = math.min(to, from + asked.limit) end
  if asked.limit and not asked.after then from = math.max(from, to - asked.limit) end
end
local last = math.min(to, from + asked.part)
local items, own = {}, {}
if from < last then
  items = redis.call('LRANGE', messages, from, last - 1)
  if asked.export then
    local fields = {}
    for at = from, last - 1 do fields[#fields + 1] = string.format('p%.0f', first_position + at) end
    own = redis.call('HMGET', ids, unpack(fields))
  end
end
local receipt = asked.receipt and redis.call('HGET', keys, asked.receipt) or false
local trace_ids = asked.export and redis.call('SMEMBERS', traces) or {}
return { clock(), hash, from, to, items, receipt, own, trace_ids }
`,
  tombstone: `redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`,
  touch: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function extend_index(index, ttl, just_made)
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
  extend_index(index, ttl, just_made)
end
local function part_keys(prefix, conversation)
  local tag = ':{' .. conversation .. '}'
  return prefix .. 'messages' .. tag, prefix .. 'keys' .. tag, prefix .. 'traces' .. tag, prefix .. 'ids' .. tag
end
local conversation = KEYS[1]
local messages, keys, traces, ids = part_keys(ARGV[2], conversation)
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
for _, part in ipairs({ messages, keys, traces, ids }) do redis.call('PEXPIREAT', part, now + ttl) end
if not due then return 0 end
redis.call('HSET', conversation, 'indexedAt', now)
if ARGV[1] == 'atomic' then
  if owner then extend_index(ARGV[2] .. 'user:' .. owner .. ':conversations', ttl) end
  for _, trace in ipairs(written) do
    extend_index(ARGV[2] .. 'trace:' .. trace .. ':conversations', ttl)
  end
end
return 0
`,
  write: `local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local RESERVED_MS = 60000
local function part_keys(prefix, conversation)
  local tag = ':{' .. conversation .. '}'
  return prefix .. 'messages' .. tag, prefix .. 'keys' .. tag, prefix .. 'traces' .. tag, prefix .. 'ids' .. tag
end
local function own_ids(hash)
  local function stored(given, before)
    local fields, known = {}, {}
    for at = 1, #given, 2 do
      if given[at] ~= '' then fields[#fields + 1] = 'i' .. given[at] end
    end
    for from = 1, #fields, 4000 do
      local values = redis.call('HMGET', hash, unpack(fields, from, math.min(from + 3999, #fields)))
      for at, value in ipairs(values) do
        local position, content = string.match(value or '', '^(%d+) (.*)$')
        if position and tonumber(position) < before then known[string.sub(fields[from + at - 1], 2)] = content end
      end
    end
    return known
  end
  local function fields_at(first, last)
    local fields = {}
    for from = first, last - 1, 4000 do
      local positions = {}
      for position = from, math.min(from + 4000, last) - 1 do
        positions[#positions + 1] = string.format('p%.0f', position)
      end
      for at, id in ipairs(redis.call('HMGET', hash, unpack(positions))) do
        if id then
          fields[#fields + 1] = positions[at]
          fields[#fields + 1] = 'i' .. id
        end
      end
    end
    return fields
  end
  local function remove(fields, new)
    local kept, gone, count = {}, {}, 0
    for at = 1, #new, 2 do kept[new[at]] = true end
    for _, field in ipairs(fields) do
      if not kept[field] then gone[#gone + 1] = field end
    end
    for from = 1, #gone, 4000 do
      count = count + redis.call('HDEL', hash, unpack(gone, from, math.min(from + 3999, #gone)))
    end
    return count
  end
  return stored, fields_at, remove
end
local function digest_at(messages, at)
  local item = redis.call('LRANGE', messages, at, at)[1]
  if not item or string.sub(item, -1) == '}' then return nil end
  return string.sub(item, -40)
end
local given = cjson.decode(ARGV[1])
local conversation, prefix, indexing = KEYS[1], given.prefix, given.indexing
local messages, keys, traces, ids = part_keys(prefix, conversation)
local user, trace, key, source = given.user, given.trace, given.key, given.source
local replaces = given.mode == 'replace'
local now = clock()
local stored = redis.call('HMGET', conversation,
  'version', 'userId', 'lastActivity', 'incarnation', 'totalMessages', 'writes', 'ttlMs', 'indexedAt', 'firstPosition',
  'base', 'digest')
local exists = stored[1] and true or false
local version = tonumber(stored[1] or 0)
local owner = stored[2]
local last_activity = tonumber(stored[3] or 0)
local total = tonumber(stored[5] or 0)
local writes = tonumber(stored[6] or 0)
local former_ttl = tonumber(stored[7])
local ttl = former_ttl or given.newTtl and given.newTtl * 1000
local first_position = tonumber(stored[9] or 0)
local next_position = first_position + total
local function counter(field) return tonumber(exists and redis.call('HGET', conversation, field) or 0) end
local function outcome(status, actual)
  return { status, actual or version, last_activity, exists and 0 or 1, owner or '', ttl or 0, 0, now }
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
local absent = given.absent
if given.present and given.present ~= stored[4] or absent and exists then return outcome('incarnation') end
if absent then
  local user_found = given.userFound
  if absent.userKey then user_found = redis.call('GET', absent.userKey) end
  local found = redis.call('GET', absent.key)
  if found and found ~= absent.conversation or user_found and user_found ~= '' and user_found ~= absent.user then
    return outcome('incarnation')
  end
end
if given.version and given.version ~= version then return outcome('version') end
if given.metadataVersion then
  local metadata_version = counter('metadataVersion')
  if given.metadataVersion ~= metadata_version then return outcome('metadata-version', metadata_version) end
end
if not exists and not given.create then return outcome('missing') end
local id_fields = (given.ids or given.drop or given.max or ttl or replaces) and counter('ids') or 0
if total > 0 and redis.call('EXISTS', messages) == 0 or id_fields > 0 and redis.call('EXISTS', ids) == 0 then
  return outcome('damaged')
end
local dropped = replaces and total or given.drop or 0
if dropped > total then return outcome('length') end
local cut = next_position - dropped
local base = source and source.firstPosition or replaces and next_position or cut
local added = (#ARGV - 1) / 2
local batch = added
local chosen, new_ids, lost_ids
local stored_ids, ids_at, remove_ids
if given.ids or id_fields > 0 then
  stored_ids, ids_at, remove_ids = own_ids(ids)
  new_ids = {}
  if dropped > 0 then lost_ids = ids_at(cut, next_position) end
end
if given.ids then
  local known = id_fields > 0 and not replaces and stored_ids(given.ids, cut) or {}
  chosen = {}
  for at = 1, added do
    local id, content = given.ids[2 * at - 1], given.ids[2 * at]
    if known[id] and known[id] ~= content then return outcome('message-id') end
    if not known[id] then
      if id ~= '' then
        known[id] = content
        local position, count = string.format('%.0f', base + #chosen), #new_ids
        new_ids[count + 1], new_ids[count + 2] = 'i' .. id, position .. ' ' .. content
        new_ids[count + 3], new_ids[count + 4] = 'p' .. position, id
      end
      chosen[#chosen + 1] = at
    end
  end
  added = #chosen
end
local former_base = stored[10] or stored[4] or given.create
local digest_base = former_base
local digest = stored[11] and stored[11] ~= '' and stored[11] or nil
if replaces and exists then
  digest_base = digest or former_base
  digest = nil
elseif dropped > 0 then
  digest = dropped < total and digest_at(messages, -dropped - 1) or nil
end
local items = {}
for place = 1, added do
  local at = chosen and chosen[place] or place
  digest = redis.sha1hex((digest or digest_base) .. ARGV[1 + batch + at])
  items[place] = ARGV[1 + at] .. digest
end
local new_owner = user and not owner
local new_traces = source and source.traceIds
if trace and not source and (not exists or redis.call('SISMEMBER', traces, trace) == 0) then new_traces = { trace } end
owner = owner or user
ttl = given.ttl and math.min(given.ttl, 1e10) * 1000 or ttl
local renew = ttl and (not exists or new_owner or former_ttl ~= ttl or now - tonumber(stored[8] or 0) >= ttl / 2)
local keep = renew or not exists or new_owner
local written_traces
if renew and exists then written_traces = redis.call('SMEMBERS', traces) end
local unreserved = indexing == 'ask' and (keep or new_traces)
  or indexing == 'reserved' and (now >= given.reservedAt + RESERVED_MS or not exists and not given.reservedNew
    or renew and exists and not given.kept)
if unreserved then
  local reply = outcome('reserve')
  reply[5] = stored[2] or ''
  reply[7] = renew and exists and 1 or 0
  for _, written in ipairs(written_traces or {}) do reply[#reply + 1] = written end
  return reply
end
last_activity = source and source.lastActivity or math.max(now, last_activity)
if indexing == 'atomic' then
  if given.markers then
local function mark_import(marker, at)
  local known = redis.call('GET', marker)
  if not known or tonumber(known) < at then redis.call('SET', marker, at, 'PX', 3600000) end
end
    for _, marker in ipairs(given.markers) do mark_import(marker, now) end
  end
  redis.call('ZADD', given.recent, last_activity, given.id)
  local owned = owner and prefix .. 'user:' .. owner .. ':conversations'
  if owned and not keep then redis.call('ZADD', owned, last_activity, given.id) end
  if keep or new_traces then
local function extend_index(index, ttl, just_made)
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
  extend_index(index, ttl, just_made)
end
    if owned and keep then enter_index(owned, given.id, last_activity, ttl) end
    for _, new in ipairs(new_traces or {}) do
      enter_index(prefix .. 'trace:' .. new .. ':conversations', given.id, last_activity, ttl)
    end
    for _, written in ipairs(written_traces or {}) do
      extend_index(prefix .. 'trace:' .. written .. ':conversations', ttl)
    end
  end
end
if not exists then redis.call('DEL', messages, keys, traces, ids) end
if replaces and exists then
  for _, field in ipairs(redis.call('HKEYS', conversation)) do
    if string.sub(field, 1, 9) == 'metadata:' then redis.call('HDEL', conversation, field) end
  end
end
local former_id_fields = id_fields
if new_ids and #new_ids > 0 then
  if exists and id_fields == 0 then redis.call('DEL', ids) end
  for from = 1, #new_ids, 4000 do
    id_fields = id_fields + redis.call('HSET', ids, unpack(new_ids, from, math.min(from + 3999, #new_ids)))
  end
end
if lost_ids then id_fields = id_fields - remove_ids(lost_ids, new_ids) end
if dropped > 0 and dropped < total then redis.call('LTRIM', messages, 0, -dropped - 1) end
for from = 1, added, 4000 do
  redis.call('RPUSH', messages, unpack(items, from, math.min(from + 3999, added)))
end
if dropped > 0 and dropped == total then redis.call('LTRIM', messages, dropped, -1) end
total = total - dropped + added
first_position = base + added - total
local trimmed = 0
if given.max and total > given.max then
local function trim_cut(messages, total, max)
  local cut = total - max
  local PORTION = 100
  local function is_message(item) return string.sub(item, 1, 1) ~= ' ' end
  local at = cut
  while at < total do
    for offset, item in ipairs(redis.call('LRANGE', messages, at, at + PORTION - 1)) do
      if is_message(item) then return at + offset - 1 end
    end
    at = at + PORTION
  end
  at = cut
  while at > 0 do
    local from = math.max(0, at - PORTION)
    local items = redis.call('LRANGE', messages, from, at - 1)
    for offset = #items, 1, -1 do
      if is_message(items[offset]) then return from + offset - 1 end
    end
    at = from
  end
  return cut
end
  trimmed = trim_cut(messages, total, given.max)
  if id_fields > 0 then
    id_fields = id_fields - remove_ids(ids_at(first_position, first_position + trimmed), {})
  end
  digest_base = digest_at(messages, trimmed - 1) or digest_base
  redis.call('LTRIM', messages, trimmed, -1)
  total = total - trimmed
  first_position = first_position + trimmed
end
if new_traces then
  for from = 1, #new_traces, 4000 do
    redis.call('SADD', traces, unpack(new_traces, from, math.min(from + 3999, #new_traces)))
  end
end
writes = writes + 1
if key then
  redis.call('HSET', keys, key, given.hash .. ' ' .. writes .. string.format(' %.0f', first_position + total))
  if redis.call('HLEN', keys) > 1500 then
    local known = redis.call('HGETALL', keys)
    for at = 1, #known, 2 do
      if tonumber(string.match(known[at + 1], ' (%d+) ')) < writes - 1000 then
        redis.call('HDEL', keys, known[at])
      end
    end
  end
end
if source then
  version = source.version
elseif replaces or not exists or dropped + added + trimmed > 0 then
  version = version + 1
end
local fields = {
  'version', version, 'lastActivity', last_activity, 'totalMessages', total, 'writes', writes,
}
local function set(field, value)
  fields[#fields + 1] = field
  fields[#fields + 1] = value
end
if not exists then
  set('incarnation', given.create)
  set('createdAt', source and source.createdAt or last_activity)
elseif replaces or dropped + trimmed > 0 then
  set('rewritten', version)
end
if first_position ~= tonumber(stored[9] or 0) then set('firstPosition', first_position) end
if (digest or '') ~= (stored[11] or '') then set('digest', digest or '') end
if digest_base ~= former_base then set('base', digest_base) end
if owner and (not exists or new_owner) then set('userId', owner) end
if ttl then set('ttlMs', ttl) end
if given.ttl then set('ownTtl', given.ttl) end
if renew then set('indexedAt', now) end
if id_fields ~= former_id_fields then set('ids', id_fields) end
local metadata = given.metadata
if source then
  set('metadataVersion', source.metadataVersion)
elseif replaces or metadata then
  set('metadataVersion', counter('metadataVersion') + 1)
end
if metadata then
  for at = 1, #metadata, 2 do set('metadata:' .. metadata[at], metadata[at + 1]) end
end
for from = 1, #fields, 4000 do
  redis.call('HSET', conversation, unpack(fields, from, math.min(from + 3999, #fields)))
end
if ttl then
  local ends = ttl + (source and given.ttl and last_activity or now)
  for _, part in ipairs({ conversation, keys, traces }) do redis.call('PEXPIREAT', part, ends) end
  if total > 0 then redis.call('PEXPIREAT', messages, ends) end
  if id_fields > 0 then redis.call('PEXPIREAT', ids, ends) end
end
local receipt = string.format('%.0f %.0f %.0f %s', version, first_position + total, total,
  digest or total == 0 and digest_base or '')
if indexing == 'atomic' and (exists or not ttl) then return receipt end
return { 'written', version, last_activity, exists and 0 or 1, owner or '', ttl or 0, 0, now, receipt }
`,
} as const;
