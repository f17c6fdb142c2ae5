import { lua } from "../../lua.ts";
import { enterIndex, markImport, reservedMs } from "./fragments.ts";

/**
 * Enters a conversation in an index before it is written, where both can't be done in one step: a crash in between
 * leaves an entry without a conversation, which readers pass over and later take away, and never the reverse.
 *
 * KEYS  1 index   2 the tombstone of the user whose index it is, if that is asked for
 * ARGV  1 conversation id   2 time in ms   3 ttl in ms, 0 for none   4 what the tombstone may hold, if it is asked for
 *
 * Returns what the tombstone holds, or ''. Where that forbids the write, nothing is entered. Clearing a user sets the
 * tombstone first and then looks at the entries: either this sees the tombstone, or the entry is seen.
 *
 * The score lies ahead of every reader's clock, so that none takes the entry away while it is waiting for its
 * conversation; the half millisecond tells it from a final one.
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
 * Gives the reserved entry of a conversation its final score, once the conversation is written.
 *
 * KEYS  1 index
 * ARGV  1 conversation id   2 last activity in ms   3 '1' if the caller waits for replicas
 *       4 of an import: the marker of `markImport`   5 when it was written, in ms
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
 * Corrects an entry of an index that a reader has found to be wrong, unless it has changed since.
 *
 * KEYS  1 index
 * ARGV  1 conversation id   2 the wrong score   3 last activity in ms
 *       4 the marker of `markImport`   5 when the conversation was seen, in ms
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
 * Takes an entry out of an index whose conversation was found to be gone.
 *
 * KEYS  1 index
 * ARGV  1 conversation id   2 when it was found to be gone, in ms   3 the marker of `markImport`
 *
 * One that was written, or imported, at that time or later stays: the conversation may have been created since. So does
 * every entry while a Cluster is moving the marker.
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
 * A part of an index.
 *
 * KEYS  1 index
 * ARGV  1 'newest' or 'oldest' first   2 lowest score   3 highest score   4 at most this many
 *
 * Returns conversation ids and scores alternating. Among equal scores, ids are in the same direction, by their bytes.
 */
export const indexPage = lua`
local low, high = ARGV[2], ARGV[3]
if ARGV[1] == 'newest' then
  return redis.call('ZREVRANGEBYSCORE', KEYS[1], high, low, 'WITHSCORES', 'LIMIT', 0, ARGV[4])
end
return redis.call('ZRANGEBYSCORE', KEYS[1], low, high, 'WITHSCORES', 'LIMIT', 0, ARGV[4])
`;

/**
 * Some entries of an index, at random.
 *
 * KEYS  1 index
 * ARGV  1 at most this many
 *
 * Returns conversation ids.
 */
export const sampleIndex = lua`
return redis.call('ZRANDMEMBER', KEYS[1], ARGV[1])
`;
