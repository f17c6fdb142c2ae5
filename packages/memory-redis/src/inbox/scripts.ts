import { INBOX_KEY_SECONDS, MOST_INBOX_ENTRIES } from "@jaf/memory/adapter";
import { clockMicros, lua } from "../lua.ts";

// Keys in Redis:
//
//   inbox     hash: 'epoch', 'user' (the owner), 'last' (the number of the last entry), 'oldest' (the number of the oldest
//             entry; absent if the inbox is empty), 'list' (the key of the list of the user's inboxes)
//   entries   sorted set: '<number> <entry as JSON>' by number
//   known     sorted set: keys of entries by the number of the entry
//   lists     sorted sets of conversation ids. The score is the number of the oldest entry. In the list of a user's
//             inboxes, an empty inbox has the time until which its keys are known, as a negative number.
//
// The number of an entry is the time of its put in microseconds since 1970, or one more than the last number if this is
// greater. So the order of the numbers is that of the puts, even if the clock is set back.

/** A Lua fragment. How long a key is known: `KEY_US` in microseconds, `KEY_MS` in milliseconds. */
const keyTime = lua`
local KEY_US = ${String(INBOX_KEY_SECONDS * 1_000_000)}
local KEY_MS = ${String(INBOX_KEY_SECONDS * 1_000)}
`;

/**
 * A Lua fragment. `listInbox` sets the score of an inbox in a list. Without `score`, it removes the inbox from the list.
 * A list of empty inboxes expires with the last of their keys.
 */
const listInbox = lua`
local function listInbox(list, conversation, score, now)
  redis.call('ZREMRANGEBYSCORE', list, '(' .. digits(-now), '(0')
  if score then redis.call('ZADD', list, digits(score), conversation)
  else redis.call('ZREM', list, conversation) end
  if redis.call('ZCOUNT', list, 0, '+inf') > 0 then redis.call('PERSIST', list)
  else redis.call('PEXPIRE', list, KEY_MS) end
end
`;

/**
 * Puts an entry, unless its key is known or the inbox is full. Erases the inbox first if it is another user's.
 *
 * KEYS  1 inbox   2 entries   3 known keys   4 list of waiting inboxes   5 list of the user's inboxes
 *       4 and 5 are absent if they may be on another server
 * ARGV  1 conversation id   2 user id   3 key of the entry   4 the entry as JSON   5 epoch of a new inbox
 *       6 key of the list of the user's inboxes
 *
 * Returns { 'new' or 'known', epoch, number of the entry, number of the oldest entry or '', user of the erased inbox or
 * '' }, or { 'full' }.
 */
const put = lua`
${clockMicros}
${keyTime}
${listInbox}

local epoch, user, last, oldest, list =
  unpack(redis.call('HMGET', KEYS[1], 'epoch', 'user', 'last', 'oldest', 'list'))
local now = clock()
local former = ''
if epoch and user ~= ARGV[2] then
  if KEYS[4] then listInbox(list, ARGV[1], nil, now) end
  redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
  former, epoch, oldest = user, nil, nil
end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', digits(now - KEY_US))
local known = redis.call('ZSCORE', KEYS[3], ARGV[3])
if epoch and known then
  return { 'known', epoch, digits(tonumber(known)), oldest or '', '' }
end
if redis.call('ZCARD', KEYS[2]) >= ${String(MOST_INBOX_ENTRIES)} then return { 'full' } end
if not epoch then epoch, last, list = ARGV[5], 0, ARGV[6] end
local number = math.max(last + 1, now)
redis.call('HSET', KEYS[1], 'epoch', epoch, 'user', ARGV[2], 'last', digits(number), 'oldest', oldest or digits(number),
  'list', list)
redis.call('PERSIST', KEYS[1])
redis.call('ZADD', KEYS[2], digits(number), digits(number) .. ' ' .. ARGV[4])
redis.call('ZADD', KEYS[3], digits(number), ARGV[3])
redis.call('PEXPIRE', KEYS[3], KEY_MS)
if KEYS[4] and not oldest then
  listInbox(KEYS[4], ARGV[1], number, now)
  listInbox(list, ARGV[1], number, now)
end
return { 'new', epoch, digits(number), oldest or digits(number), former }
`;

/**
 * Reads entries.
 *
 * KEYS  1 inbox   2 entries
 * ARGV  1 epoch of a cursor, or ''   2 number of the cursor   3 maximum number of entries
 *
 * Returns { epoch, owner, entries }. Returns an empty list if there is no inbox.
 */
