-- A conversation and a part of its messages; starts its ttl anew.
--
-- KEYS  1 conversation   2 messages   3 idempotency keys   4 traces
-- ARGV  1 position of the first message; negative: counted from the end   2 at most this many of them
--       3 indexing, as in write.lua   4 prefix of the index keys   5 go no further once there are so many bytes
--
-- Returns { fields and values of the hash, messages joined by line breaks, how many, renew, trace ids … }, or nil if
-- there is none. Fewer messages than asked for come back where they are large, so that no call holds the server for
-- long. `renew` is 1 if the caller has to renew the indexes, to which the trace ids belong. `damaged` in place of all
-- that if the server has evicted a part.

--@include clock.lua
--@include keep-index.lua

local conversation, messages, traces = KEYS[1], KEYS[2], KEYS[4]
local first, count = tonumber(ARGV[1]), tonumber(ARGV[2])
local STEP = 250

local fields = redis.call('HGETALL', conversation)
if #fields == 0 then return false end

local known = redis.call('HMGET', conversation, 'totalMessages', 'ttlMs', 'indexedAt', 'userId')
local total = redis.call('LLEN', messages)
if total ~= tonumber(known[1]) then return 'damaged' end

if first < 0 then first = math.max(0, total + first) end
local last = math.min(first + count, total) - 1
local bodies, taken, bytes = {}, 0, 0
while first + taken <= last and bytes < tonumber(ARGV[5]) do
  local part = redis.call('LRANGE', messages, first + taken, math.min(first + taken + STEP - 1, last))
  local joined = table.concat(part, '\n')
  taken = taken + #part
  bytes = bytes + #joined
  bodies[#bodies + 1] = joined
end

local reply = { fields, table.concat(bodies, '\n'), taken, 0 }
local ttl = tonumber(known[2])
if not ttl then return reply end

-- Not twice within a hundredth of it, for the sake of those who read all the time.
local now = clock()
if redis.call('PTTL', conversation) > ttl - ttl / 100 then return reply end
-- A replica may be asked too: there it can't be done, and the ttl goes on from the last write.
if type(redis.pcall('PEXPIREAT', conversation, now + ttl)) == 'table' then return reply end
for at = 2, 4 do redis.call('PEXPIREAT', KEYS[at], now + ttl) end
if now - tonumber(known[3] or 0) < ttl / 2 then return reply end

redis.call('HSET', conversation, 'indexedAt', now)
local written = redis.call('SMEMBERS', traces)
if ARGV[3] == 'atomic' then
  if known[4] then keep_index(ARGV[4] .. 'user:' .. known[4] .. ':conversations', ttl) end
  for _, trace in ipairs(written) do
    keep_index(ARGV[4] .. 'trace:' .. trace .. ':conversations', ttl)
  end
else
  reply[4] = 1
  for _, trace in ipairs(written) do reply[#reply + 1] = trace end
end
return reply
