import { clockMs, lua } from "../../lua.ts";
import {
  childOffset,
  childrenKey,
  digestAt,
  enterIndex,
  markImport,
  ownIds,
  partKeys,
  reservedMs,
  trimCut,
} from "./fragments.ts";

/**
 * Writes to one conversation. Checks in this order: expiry (by Redis itself), owner, idempotency, incarnation, version,
 * metadata version, existence, parent, length, message ids.
 *
 * KEYS  1 conversation   on a Cluster also the keys of its messages, idempotency keys, traces and own ids, and of its
 *                        tombstone and its parent if they are checked: while the Cluster moves one of them, the script
 *                        doesn't run
 * ARGV  1 a JSON object; all fields but the first four are optional:
 *         prefix      prefix of all keys
 *         mode        'append' or 'replace'
 *         id          conversation id
 *         indexing    'atomic'   all keys are on this server: the script updates the indexes
 *                     'ask'      the indexes may be on other servers: write only if no entry must be reserved first
 *                     'reserved' the caller has reserved entries at the time `reservedAt` (ms since 1970).
 *                                `reservedNew`: true if the conversation didn't exist at that time.
 *                                `kept`: true if the caller has extended the conversation's other indexes for the ttl
 *         recent      for 'atomic': key of the index that lists this conversation among all conversations
 *         create      the incarnation of a new conversation; without it, no conversation is created
 *         childOf     the parent of a new conversation: `id` as in its key, and its expected `incarnation`. Except with
 *                     'atomic', `tombstone` is the key of the new conversation's tombstone
 *         gone        with 'reserved', for a new child: content of its tombstone before it was registered. `childTtl`:
 *                     its ttl in ms, if its parent has one
 *         present     the expected incarnation
 *         absent      expects that the conversation doesn't exist, and that these tombstones are unchanged:
 *                     `conversation` and `user` are their contents, '' for no tombstone. `key`: key of the
 *                     conversation's tombstone. `userKey`: for 'atomic', key of the user's tombstone
 *         userFound   content of the user's tombstone, if the caller has read it on another server
 *         user        user id of the writer
 *         trace       id of the trace that writes
 *         version, metadataVersion   the expected versions
 *         key, hash   the idempotency key and the hash of the write
 *         drop        number of messages to drop from the end before the write
 *         max         number of messages to keep after the write
 *         ids         alternating own ids of the messages and hashes of their contents, '' for a message without an id
 *         source      for an import: createdAt, lastActivity, version, metadataVersion, firstPosition, traceIds
 *         markers     for an import with 'atomic': the import markers of the indexes, see `markImport`
 *         ttl         the ttl that this write sets, in seconds
 *         newTtl      the ttl of a conversation that has none yet, in seconds
 *         wait        true if the caller waits for replicas
 *         metadata    alternating fields and values
 *       2 … messages, each a JSON text, with a space before the text of a tool result. Then, for each message, the
 *           SHA-256 of its text without that space, in hex
 *
 * Returns { status; version; last activity in ms since 1970; 1 if the conversation didn't exist, else 0; owner or '';
 * ttl in ms or 0; `keep`; time in ms since 1970; id of the parent as in its key, or '' }. With the status 'written', a
 * receipt follows. It consists of version, next position, number of messages and digest, separated by spaces.
 *
 * Status 'written': the write was made.
 * 'replayed': an earlier attempt with the same idempotency key has made the write; this attempt changed nothing.
 * 'reserve': nothing was written, and index entries must be reserved first. A new child must also be registered at its
 *   parent. If `keep` is 1, the ttl of the indexes of the owner, of the trace ids and of the parent's children must also
 *   be extended to the returned ttl. Two values follow: content of the tombstone of a new child, or ''; trace ids …
 * 'missing': the conversation doesn't exist and was not to be created.
 * 'damaged': a part of the conversation is gone.
 * 'owner', 'idempotency-key', 'incarnation', 'version', 'metadata-version', 'length', 'message-id': the check that
 *   refused the write. With 'metadata-version', the actual metadata version is returned in place of the version.
 *
 * Everything that can fail comes before the conversation changes: reads, which fail if a key has the wrong type, and
 * updates of indexes. Redis has no rollback, but an index entry without its conversation does no harm. The script never
 * removes a key that it will create again: while a Cluster moves the key's slot, it couldn't create the key.
 */
