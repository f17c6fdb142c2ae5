import { MOST_TIMERS } from "@jaf/memory/adapter";
import { clockMs, lua } from "../lua.ts";

// Keys in Redis, all in one Cluster slot:
//
//   conversation   hash: for each timer 'u<id>' (its user), 'a<id>' (when it is due), 'c<id>' (its content)
//   user           sorted set: the names of a user's timers by when they are due
//   due            sorted set: the names of all timers by when they are due
//
// All times are in milliseconds since 1970. A name is '<bytes of the conversation id>:<conversation id><timer id>'.
//
// Some keys can only be known when others were read, so they aren't in KEYS. While a Cluster moves the slot, a call with
// such a key fails if the key has moved. So each script calls these keys before it writes to others.

/**
 * A Lua fragment. `startOf(conversation)` returns how the names of a conversation's timers begin. `idsOf(name)` returns
 * the ids of the conversation and of the timer.
 */
const names = lua`
local function startOf(conversation) return #conversation .. ':' .. conversation end
local function idsOf(name)
  local colon = string.find(name, ':', 1, true)
  local last = colon + tonumber(string.sub(name, 1, colon - 1))
  return string.sub(name, colon + 1, last), string.sub(name, last + 1)
end
`;

/**
 * A Lua fragment. `read(list, name, start)` returns a timer of a list. `start` is the start of the keys of conversations.
 * If there is no such timer, because its conversation's key was deleted, it removes the name from the list.
 */
const readTimer = lua`
local function read(list, name, start)
  local conversation, timer = idsOf(name)
  local user, at, content =
    unpack(redis.call('HMGET', start .. conversation, 'u' .. timer, 'a' .. timer, 'c' .. timer))
  if user then return { conversation, timer, user, at, content } end
  redis.call('ZREM', list, name)
end
`;

/**
 * Sets a timer.
 *
 * KEYS  1 conversation   2 due   3 user
 * ARGV  1 conversation id   2 timer id   3 user id   4 when it is due   5 content   6 start of the keys of users
 *
 * Returns 'set', or 'full' if the user has too many timers.
 */
const set = lua`
${names}

local name = startOf(ARGV[1]) .. ARGV[2]
local owner = redis.call('HGET', KEYS[1], 'u' .. ARGV[2])
if owner ~= ARGV[3] then
  if redis.call('ZCARD', KEYS[3]) >= ${String(MOST_TIMERS)} then return 'full' end
  if owner then redis.call('ZREM', ARGV[6] .. owner, name) end
end
redis.call('HSET', KEYS[1], 'u' .. ARGV[2], ARGV[3], 'a' .. ARGV[2], ARGV[4], 'c' .. ARGV[2], ARGV[5])
redis.call('ZADD', KEYS[2], ARGV[4], name)
redis.call('ZADD', KEYS[3], ARGV[4], name)
return 'set'
`;

/**
 * Moves a timer to another time.
 *
 * KEYS  1 conversation   2 due
 * ARGV  1 conversation id   2 timer id   3 when it must be due   4 when it is due next   5 start of the keys of users
 *
 * Returns 1, or 0 if the timer is gone or due at another time.
 */
const move = lua`
${names}

local name = startOf(ARGV[1]) .. ARGV[2]
local owner, at = unpack(redis.call('HMGET', KEYS[1], 'u' .. ARGV[2], 'a' .. ARGV[2]))
if at ~= ARGV[3] then return 0 end
redis.call('ZADD', ARGV[5] .. owner, ARGV[4], name)
redis.call('ZADD', KEYS[2], ARGV[4], name)
redis.call('HSET', KEYS[1], 'a' .. ARGV[2], ARGV[4])
return 1
`;

/**
 * Removes a timer.
 *
 * KEYS  1 conversation   2 due
 * ARGV  1 conversation id   2 timer id   3 when it must be due, or '' if this doesn't matter   4 start of the keys of users
 *
 * Returns 1, or 0 if the timer is gone or due at another time.
 */
const remove = lua`
${names}

local name = startOf(ARGV[1]) .. ARGV[2]
local owner, at = unpack(redis.call('HMGET', KEYS[1], 'u' .. ARGV[2], 'a' .. ARGV[2]))
if not owner or (ARGV[3] ~= '' and at ~= ARGV[3]) then return 0 end
redis.call('ZREM', ARGV[4] .. owner, name)
redis.call('ZREM', KEYS[2], name)
redis.call('HDEL', KEYS[1], 'u' .. ARGV[2], 'a' .. ARGV[2], 'c' .. ARGV[2])
return 1
`;

/**
 * Reads timers that are due.
 *
 * KEYS  1 due
 * ARGV  1 maximum number of timers   2 start of the keys of conversations
 *
 * Returns a list of { conversation id, timer id, user id, when it is due, content }.
 */
const due = lua`
${clockMs}
${names}
${readTimer}

local found = {}
local now = string.format('%.0f', clock())
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])) do
  found[#found + 1] = read(KEYS[1], name, ARGV[2])
end
return found
`;

/**
 * Reads timers of a user.
 *
 * KEYS  1 user
 * ARGV  1 conversation id, or '' for all   2 maximum number of timers   3 start of the keys of conversations
 *
 * Returns a list of { conversation id, timer id, user id, when it is due, content }.
 */
const find = lua`
${names}
${readTimer}

local start = ARGV[1] == '' and '' or startOf(ARGV[1])
local most = tonumber(ARGV[2])
local found = {}
for _, name in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if #found >= most then break end
  if string.sub(name, 1, #start) == start then found[#found + 1] = read(KEYS[1], name, ARGV[3]) end
end
return found
`;

/**
 * Erases the timers of a conversation.
 *
 * KEYS  1 conversation   2 due
 * ARGV  1 conversation id   2 start of the keys of users
 *
 * Returns the number of erased timers.
 */
const eraseConversation = lua`
${names}

local start = startOf(ARGV[1])
local erased = {}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(field, 1, 1) == 'u' then
    local list = ARGV[2] .. redis.call('HGET', KEYS[1], field)
    redis.call('ZCARD', list)
    erased[#erased + 1] = { list, start .. string.sub(field, 2) }
  end
end
for _, timer in ipairs(erased) do
  redis.call('ZREM', timer[1], timer[2])
  redis.call('ZREM', KEYS[2], timer[2])
end
redis.call('UNLINK', KEYS[1])
return #erased
`;

/**
 * Erases the timers of a user.
 *
 * KEYS  1 user   2 due
 * ARGV  1 start of the keys of conversations
 *
 * Returns the number of erased timers.
 */
const eraseUser = lua`
${names}

local erased = redis.call('ZRANGE', KEYS[1], 0, -1)
for _, name in ipairs(erased) do
  local conversation = idsOf(name)
  redis.call('HLEN', ARGV[1] .. conversation)
end
for _, name in ipairs(erased) do
  local conversation, timer = idsOf(name)
  redis.call('HDEL', ARGV[1] .. conversation, 'u' .. timer, 'a' .. timer, 'c' .. timer)
  redis.call('ZREM', KEYS[2], name)
end
redis.call('UNLINK', KEYS[1])
return #erased
`;

export const scripts = { due, eraseConversation, eraseUser, find, move, remove, set } as const;
