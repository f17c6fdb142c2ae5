import { clockMs, lua } from "../../lua.ts";
import { partKeys } from "./fragments.ts";

/**
 * Deletes a conversation and leaves a tombstone.
 *
 * KEYS  1 conversation   on a Cluster also the keys of its messages, idempotency keys, traces and own ids, and of its
 *        tombstone
 * ARGV  1 conversation id   2 a user id, to delete the conversation only if it belongs to this user, or ''
 *       3 'atomic' if the indexes are on this server, else 'ask'   4 prefix of all keys
 *       5 key of the index that lists this conversation among all conversations
 *       6 key of the tombstone   7 content of the tombstone: a random id   8 lifetime of the tombstone in ms
 *       9 '1' to leave a tombstone even if no conversation is deleted, else '0'
 *
 * Returns { 1 if a conversation was deleted, else 0; time in ms since 1970; owner or ''; trace ids … }. With 'atomic',
 * no trace ids are returned.
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
 * KEYS  1 tombstone of the user
 * ARGV  1 content of the tombstone: a random id   2 lifetime of the tombstone in ms
 *
 * Returns 1.
 */
export const tombstone = lua`
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`;
