import { clockMicros, lua } from "../lua.ts";

/**
 * Stores a blob, and puts a hold on it: until the hold ends, the blob isn't removed. If the blob exists, replaces it.
 *
 * KEYS  1 records of the conversation's blobs: a Redis hash. The field 'b' + SHA-256 of a blob has the blob's size and
 *          token (the id of the last hold). The field 'h' + SHA-256 of a blob + id of a hold has the time when the hold
 *          ends
 *        2 bytes of the blob
 *        3 list of due conversations (those whose blobs are to be swept); absent if it may be on another server
 * ARGV  1 SHA-256 of the blob   2 size in bytes   3 id of the hold   4 duration of the hold in seconds
 *       5 bytes as base64   6 conversation id
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
 * Puts a hold on those of the given blobs that exist: until the hold ends, they aren't removed.
 *
 * KEYS  1 records of the conversation's blobs: the hash that the script `put` describes
 * ARGV  1 id of the hold; it becomes the blobs' token   2 duration of the hold in seconds   3 … SHA-256 of each blob
 *
 * Returns the SHA-256 of each of these blobs that exists.
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
 * Lists the blobs of a conversation.
 *
 * KEYS  1 records of the conversation's blobs: the hash that the script `put` describes
 *
 * Returns four values for each blob: its SHA-256, its size in bytes, its token (the id of the last hold), and 1 if a
 * hold on the blob hasn't ended, else 0.
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
 * Removes those of the given blobs whose token (the id of the last hold) hasn't changed since they were listed.
 *
 * KEYS  1 records of the conversation's blobs: the hash that the script `put` describes   2 … bytes of each blob
 *       last: list of due conversations (those whose blobs are to be swept); absent if it may be on another server
 * ARGV  1 conversation id, or '' if the list of due conversations is absent in KEYS
 *       2 … SHA-256 and token of each blob
 *
 * Returns { number of removed blobs; 1 if the conversation has other blobs, else 0 }.
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
-- Remove the holds on the removed blobs: they have ended, but their writers crashed.
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
 * Adds a conversation to the list of due conversations (those whose blobs are to be swept).
 *
 * KEYS  1 list of due conversations
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
 * Returns the ids of conversations whose blobs are to be swept, the longest idle first. Restarts their idle time, which
 * is the time since the last sweep or `put`.
 *
 * KEYS  1 list of due conversations
 * ARGV  1 maximum number of conversations   2 minimum idle time in seconds
 */
const due = lua`
${clockMicros}

local now = clock()
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', digits(now - ARGV[2] * 1000000), 'LIMIT', 0, ARGV[1])
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[1], digits(now), id) end
return ids
`;

export const scripts = { addDue, due, keep, list, put, remove } as const;
