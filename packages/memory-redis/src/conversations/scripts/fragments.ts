import { lua } from "../../lua.ts";

/** The keys of a conversation's parts: messages, idempotency keys, traces and the messages' own ids. */
export const partKeys = lua`
local function part_keys(prefix, conversation)
  local tag = ':{' .. conversation .. '}'
  return prefix .. 'messages' .. tag, prefix .. 'keys' .. tag, prefix .. 'traces' .. tag, prefix .. 'ids' .. tag
end
`;

/**
 * Extends the ttl of an index, which must outlive every conversation in it, even one that is only read. It is twice the
 * conversations' ttl, and renewed after half of theirs. An index that holds, or may hold, a conversation without a ttl
 * never expires: only a new index gets a ttl.
 */
export const enterIndex = lua`
local function extend_index(index, ttl, just_made)
  if not ttl then
    redis.call('PERSIST', index)
    return
  end
  local left = redis.call('PTTL', index)
  if left >= 0 and left < 2 * ttl or just_made then redis.call('PEXPIRE', index, 2 * ttl) end
end

-- Enters a conversation in an index, and extends the ttl of the index to that of the conversation.
local function enter_index(index, id, score, ttl)
  local just_made = redis.call('EXISTS', index) == 0
  redis.call('ZADD', index, score, id)
  extend_index(index, ttl, just_made)
end
`;

/** How long an entry may wait for its conversation. */
export const reservedMs = lua`
local RESERVED_MS = 60000
`;

/**
 * Stores beside a slot's indexes when an entry with a past time was last made. An entry is removed if its conversation
 * was missing after the entry's time. Since an import has the time of its source, an absence observed before the import
 * proves nothing.
 */
export const markImport = lua`
local function mark_import(marker, at)
  local known = redis.call('GET', marker)
  if not known or tonumber(known) < at then redis.call('SET', marker, at, 'PX', 3600000) end
end
`;

/**
 * Returns the digest after a stored message's JSON text. Returns nil if there is no message, or if it was written
 * before digests existed.
 */
export const digestAt = lua`
local function digest_at(messages, at)
  local item = redis.call('LRANGE', messages, at, at)[1]
  if not item or string.sub(item, -1) == '}' then return nil end
  return string.sub(item, -40)
end
`;

/**
 * The messages' own ids, in a hash. 'i' + id holds the position and the hash of the content; 'p' + position holds the
 * id, which finds the fields of a message by its position. One function creates the three, since most writes need none
 * of them.
 */
export const ownIds = lua`
local function own_ids(hash)
  -- Hashes by id, of those messages of the batch that are stored before a position. given holds ids and hashes in
  -- turn, '' for a message without.
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

  -- The fields of the messages at some positions, the last exclusive.
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

  -- Without those that new, fields and values in turn, has taken over. Returns how many fields that were.
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
 * Returns the first kept message if at most `max` messages are kept. A tool result, which begins with a space, never
 * stays without its call: the cut moves past results. If only results are left, the last group of call and results
 * stays whole.
 */
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