const read = lua`
local epoch, user = unpack(redis.call('HMGET', KEYS[1], 'epoch', 'user'))
if not epoch then return {} end
local from = epoch == ARGV[1] and '(' .. ARGV[2] or '-inf'
return { epoch, user, redis.call('ZRANGEBYSCORE', KEYS[2], from, '+inf', 'LIMIT', 0, ARGV[3]) }
`;

/**
 * Removes the entries up to a cursor.
 *
 * KEYS  1 inbox   2 entries   3 list of waiting inboxes; absent if it may be on another server
 * ARGV  1 conversation id   2 epoch of the cursor   3 number of the cursor
 *
 * Returns { number of removed entries, owner, number of the oldest entry that is left, or '' }.
 */
const remove = lua`
${clockMicros}
${keyTime}
${listInbox}

local epoch, user, list = unpack(redis.call('HMGET', KEYS[1], 'epoch', 'user', 'list'))
if epoch ~= ARGV[2] then return { 0, '', '' } end
local removed = redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[3])
if removed == 0 then return { 0, '', '' } end
local now = clock()
local oldest = tonumber(redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2])
if oldest then
  redis.call('HSET', KEYS[1], 'oldest', digits(oldest))
else
  redis.call('HDEL', KEYS[1], 'oldest')
  redis.call('PEXPIRE', KEYS[1], KEY_MS)
end
if KEYS[3] then
  listInbox(KEYS[3], ARGV[1], oldest, now)
  listInbox(list, ARGV[1], oldest or -(now + KEY_US), now)
end
return { removed, user, oldest and digits(oldest) or '' }
`;

/**
 * Erases an inbox, or erases it only if it is one of a user.
 *
 * KEYS  1 inbox   2 entries   3 known keys   4 list of waiting inboxes   5 list of the user's inboxes
 *       4 and 5 are absent if they may be on another server; 5 also if the user doesn't matter
 * ARGV  1 conversation id   2 user id, or '' if the user doesn't matter
 *
 * Returns { number of erased entries, owner or '' }.
 */
const erase = lua`
local user, list = unpack(redis.call('HMGET', KEYS[1], 'user', 'list'))
if KEYS[5] then redis.call('ZREM', KEYS[5], ARGV[1]) end
if not user or (ARGV[2] ~= '' and user ~= ARGV[2]) then return { 0, '' } end
local entries = redis.call('ZCARD', KEYS[2])
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
if KEYS[4] then
  redis.call('ZREM', KEYS[4], ARGV[1])
  redis.call('ZREM', list, ARGV[1])
end
return { entries, user }
`;

/**
 * Reads the state of an inbox.
 *
 * KEYS  1 inbox   2 entries
 *
 * Returns { owner or '', number of entries, number of the oldest entry or '', the server's time in microseconds }.
 */
const state = lua`
${clockMicros}

local user, oldest = unpack(redis.call('HMGET', KEYS[1], 'user', 'oldest'))
return { user or '', redis.call('ZCARD', KEYS[2]), oldest or '', digits(clock()) }
`;

/**
 * Adds an inbox that isn't empty to a list. If the list has the inbox with a lower score, the score stays: no score is
 * higher than the number of the oldest entry.
 *
 * KEYS  1 list of waiting inboxes, or list of a user's inboxes
 * ARGV  1 conversation id   2 number of the oldest entry, or '' for the server's time
 *
 * Returns 1.
 */
const list = lua`
${clockMicros}
${keyTime}
${listInbox}

local now = clock()
local score = tonumber(ARGV[2]) or now
local known = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or -1)
if known >= 0 then score = math.min(score, known) end
listInbox(KEYS[1], ARGV[1], score, now)
return 1
`;

/**
 * Changes the score of an inbox in a list, or removes the inbox from the list.
 *
 * KEYS  1 list of waiting inboxes, or list of a user's inboxes
 * ARGV  1 conversation id   2 'removed', 'empty', or the number of the oldest entry
 *
 * Returns 1.
 */
const relist = lua`
${clockMicros}
${keyTime}
${listInbox}

local now = clock()
local score = tonumber(ARGV[2])
if ARGV[2] == 'empty' then score = -(now + KEY_US) end
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then listInbox(KEYS[1], ARGV[1], score, now) end
return 1
`;

export const scripts = { erase, list, put, read, relist, remove, state } as const;
