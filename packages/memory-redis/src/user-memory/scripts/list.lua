-- A page of a user's facts, the newest first.
--
-- KEYS  1 facts   2 vectors   3 … the sets of the statuses asked for
-- ARGV  1 only facts below this seq, or '+inf'   2 at most this many   3 '1': without vectors
--
-- Returns { facts, vectors }.

--@include slices.lua
--@include facts.lua

local seqs = {}
for at = 3, #KEYS do
  local some = redis.call('ZREVRANGEBYSCORE', KEYS[at], '(' .. ARGV[1], '-inf', 'LIMIT', 0, ARGV[2])
  for _, seq in ipairs(some) do seqs[#seqs + 1] = seq end
end
table.sort(seqs, function(a, b) return tonumber(a) > tonumber(b) end)
for at = #seqs, tonumber(ARGV[2]) + 1, -1 do seqs[at] = nil end

local facts, vectors = facts_of(KEYS[1], KEYS[2], seqs, ARGV[3])
return { facts, vectors }
