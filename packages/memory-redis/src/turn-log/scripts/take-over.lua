-- Makes somebody else the writer of a turn whose lease has ended.
--
-- KEYS  1 hash of the turn
-- ARGV  1 token
--
-- Returns the turn and its request; nothing if there is none to take over.

--@include clock.lua
--@include heads.lua

local state, lease, leaseMs, request = unpack(redis.call('HMGET', KEYS[1], 'state', 'lease', 'leaseMs', 'request'))
local now = clock()
if state ~= 'running' or tonumber(lease) > now then return {} end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'lease', digits(now + leaseMs * 1000))
extend(KEYS[1], leaseMs)
return { head(KEYS[1]), request }
