import { clockMs, lua } from "../../lua.ts";
import { childrenKey, partKeys } from "./fragments.ts";

/**
 * Deletes a conversation that has no children, and leaves a tombstone. If it has children, the caller must delete them
 * first: see `registerChild`.
 *
 * KEYS  1 conversation   on a Cluster also the keys of its messages, idempotency keys, traces and own ids, of its
 *        tombstone and of the index of its children
 * ARGV  1 conversation id   2 a user id, to delete the conversation only if it belongs to this user, or ''
 *       3 'atomic' if the indexes are on this server, else 'ask'   4 prefix of all keys
 *       5 key of the index that lists this conversation among all conversations
 *       6 key of the tombstone   7 content of the tombstone: a random id   8 lifetime of the tombstone in ms
 *       9 '1' to leave a tombstone even if no conversation is deleted, else '0'
 *       10 id of a parent as in its key, to delete the conversation only if it is a child of this parent, or ''
 *       11 … alternating ids and scores: the entries of children that the caller has deleted
 *
 * Returns { 1 if a conversation was deleted, else 0; time in ms since 1970; owner or ''; id of its parent as in its key
 * or ''; trace ids … }. With 'atomic', and of a child, no trace ids are returned. If the conversation has more children,
 * nothing is deleted, and it returns { 2; time; ''; ''; id and score of each of some children … }.
 */
export const deleteConversation = lua`
${clockMs}
${partKeys}
${childrenKey}

local conversation = KEYS[1]
local id, user, prefix, parent = ARGV[1], ARGV[2], ARGV[4], ARGV[10]
local messages, keys, traces, ids = part_keys(prefix, conversation)

local now = clock()
local stored = redis.call('HMGET', conversation, 'version', 'userId', 'childOf')
local present = stored[1] and (user == '' or stored[2] == user) and (parent == '' or stored[3] == parent)

-- An expired conversation may have left children. Those of a user are also in the user's index.
if present or not stored[1] and user == '' then
  local children = children_key(prefix, conversation)
  for at = 11, #ARGV, 2 do
    local score = redis.call('ZSCORE', children, ARGV[at])
    if score and tonumber(score) == tonumber(ARGV[at + 1]) then redis.call('ZREM', children, ARGV[at]) end
  end
  local left = redis.call('ZRANGEBYSCORE', children, '-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, 100)
  if #left > 0 then return { 2, now, '', '', unpack(left) } end
end

if present or ARGV[9] == '1' then redis.call('SET', ARGV[6], ARGV[7], 'PX', ARGV[8]) end
if not present then return { 0, now, '', '' } end

local child_of = stored[3]
local written = child_of and {} or redis.call('SMEMBERS', traces)
local reply = { 1, now, stored[2] or '', child_of or '' }
redis.call('UNLINK', conversation, messages, keys, traces, ids)
if ARGV[3] == 'atomic' then
  redis.call('ZREM', child_of and children_key(prefix, prefix .. child_of) or ARGV[5], id)
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
