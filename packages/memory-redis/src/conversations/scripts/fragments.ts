import { lua } from "../../lua.ts";
import { CHILD_OFFSET_MS } from "../scores.ts";

/**
 * A Lua fragment. `part_keys` returns the keys of a conversation's messages, idempotency keys, traces, and own ids of
 * messages (ids that writers gave to messages).
 */
export const partKeys = lua`
local function part_keys(prefix, conversation)
  local tag = ':{' .. conversation .. '}'
  return prefix .. 'messages' .. tag, prefix .. 'keys' .. tag, prefix .. 'traces' .. tag, prefix .. 'ids' .. tag
end
`;

/** A Lua fragment. `children_key` returns the key of the index of a conversation's children. */
export const childrenKey = lua`
local function children_key(prefix, conversation) return prefix .. 'children:{' .. conversation .. '}' end
`;

/** A Lua fragment: how much lower than its time the score of a child is in the index of its user. */
export const childOffset = lua`
local CHILD_OFFSET_MS = ${String(CHILD_OFFSET_MS)}
`;

/**
 * A Lua fragment. `enter_index` adds a conversation to an index. `extend_index` extends the ttl of an index to twice
 * the ttl of a conversation in it.
 */
// An index must outlive every conversation in it, even a conversation that is only read. An index without a ttl may
// hold a conversation without a ttl, so only a new index gets a ttl.
export const enterIndex = lua`
local function extend_index(index, ttl, just_made)
  if not ttl then
    redis.call('PERSIST', index)
    return
  end
  local left = redis.call('PTTL', index)
  if left >= 0 and left < 2 * ttl or just_made then redis.call('PEXPIRE', index, 2 * ttl) end
end

-- Enters a conversation in an index, and extends the ttl of the index so it outlives the conversation. ttl: that of the
-- conversation, or nil.
local function enter_index(index, id, score, ttl)
  local just_made = redis.call('EXISTS', index) == 0
  redis.call('ZADD', index, score, id)
  extend_index(index, ttl, just_made)
end
`;

/** A Lua fragment: how many milliseconds a reserved index entry may wait for its conversation to be written. */
export const reservedMs = lua`
local RESERVED_MS = 60000
`;

/**
 * A Lua fragment. `mark_import` stores the time of an import in a marker, which all indexes of a Cluster slot share.
 */
// A reader removes the index entry of a missing conversation, unless the entry's time is after the read: then the
// conversation may have been created since. But the entry of an imported conversation has a past time, so the reader
// compares the marker, too.
export const markImport = lua`
local function mark_import(marker, at)
  local known = redis.call('GET', marker)
  if not known or tonumber(known) < at then redis.call('SET', marker, at, 'PX', 3600000) end
end
`;

/**
 * A Lua fragment. `digest_at` returns the digest of the message at a list index. Returns nil if there is no message, or
 * if the message has no digest.
 */
export const digestAt = lua`
local function digest_at(messages, at)
  local item = redis.call('LRANGE', messages, at, at)[1]
  if not item or string.sub(item, -1) == '}' then return nil end
  return string.sub(item, -40)
end
`;

/**
 * A Lua fragment. `own_ids` returns three functions for the Redis hash of the messages' own ids (the ids that writers
 * gave to messages).
 */
// The field 'i' + id holds the message's position and the hash of its content. The field 'p' + position holds the id.
export const ownIds = lua`
local function own_ids(hash)
  -- Returns hashes of contents by id, for those messages of a batch that are already stored before a position. given:
  -- alternating ids and hashes of the batch, '' for a message without an id.
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

  -- Returns the fields of the messages from the position first to the position last, exclusive.
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

  -- Removes fields, except for those that new sets again. new: alternating fields and values. Returns the number of
  -- removed fields.
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
`;

/**
 * A Lua fragment. `trim_cut` returns the list index of the first message to keep, if about `max` messages are to be
 * kept. A tool result is never kept without its call.
 */
// The text of a tool result begins with a space. The cut moves towards the end, past tool results. If only tool results
// would be left, it moves back to their call.
export const trimCut = lua`
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
`;
