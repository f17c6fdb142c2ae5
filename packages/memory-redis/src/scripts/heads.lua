-- What is known of some conversations, without their messages.
--
-- KEYS  for each of them: conversation, traces
-- ARGV  1 a trace id, or ''   2 '1' for the fields that statistics need, '' for all
--
-- Returns the time in ms, and for each of them: fields and values of the hash, or nil if there is none or the trace
-- has not written to it. A key that holds something else is no conversation.

--@include clock.lua

local function read(conversation)
  if ARGV[2] == '' then return redis.pcall('HGETALL', conversation) end
  local values = redis.pcall('HMGET', conversation, 'userId', 'createdAt', 'totalMessages')
  if not values[2] then return {} end
  return { 'userId', values[1] or '', 'createdAt', values[2], 'totalMessages', values[3] }
end

local reply = { clock() }
for at = 1, #KEYS, 2 do
  local fields = read(KEYS[at])
  local wanted = #fields > 0 and (ARGV[1] == '' or redis.call('SISMEMBER', KEYS[at + 1], ARGV[1]) == 1)
  reply[#reply + 1] = wanted and fields or false
end
return reply
