import { lua } from "../../lua.ts";
import { childOffset, enterIndex, markImport, reservedMs } from "./fragments.ts";

/**
 * Creates a conversation's index entry before the conversation is written. The entry's score is a time in the future,
 * with half a millisecond that marks it as reserved.
 *
 * KEYS  1 index   2 tombstone of the index's user, if the tombstone is to be checked
 * ARGV  1 conversation id   2 score for the current time   3 ttl of the conversation in ms, 0 for none
 *       4 expected content of the tombstone, if it is to be checked
 *
 * Returns the content of the tombstone, or '' if there is none. If the tombstone has another content than expected, no
 * entry is created.
 */
// On a Cluster, no script may reach both the index and the conversation. If a crash prevents the write of the
// conversation, readers later remove the entry. Until then it stays, because readers remove only entries with a past
// time. The deletion of all conversations of a user creates the tombstone before it reads the entries. So either this
// script finds the tombstone, or the deletion finds the entry.
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
 * Gives a reserved entry its final score, after its conversation was written.
 *
 * KEYS  1 index   2 parent, if the index is that of its children
 * ARGV  1 conversation id   2 score for the last activity   3 '1' if the caller waits for replicas, else '0'
 *       4 '1' for a child: if its entry was removed since it was reserved, and there is no parent, it isn't added again,
 *         because no list would meet it
 *       5 for an import: the import marker of the index, see `markImport`
 *       6 for an import: time of the write in ms since 1970
 *
 * Returns 1.
 */
export const confirmIndexEntry = lua`
${markImport}

if ARGV[5] then mark_import(ARGV[5], tonumber(ARGV[6])) end
local score = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]))
if not score and ARGV[4] == '1' and not (KEYS[2] and redis.call('EXISTS', KEYS[2]) == 1) then return 1 end
local reserved = score and score % 1 ~= 0
if not score or reserved or score < tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
elseif ARGV[3] == '1' then
  -- WAIT counts from this connection's last write, and a command that changes nothing isn't a write. So change the
  -- entry, and change it back: replicas that have these changes have the entry, too.
  redis.call('ZADD', KEYS[1], score + 1, ARGV[1])
  redis.call('ZADD', KEYS[1], score, ARGV[1])
end
return 1
`;

/**
 * Corrects the score of an entry that a reader found to be wrong. Does nothing if the score has changed since the
 * reader read it.
 *
 * KEYS  1 index
 * ARGV  1 conversation id   2 the wrong score   3 last activity of the conversation in ms since 1970
 *       4 the import marker of the index, see `markImport`   5 when the conversation was read, in ms since 1970
 *
 * Returns 1.
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
 * ARGV  1 conversation id   2 when the conversation was found to be missing, in ms since 1970
 *       3 the import marker of the index, see `markImport`
 *
 * Returns 1 if the entry was removed. Returns 0 if the entry stays, because the conversation may exist again.
 */
// The entry stays if its score is the time ARGV[2] or later, if an import was made at that time or later, or while a
// Cluster moves the marker to another server.
export const removeIndexEntry = lua`
${childOffset}

local imported = redis.pcall('GET', ARGV[3])
if type(imported) == 'table' or imported and tonumber(imported) >= tonumber(ARGV[2]) then return 0 end
local score = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]))
if score and score < -CHILD_OFFSET_MS / 2 then score = score + CHILD_OFFSET_MS end
if score and score < tonumber(ARGV[2]) then return redis.call('ZREM', KEYS[1], ARGV[1]) end
return 0
`;

/**
 * Extends the ttl of an index, so the index outlives a conversation in it.
 *
 * KEYS  1 index
 * ARGV  1 ttl of the conversation in ms
 *
 * Returns 1.
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
 * ARGV  1 'newest' or 'oldest': which entries come first   2 lowest score   3 highest score
 *       4 maximum number of entries
 *
 * Returns alternating conversation ids and scores. Entries with equal scores are sorted by the bytes of their ids:
 * descending for 'newest', ascending for 'oldest'.
 */
export const indexPage = lua`
local low, high = ARGV[2], ARGV[3]
if ARGV[1] == 'newest' then
  return redis.call('ZREVRANGEBYSCORE', KEYS[1], high, low, 'WITHSCORES', 'LIMIT', 0, ARGV[4])
end
return redis.call('ZRANGEBYSCORE', KEYS[1], low, high, 'WITHSCORES', 'LIMIT', 0, ARGV[4])
`;

/**
 * Returns the conversation ids of random entries of an index.
 *
 * KEYS  1 index
 * ARGV  1 maximum number of entries
 */
export const sampleIndex = lua`
return redis.call('ZRANDMEMBER', KEYS[1], ARGV[1])
`;
