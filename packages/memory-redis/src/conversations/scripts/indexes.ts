import { lua } from "../../lua.ts";
import { enterIndex, markImport, reservedMs } from "./fragments.ts";

/**
 * Reserves a conversation's index entry before the conversation is written, if both can't be written in one step. A
 * crash in between leaves an entry without a conversation, which readers skip and later remove, but never the reverse.
 *
 * KEYS  1 index   2 the tombstone of the index's user, if it is checked
 * ARGV  1 conversation id   2 time in ms   3 ttl in ms, 0 for none   4 the allowed content of the tombstone, if checked
 *
 * Returns the content of the tombstone, or ''. If that forbids the write, no entry is made. Clearing a user first
 * creates the tombstone and then reads the entries: either this script finds the tombstone, or the clearing finds the
 * entry.
 *
 * The score is ahead of every reader's clock, so no reader removes the entry while it waits for its conversation. The
 * half millisecond marks it as reserved.
 */
export const reserveIndexEntry = lua`
${enterIndex}
${reservedMs}

local tombstone = KEYS[2] and redis.call('GET', KEYS[2]) or ''
if tombstone ~= '' and tombstone ~= ARGV[4] then return tombstone end
local ttl = tonumber(ARGV[3])
enter_index(KEYS[1], ARGV[1], ARGV[2] + RESERVED_MS + 0.5, ttl > 0 and math.max(ttl, RESERVED_MS) or nil)
return tombstone
`;

/**
 * Gives a reserved entry its final score, after the conversation is written.
 *
 * KEYS  1 index
 * ARGV  1 conversation id   2 last activity in ms   3 '1' if the caller waits for replicas
 *       4 for an import: the marker of `markImport`   5 time of the write in ms
 */
export const confirmIndexEntry = lua`
${markImport}

if ARGV[4] then mark_import(ARGV[4], tonumber(ARGV[5])) end
local score = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0)
local reserved = score % 1 ~= 0
if reserved or score < tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
elseif ARGV[3] == '1' then
  -- WAIT counts from this connection's last write, and a command that changes nothing is none: change the entry, and
  -- change it back, so that replicas which have that have the entry, too.
  redis.call('ZADD', KEYS[1], score + 1, ARGV[1])
  redis.call('ZADD', KEYS[1], score, ARGV[1])
end
return 1
`;

/**
 * Corrects an entry that a reader found to be wrong, unless it has changed since.
 *
 * KEYS  1 index
 * ARGV  1 conversation id   2 the wrong score   3 last activity in ms
 *       4 the marker of `markImport`   5 when the conversation was read, in ms
 */
export const correctIndexEntry = lua`
${markImport}

local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if score and tonumber(score) == tonumber(ARGV[2]) then
  if tonumber(ARGV[3]) < tonumber(score) then mark_import(ARGV[4], tonumber(ARGV[5])) end
  redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
end
return 1
`;

/**
 * Removes the entry of a missing conversation from an index.
 *
 * KEYS  1 index
 * ARGV  1 conversation id   2 when it was found to be missing, in ms   3 the marker of `markImport`
 *
 * An entry that was written or imported at that time or later stays, since the conversation may exist again. While a
 * Cluster moves the marker, every entry stays.
 */
export const removeIndexEntry = lua`
local imported = redis.pcall('GET', ARGV[3])
if type(imported) == 'table' or imported and tonumber(imported) >= tonumber(ARGV[2]) then return 0 end
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if score and tonumber(score) < tonumber(ARGV[2]) then return redis.call('ZREM', KEYS[1], ARGV[1]) end
return 0
`;

/**
 * Extends the ttl of an index to that of a conversation in it.
 *
 * KEYS  1 index
 * ARGV  1 ttl in ms
 */
export const extendIndex = lua`
${enterIndex}

extend_index(KEYS[1], tonumber(ARGV[1]))
return 1
`;

/**
 * Reads a part of an index.
 *
 * KEYS  1 index
 * ARGV  1 'newest' or 'oldest' first   2 lowest score   3 highest score   4 maximum number
 *
 * Returns alternating conversation ids and scores. Equal scores are ordered by the bytes of the ids, in the same
 * direction.
 */
export const indexPage = lua`
local low, high = ARGV[2], ARGV[3]
if ARGV[1] == 'newest' then
  return redis.call('ZREVRANGEBYSCORE', KEYS[1], high, low, 'WITHSCORES', 'LIMIT', 0, ARGV[4])
end
return redis.call('ZRANGEBYSCORE', KEYS[1], low, high, 'WITHSCORES', 'LIMIT', 0, ARGV[4])
`;

/**
 * Returns random entries of an index.
 *
 * KEYS  1 index
 * ARGV  1 maximum number
 *
 * Returns conversation ids.
 */
export const sampleIndex = lua`
return redis.call('ZRANDMEMBER', KEYS[1], ARGV[1])
`;