export const write = lua`
${clockMs}
${reservedMs}
${partKeys}
${ownIds}
${digestAt}
${childrenKey}

local given = cjson.decode(ARGV[1])
local conversation, prefix, indexing = KEYS[1], given.prefix, given.indexing
local messages, keys, traces, ids = part_keys(prefix, conversation)
local user, trace, key, source = given.user, given.trace, given.key, given.source
local replaces = given.mode == 'replace'

local now = clock()
local stored = redis.call('HMGET', conversation,
  'version', 'userId', 'lastActivity', 'incarnation', 'totalMessages', 'writes', 'ttlMs', 'indexedAt', 'firstPosition',
  'base', 'digest', 'childOf')
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
-- child_of: the id of the parent as in its key. gone: content of the tombstone of a new child.
local child_of, gone = stored[12] or nil, ''

-- Looks up a number that only some writes need.
local function counter(field) return tonumber(exists and redis.call('HGET', conversation, field) or 0) end

local function outcome(status, actual)
  return { status, actual or version, last_activity, exists and 0 or 1, owner or '', ttl or 0, 0, now, child_of or '' }
end

local function reserve(keep, written_traces)
  local reply = outcome('reserve')
  reply[5] = stored[2] or ''
  reply[7] = keep
  reply[10] = gone
  for _, written in ipairs(written_traces or {}) do reply[#reply + 1] = written end
  return reply
end

if owner and user and owner ~= user then return outcome('owner') end

if exists and key then
  local known = redis.call('HGET', keys, key)
  if known then
    if string.sub(known, 1, #given.hash) ~= given.hash then return outcome('idempotency-key') end
    -- WAIT counts from this connection's last write. So make one, which comes after the write that is confirmed here.
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
  -- If a tombstone has expired since the caller read it, nothing was erased meanwhile: an erasure leaves a new
  -- tombstone.
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

if not exists and given.childOf then
  child_of = given.childOf.id
  if indexing == 'atomic' then
    local parent = redis.call('HMGET', prefix .. child_of, 'incarnation', 'userId', 'ttlMs')
    if parent[1] ~= given.childOf.incarnation then return outcome('incarnation') end
    if (parent[2] or nil) ~= user then return outcome('owner') end
    ttl = tonumber(parent[3]) or ttl
  else
    -- The script registerChild checks the parent, and explains why the child may be created if its tombstone is
    -- unchanged.
    gone = redis.call('GET', given.childOf.tombstone) or ''
    if indexing == 'ask' or gone ~= '' and gone ~= given.gone then return reserve(0) end
    ttl = given.childTtl or ttl
  end
end

-- If a server evicts keys because its memory is full, it may evict only some of a conversation's keys.
local id_fields = (given.ids or given.drop or given.max or ttl or replaces) and counter('ids') or 0
if total > 0 and redis.call('EXISTS', messages) == 0 or id_fields > 0 and redis.call('EXISTS', ids) == 0 then
  return outcome('damaged')
end

local dropped = replaces and total or given.drop or 0
if dropped > total then return outcome('length') end

-- The messages before this position stay, and the batch follows them. Only positions of dropped messages are used
-- again.
local cut = next_position - dropped
local base = source and source.firstPosition or replaces and next_position or cut

local added = (#ARGV - 1) / 2
local batch = added
-- chosen: the messages of the batch to add, without those that are already stored under their own ids. new_ids,
-- lost_ids: the fields of the ids that are added and removed.
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

-- digest: the digest of the last message that stays before the batch. digest_base: the digest of the messages that are
-- no longer stored.
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
-- A child is in no index of a trace.
local listed_traces, written_traces = not child_of and new_traces, nil
if renew and exists and not child_of then written_traces = redis.call('SMEMBERS', traces) end

-- A reservation is valid for RESERVED_MS. If it was made for an existing conversation, it is valid only for that one. If
-- it was made for a new one, another writer may have created it since, as a child or as no child.
local unreserved = indexing == 'ask' and (keep or listed_traces)
  or indexing == 'reserved' and (now >= given.reservedAt + RESERVED_MS or not exists and not given.reservedNew
    or exists and given.reservedNew and child_of ~= (given.childOf and given.childOf.id)
    or renew and exists and not given.kept)
if unreserved then return reserve(renew and exists and 1 or 0, written_traces) end

-- The time never goes backwards, even if a server with another clock has taken over.
last_activity = source and source.lastActivity or math.max(now, last_activity)

if indexing == 'atomic' then
  if given.markers then
${markImport}
    for _, marker in ipairs(given.markers) do mark_import(marker, now) end
  end
  local siblings = child_of and children_key(prefix, prefix .. child_of)
  if not siblings or not keep then redis.call('ZADD', siblings or given.recent, last_activity, given.id) end
  local owned = owner and prefix .. 'user:' .. owner .. ':conversations'
  local owned_score = last_activity
  if siblings then
${childOffset}
    owned_score = last_activity - CHILD_OFFSET_MS
  end
  if owned and not keep then redis.call('ZADD', owned, owned_score, given.id) end
  if keep or listed_traces then
${enterIndex}
    if siblings and keep then enter_index(siblings, given.id, last_activity, ttl) end
    if owned and keep then enter_index(owned, given.id, owned_score, ttl) end
    for _, new in ipairs(listed_traces or {}) do
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

-- The fields are counted, not looked up again: Redis removes a hash with its last field.
local former_id_fields = id_fields
if new_ids and #new_ids > 0 then
  if exists and id_fields == 0 then redis.call('DEL', ids) end
  for from = 1, #new_ids, 4000 do
    id_fields = id_fields + redis.call('HSET', ids, unpack(new_ids, from, math.min(from + 3999, #new_ids)))
  end
end
if lost_ids then id_fields = id_fields - remove_ids(lost_ids, new_ids) end

if dropped > 0 and dropped < total then redis.call('LTRIM', messages, 0, -dropped - 1) end
-- In portions, because Lua's stack holds only some thousands of values.
for from = 1, added, 4000 do
  redis.call('RPUSH', messages, unpack(items, from, math.min(from + 3999, added)))
end
if dropped > 0 and dropped == total then redis.call('LTRIM', messages, dropped, -1) end
total = total - dropped + added
first_position = base + added - total

local trimmed = 0
if given.max and total > given.max then
${trimCut}
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
  -- An idempotency key is kept for at least 1,000 further writes. Examining all keys to remove a third of them costs
  -- each write 6 µs on average; to remove a tenth of them would cost 22 µs.
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
  if child_of then
    set('childOf', child_of)
    set('parentIncarnation', given.childOf.incarnation)
  end
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
  -- If an import sets a ttl, the ttl counts from the last activity of the import's source.
  local ends = ttl + (source and given.ttl and last_activity or now)
  for _, part in ipairs({ conversation, keys, traces }) do redis.call('PEXPIREAT', part, ends) end
  if total > 0 then redis.call('PEXPIREAT', messages, ends) end
  if id_fields > 0 then redis.call('PEXPIREAT', ids, ends) end
end

local receipt = string.format('%.0f %.0f %.0f %s', version, first_position + total, total,
  digest or total == 0 and digest_base or '')

local reply = outcome('written')
reply[#reply + 1] = receipt
return reply
`;
