-- Restarts the ttl of a conversation, since it is being read.
--
-- KEYS  1 conversation   on a Cluster also the keys of its parts, as in write.lua
-- ARGV  1 'atomic' if the indexes are on this server   2 prefix of all keys   3 '1' if the indexes were kept
--
-- Returns 0, or, if the indexes have to be kept first, { ttl in ms, owner or '', trace ids … }.

--@include clock.lua
--@include index-ttl.lua
--@include part-keys.lua

local conversation = KEYS[1]
local messages, keys, traces, ids = part_keys(ARGV[2], conversation)
local stored = redis.call('HMGET', conversation, 'ttlMs', 'indexedAt', 'userId', 'ownTtl')
local ttl = tonumber(stored[1] or '')
-- A ttl that a write has named counts from the last write.
if not ttl or stored[4] then return 0 end

-- Not twice within a hundredth of it, for the sake of those who read all the time.
if redis.call('PTTL', conversation) > ttl - ttl / 100 then return 0 end
local now = clock()
local due = now - tonumber(stored[2] or 0) >= ttl / 2
local owner, written = stored[3], {}
if due then written = redis.call('SMEMBERS', traces) end
if due and ARGV[1] ~= 'atomic' and ARGV[3] ~= '1' then
  local reply = { ttl, owner or '' }
  for _, trace in ipairs(written) do reply[#reply + 1] = trace end
  return reply
end

-- A replica may be asked, too: there it can't be done, and the ttl goes on from the last write.
if type(redis.pcall('PEXPIREAT', conversation, now + ttl)) == 'table' then return 0 end
for _, part in ipairs({ messages, keys, traces, ids }) do redis.call('PEXPIREAT', part, now + ttl) end
if not due then return 0 end

redis.call('HSET', conversation, 'indexedAt', now)
if ARGV[1] == 'atomic' then
  if owner then extend_index(ARGV[2] .. 'user:' .. owner .. ':conversations', ttl) end
  for _, trace in ipairs(written) do
    extend_index(ARGV[2] .. 'trace:' .. trace .. ':conversations', ttl)
  end
end
return 0
