import { clockMs, lua } from "../../lua.ts";
import { partKeys } from "./fragments.ts";

/**
 * Deletes a conversation and leaves a tombstone, also for a missing one that may be about to be written.
 *
 * KEYS  1 conversation   on a Cluster also the keys of its parts and of its tombstone, as in `write`
 * ARGV  1 conversation id   2 a user id to delete it only for this owner, or ''   3 indexing, as in `write`
 *       4 prefix of all keys       5 the conversation's recency index
 *       6 key of the tombstone     7 its id       8 its expiry in ms
 *       9 '1' if a missing conversation may be about to be written
 *
 * Returns { whether it existed, time in ms, owner or '', trace ids … }.
 *
 * Another user's conversation stays. It still gets a tombstone if this user's may be about to be written. The tombstone
 * has no effect while the other user's conversation exists. If that expires, a creation in progress for this user finds
 * the tombstone.
 */
export const deleteConversation = lua`
${clockMs}
${partKeys}

local conversation = KEYS[1]
local id, user, prefix = ARGV[1], ARGV[2], ARGV[4]
local messages, keys, traces, ids = part_keys(prefix, conversation)

local now = clock()
local stored = redis.call('HMGET', conversation, 'version', 'userId')
local written = redis.call('SMEMBERS', traces)
local present = stored[1] and (user == '' or stored[2] == user)
if present or ARGV[9] == '1' then redis.call('SET', ARGV[6], ARGV[7], 'PX', ARGV[8]) end
if not present then return { 0, now, '' } end

local reply = { 1, now, stored[2] or '' }
redis.call('UNLINK', conversation, messages, keys, traces, ids)
if ARGV[3] == 'atomic' then
  redis.call('ZREM', ARGV[5], id)
  if stored[2] then redis.call('ZREM', prefix .. 'user:' .. stored[2] .. ':conversations', id) end
  for _, trace in ipairs(written) do redis.call('ZREM', prefix .. 'trace:' .. trace .. ':conversations', id) end
else
  for _, trace in ipairs(written) do reply[#reply + 1] = trace end
end
return reply
`;

/**
 * Leaves a tombstone of a user.
 *
 * KEYS  1 tombstone
 * ARGV  1 its id   2 its expiry in ms
 */
export const tombstone = lua`
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`;
