-- A user's head, the facts that a selection names, and the tombstones asked for.
--
-- KEYS  1 head   2 facts   3 vectors   4 lookups   5 tombstones
-- ARGV  1 '1': without vectors   2 number of tombstones   their digests   number of seqs   the seqs
--       names of lookups …
--
-- Returns { version, epoch, state, facts, vectors, tombstones }, the first three '' where there is no head.

--@include slices.lua
--@include facts.lua

local function part(from)
  local list = {}
  for at = from + 1, from + tonumber(ARGV[from]) do list[#list + 1] = ARGV[at] end
  return list, from + 1 + #list
end

local digests, at = part(2)
local seqs
seqs, at = part(at)
local names = {}
for from = at, #ARGV do names[#names + 1] = ARGV[from] end

local seen = {}
for _, seq in ipairs(seqs) do seen[seq] = true end
for _, found in ipairs(fields_of(KEYS[4], names)) do
  for seq in string.gmatch(found or '', '%d+') do
    if not seen[seq] then
      seen[seq] = true
      seqs[#seqs + 1] = seq
    end
  end
end
table.sort(seqs, function(a, b) return tonumber(a) < tonumber(b) end)

local head = redis.call('HMGET', KEYS[1], 'version', 'epoch', 'state')
local facts, vectors = facts_of(KEYS[2], KEYS[3], seqs, ARGV[1])
return { head[1] or '', head[2] or '', head[3] or '', facts, vectors, fields_of(KEYS[5], digests) }
