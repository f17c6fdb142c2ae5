-- Reads some messages with their digests, whatever the list holds.
--
-- KEYS  1 conversation   on a Cluster also the keys of its parts, as in write.lua
-- ARGV  1 prefix of all keys   2 the position to read from   3 at most this many
--
-- Returns nil if there is no conversation, else { first position, number of messages, base of the digests, digest or '',
-- messages }.

--@include part-keys.lua

local messages = part_keys(ARGV[1], KEYS[1])
local stored = redis.call('HMGET', KEYS[1], 'incarnation', 'firstPosition', 'totalMessages', 'base', 'digest')
if not stored[1] then return false end
local first_position = tonumber(stored[2] or 0)
local from = math.max(0, tonumber(ARGV[2]) - first_position)
local items = redis.call('LRANGE', messages, from, from + tonumber(ARGV[3]) - 1)
return { first_position, tonumber(stored[3] or 0), stored[4] or stored[1], stored[5] or '', items }
