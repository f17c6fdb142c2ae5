import { clockMicros, lua } from "../lua.ts";

/**
 * Stores a blob, or stores it again, with a hold on it.
 *
 * KEYS  1 records: a hash in which 'b' and the hash of a blob lead to its size and token, 'h', the hash and the id of a hold
 *         to when the hold is over
 *       2 bytes   3 conversations that are due, absent where that may lie on another server
 * ARGV  1 hash of the blob   2 size   3 id of the hold   4 its seconds   5 the bytes, base64   6 conversation id
 *
 * Returns 1.
 */
const put = lua`
${clockMicros}

local now = clock()
redis.call('SET', KEYS[2], ARGV[5])
redis.call('HSET', KEYS[1], 'b' .. ARGV[1], ARGV[2] .. ' ' .. ARGV[3], 'h' .. ARGV[1] .. ARGV[3],
  digits(now + ARGV[4] * 1000000))
if KEYS[3] then redis.call('ZADD', KEYS[3], digits(now), ARGV[6]) end
return 1
`;

/**
 * Puts a hold on those blobs that are there.
 *
 * KEYS  1 records, as in `put`
 * ARGV  1 id of the hold   2 its seconds   3 … hashes of blobs
 *
 * Returns the hashes of those that are there.
 */
const keep = lua`
${clockMicros}

local kept, over = {}, digits(clock() + ARGV[2] * 1000000)
for at = 3, #ARGV do
  local size = string.match(redis.call('HGET', KEYS[1], 'b' .. ARGV[at]) or '', '^%d+')
  if size then
    redis.call('HSET', KEYS[1], 'b' .. ARGV[at], size .. ' ' .. ARGV[1], 'h' .. ARGV[at] .. ARGV[1], over)
    kept[#kept + 1] = ARGV[at]
  end
end
return kept
`;

/**
 * The blobs of a conversation.
 *
 * KEYS  1 records, as in `put`
 *
 * Returns, of each blob, hash, size, token and 1 if it is held, else 0.
 */
const list = lua`
${clockMicros}

local now = clock()
local records, held, reply = redis.call('HGETALL', KEYS[1]), {}, {}
for at = 1, #records, 2 do
  local field = records[at]
  if string.sub(field, 1, 1) == 'h' and tonumber(records[at + 1]) > now then held[string.sub(field, 2, 65)] = true end
end
for at = 1, #records, 2 do
  local field = records[at]
  if string.sub(field, 1, 1) == 'b' then
    local hash = string.sub(field, 2)
    local size, token = string.match(records[at + 1], '^(%d+) (.*)$')
    reply[#reply + 1] = hash
    reply[#reply + 1] = size
    reply[#reply + 1] = token
    reply[#reply + 1] = held[hash] and 1 or 0
  end
end
return reply
`;

/**
 * Removes blobs whose tokens are as they were listed.
 *
 * KEYS  1 records, as in `put`   2 … bytes of each   last: conversations that are due, where ARGV[1] is not ''
 * ARGV  1 conversation id, or '' where what is due may lie on another server   2 … hash and token of each blob
 *
 * Returns how many were removed, and 1 if there are others, else 0.
 */
const remove = lua`
local gone, removed = {}, 0
for at = 2, #ARGV, 2 do
  local token = string.match(redis.call('HGET', KEYS[1], 'b' .. ARGV[at]) or '', '^%d+ (.*)$')
  if token == ARGV[at + 1] then
    redis.call('UNLINK', KEYS[at / 2 + 1])
    redis.call('HDEL', KEYS[1], 'b' .. ARGV[at])
    gone[ARGV[at]] = true
    removed = removed + 1
  end
end
-- Holds that are over, of writers that crashed.
if removed > 0 then
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.sub(field, 1, 1) == 'h' and gone[string.sub(field, 2, 65)] then redis.call('HDEL', KEYS[1], field) end
  end
end
local others = redis.call('EXISTS', KEYS[1])
if ARGV[1] ~= '' and others == 0 then redis.call('ZREM', KEYS[#KEYS], ARGV[1]) end
return { removed, others }
`;

/**
 * Records that something was put in a conversation, where `put` can't.
 *
 * KEYS  1 conversations that are due
 * ARGV  1 conversation id
 *
 * Returns 1.
 */
const addDue = lua`
${clockMicros}

redis.call('ZADD', KEYS[1], digits(clock()), ARGV[1])
return 1
`;

/**
 * The conversations with blobs that were swept longest ago. Their idle time starts again.
 *
 * KEYS  1 conversations that are due
 * ARGV  1 how many, at most   2 for how many seconds they have waited, at least
 *
 * Returns their ids.
 */
const due = lua`
${clockMicros}

local now = clock()
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', digits(now - ARGV[2] * 1000000), 'LIMIT', 0, ARGV[1])
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[1], digits(now), id) end
return ids
`;

export const scripts = { addDue, due, keep, list, put, remove } as const;
