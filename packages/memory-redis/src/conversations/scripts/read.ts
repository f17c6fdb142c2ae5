import { clockMs, lua } from "../../lua.ts";
import { childrenKey, enterIndex, partKeys } from "./fragments.ts";

/**
 * Reads conversations without their messages.
 *
 * KEYS  for each conversation: its key, and the key of its traces
 * ARGV  1 a trace id, to find only the conversations to which this trace has written, or ''
 *       2 '1' to read only the fields that statistics need, '' to read all fields
 *
 * Returns { time in ms since 1970, one value for each conversation … }. A value has the fields and values of the
 * conversation's hash. It is nil if the conversation isn't found.
 */
export const heads = lua`
${clockMs}

local function read(conversation)
  if ARGV[2] == '' then return redis.pcall('HGETALL', conversation) end
  local values = redis.pcall('HMGET', conversation, 'userId', 'createdAt', 'totalMessages', 'childOf')
  if not values[2] then return {} end
  return {
    'userId', values[1] or '', 'createdAt', values[2], 'totalMessages', values[3], 'childOf', values[4] or '',
  }
end

local reply = { clock() }
for at = 1, #KEYS, 2 do
  local fields = read(KEYS[at])
  local wanted = #fields > 0 and (ARGV[1] == '' or redis.call('SISMEMBER', KEYS[at + 1], ARGV[1]) == 1)
  reply[#reply + 1] = wanted and fields or false
end
return reply
`;

/**
 * Reads messages of a conversation by their positions, by the message's own id, or for an export.
 *
 * KEYS  1 conversation   on a Cluster also the keys of its messages, idempotency keys, traces and own ids
 * ARGV  1 a JSON object; all fields but the first two are optional:
 *         prefix      prefix of all keys
 *         part        maximum number of messages to return, from the first selected one
 *         after       the selected messages come after this position
 *         before      the selected messages come before this position
 *         limit       maximum number of selected messages: the first ones if `after` is set, else the last ones
 *         messageId   a message's own id: selects this message, and ignores the positions
 *         owner       a conversation that belongs to another user, or to no user, counts as missing
 *         receipt     the idempotency key whose value is to be returned
 *         export      true: also return the messages' own ids and the conversation's traces
 *
 * Returns { the server's time in ms since 1970 } if there is no conversation. If there is one, these values follow:
 * fields and values of the conversation's hash; list index of the first selected message; list index after the last
 * selected message; messages; value of the idempotency key or nil; for an export, the own id of each message or nil;
 * for an export, the trace ids.
 */
export const selectMessages = lua`
${clockMs}
${partKeys}

local asked = cjson.decode(ARGV[1])
local conversation = KEYS[1]
local messages, keys, traces, ids = part_keys(asked.prefix, conversation)

if asked.owner and redis.call('HGET', conversation, 'userId') ~= asked.owner then return { clock() } end
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
`;

/**
 * Reads messages with their digests.
 *
 * KEYS  1 conversation   on a Cluster also the keys of its messages, idempotency keys, traces and own ids
 * ARGV  1 prefix of all keys   2 position of the first message to read   3 maximum number of messages
 *
 * Returns nil if there is no conversation. Otherwise returns { position of the first stored message; actual number of
 * stored messages; digest before the first message; digest of the last message or ''; messages }.
 */
export const history = lua`
${partKeys}

local messages = part_keys(ARGV[1], KEYS[1])
local stored = redis.call('HMGET', KEYS[1], 'incarnation', 'firstPosition', 'totalMessages', 'base', 'digest')
if not stored[1] then return false end
local first_position = tonumber(stored[2] or 0)
local from = math.max(0, tonumber(ARGV[2]) - first_position)
local items = redis.call('LRANGE', messages, from, from + tonumber(ARGV[3]) - 1)
return { first_position, tonumber(stored[3] or 0), stored[4] or stored[1], stored[5] or '', items }
`;

/**
 * Restarts the ttl of a conversation that was read.
 *
 * KEYS  1 conversation   on a Cluster also the keys of its messages, idempotency keys, traces and own ids
 * ARGV  1 'atomic' if the indexes are on this server   2 prefix of all keys
 *       3 '1' if the caller has extended the ttl of the indexes, else '0'
 *       4 a user id: if the conversation doesn't belong to this user, its ttl doesn't change; '' for any user
 *
 * Returns 0 if nothing is left to do. If the caller must first extend the ttl of the indexes, changes nothing and
 * returns { ttl of the conversation in ms; owner or ''; id of the parent as in its key or ''; trace ids, except of a
 * child … }.
 */
export const touch = lua`
${clockMs}
${enterIndex}
${partKeys}
${childrenKey}

local conversation = KEYS[1]
local messages, keys, traces, ids = part_keys(ARGV[2], conversation)
local stored = redis.call('HMGET', conversation, 'ttlMs', 'indexedAt', 'userId', 'ownTtl', 'childOf')
if ARGV[4] ~= '' and stored[3] ~= ARGV[4] then return 0 end
local ttl = tonumber(stored[1] or '')
-- A ttl that a write has set counts from the last write, so a read doesn't restart it.
if not ttl or stored[4] then return 0 end

-- Restart the ttl only after a hundredth of it has passed, because some applications read all the time.
if redis.call('PTTL', conversation) > ttl - ttl / 100 then return 0 end
local now = clock()
local due = now - tonumber(stored[2] or 0) >= ttl / 2
local owner, child_of, written = stored[3], stored[5], {}
if due and not child_of then written = redis.call('SMEMBERS', traces) end
if due and ARGV[1] ~= 'atomic' and ARGV[3] ~= '1' then
  local reply = { ttl, owner or '', child_of or '' }
  for _, trace in ipairs(written) do reply[#reply + 1] = trace end
  return reply
end

-- This server may be a replica, where the ttl can't be changed. Then the ttl goes on from the last write.
if type(redis.pcall('PEXPIREAT', conversation, now + ttl)) == 'table' then return 0 end
for _, part in ipairs({ messages, keys, traces, ids }) do redis.call('PEXPIREAT', part, now + ttl) end
if not due then return 0 end

redis.call('HSET', conversation, 'indexedAt', now)
if ARGV[1] == 'atomic' then
  if owner then extend_index(ARGV[2] .. 'user:' .. owner .. ':conversations', ttl) end
  if child_of then extend_index(children_key(ARGV[2], ARGV[2] .. child_of), ttl) end
  for _, trace in ipairs(written) do
    extend_index(ARGV[2] .. 'trace:' .. trace .. ':conversations', ttl)
  end
end
return 0
`;
