/** Lua as it stands. Fragments define functions and values for the scripts that begin with them. */
export const lua = (parts: TemplateStringsArray, ...fragments: readonly string[]): string =>
  String.raw(parts, ...fragments);

/** The server's time, in whole milliseconds. */
export const clockMs = lua`
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`;

/** The server's time, in microseconds: so that what is done one after the other has times in that order. */
export const clockMicros = lua`
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
-- As text with all digits, which Lua would round.
local function digits(number) return string.format('%.0f', number) end
`;

/** The keys of a conversation's parts: its messages, its idempotency keys, its traces, its messages' own ids. */
export const partKeys = lua`
local function part_keys(prefix, conversation)
  local tag = ':{' .. conversation .. '}'
  return prefix .. 'messages' .. tag, prefix .. 'keys' .. tag, prefix .. 'traces' .. tag, prefix .. 'ids' .. tag
end
`;

/**
 * An index must outlive every conversation in it, also one that is only read: it is kept for twice their `ttl`, and
 * renewed when half a `ttl` has passed. One that holds a conversation without a ttl stays for good, and so does one of
 * which that isn't known: only an index that was just made gets an end.
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
 * An entry is taken away if its conversation was gone after the time that the entry has. That of an import has the
 * time of its source, so beside the indexes of a slot stands when an entry with a time of the past was last made there:
 * what was gone before that says nothing.
 */
export const markImport = lua`
local function mark_import(marker, at)
  local known = redis.call('GET', marker)
  if not known or tonumber(known) < at then redis.call('SET', marker, at, 'PX', 3600000) end
end
`;
