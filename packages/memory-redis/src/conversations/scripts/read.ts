import { clockMs, lua } from "../../lua.ts";
import { enterIndex, partKeys } from "./fragments.ts";

/**
 * Reads conversations without their messages.
 *
 * KEYS  for each: conversation, traces
 * ARGV  1 a trace id, or ''   2 '1' for the fields that statistics need, '' for all
 *
 * Returns the time in ms, and for each: fields and values of the hash, or nil if there is no conversation or the trace
 * hasn't written to it. A key of another type is no conversation.
 */
export const heads = lua`
${clockMs}

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
`;

/**
 * Reads messages of a conversation by their positions, by an own id, or for an export.
 *
 * KEYS  1 conversation   on a Cluster also the keys of its parts, as in `write`
 * ARGV  1 a JSON object; all fields but the first two are optional:
 *         prefix      of all keys
 *         part        maximum number of messages, from the first selected one
 *         after, before, limit   positions, both exclusive; `limit` counts from `after`, else from the end
 *         messageId   selects this message instead
 *         owner       the conversation of another user, or without a user, counts as missing
 *         receipt     an idempotency key
 *         export      true: with the messages' own ids and the traces
 *
 * Returns { the server's time in ms }. If there is a conversation, these follow: fields and values of the hash, index
 * of the first selected message, index after the last, messages, value of the idempotency key or nil, own ids or nil
 * each, traces.
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
 * Reads messages with their digests, in any form of the list.
 *
 * KEYS  1 conversation   on a Cluster also the keys of its parts, as in `write`
 * ARGV  1 prefix of all keys   2 the first position   3 maximum number
 *
 * Returns nil if there is no conversation, else { first position, number of messages, base of the digests, digest or
 * '', messages }.
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
 * Restarts the ttl of a conversation for a read.
 *
 * KEYS  1 conversation   on a Cluster also the keys of its parts, as in `write`
 * ARGV  1 'atomic' if the indexes are on this server   2 prefix of all keys   3 '1' if the indexes were extended
 *       4 the owner of the conversation, or '' for any
 *
 * Returns 0, or, if the indexes must be extended first, { ttl in ms, owner or '', trace ids … }.
 */
export const touch = lua`
${clockMs}
${enterIndex}
${partKeys}

local conversation = KEYS[1]
local messages, keys, traces, ids = part_keys(ARGV[2], conversation)
local stored = redis.call('HMGET', conversation, 'ttlMs', 'indexedAt', 'userId', 'ownTtl')
if ARGV[4] ~= '' and stored[3] ~= ARGV[4] then return 0 end
local ttl = tonumber(stored[1] or '')
-- A ttl that a write has named counts from the last write.
if not ttl or stored[4] then return 0 end

-- Not twice within a hundredth of it, for the sake of those who read all the time.
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

-- A replica may be asked, too: there it can't be done, and the ttl goes on from the last write.
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
`;
