-- Reads some messages of a conversation by their positions, by an id of their own, or for an export.
--
-- KEYS  1 conversation   on a Cluster also the keys of its parts, as in write.lua
-- ARGV  1 a JSON object, of which all but the first two may be absent:
--         prefix      of all keys
--         part        at most this many messages, from the first that is selected
--         after, before, limit   positions, both exclusive; `limit` counts from `after`, else from the end
--         messageId   selects this one instead
--         receipt     an idempotency key
--         export      true: with the messages' own ids and the traces
--
-- Returns { the server's time in ms }, and behind it, if there is one: fields and values of the hash, index of the first
-- selected, index behind the last, messages, value of the idempotency key or nil, own ids or nil each, traces.

--@include clock.lua
--@include part-keys.lua

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
