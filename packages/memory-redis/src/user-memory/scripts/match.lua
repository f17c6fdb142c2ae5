-- A user's indexed facts that hold any of the terms.
--
-- KEYS  1 postings   2 contexts
-- ARGV  1 facts whose contexts are in one field   2 … terms
--
-- Returns { number of indexed facts, contexts in a list, postings of the first term … }. The contexts may be more than
-- those of the facts that were found.

--@include slices.lua
--@include records.lua

local per_field = tonumber(ARGV[1])
local roots = {}
for at = 2, #ARGV do roots[#roots + 1] = '=' .. ARGV[at] end

local found = fields_of(KEYS[1], roots)
local length = 0
for at = 1, #roots do
  local records = found[at] or ''
  if string.sub(records, 1, 1) == '#' then
    local chunks = {}
    for number in string.gmatch(records, '%d+') do chunks[#chunks + 1] = number .. ':' .. ARGV[at + 1] end
    chunks = fields_of(KEYS[1], chunks)
    for chunk = 1, #chunks do chunks[chunk] = chunks[chunk] or '' end
    records = table.concat(chunks)
  end
  found[at] = records
  length = length + #records
end

local function all_contexts()
  local contexts = {}
  for _, records in ipairs(redis.call('HVALS', KEYS[2])) do
    if string.sub(records, 1, #CONTEXT.mark) == CONTEXT.mark then contexts[#contexts + 1] = records end
  end
  return contexts
end

local function contexts_of_found()
  local contexts, fields, seqs, seen = {}, {}, {}, {}
  for _, records in ipairs(found) do
    for seq in string.gmatch(records, ';(%d+):') do
      local field = math.floor(seq / per_field)
      if not seqs[field] then
        seqs[field] = {}
        fields[#fields + 1] = field
      end
      if not seen[seq] then
        seen[seq] = true
        table.insert(seqs[field], seq)
      end
    end
  end
  for at, records in ipairs(fields_of(KEYS[2], fields)) do
    for _, seq in ipairs(seqs[fields[at]]) do
      local from, to = find_record(records or '', CONTEXT, seq)
      if from then contexts[#contexts + 1] = string.sub(records, from, to) end
    end
  end
  return contexts
end

local size = tonumber(redis.call('HGET', KEYS[2], 'size') or 0)
-- A posting has some 8 bytes. Where many may be wanted, to look for each costs more than to give all.
local contexts = length / 8 > size / 4 and all_contexts() or contexts_of_found()
local reply = { size, contexts }
for at = 1, #roots do reply[at + 2] = found[at] end
return reply
