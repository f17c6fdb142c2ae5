import { lua } from "../../scripts/fragments.ts";
import { records, slices } from "./fragments.ts";

/**
 * The index: for each term, records of the facts that hold it, each with its weight.
 *
 * The field '=<term>' has them; or, once there are many, '#' and the numbers of its chunks, ascending from 0, with
 * commas. Chunk n is the field '<n>:<term>', and has the facts from seq n on, up to the next chunk's number. So a fact
 * is added to a common term by writing some 2 KB, whatever the number of its facts.
 */
export const post = lua`
local CHUNK = 2048

local function highest_of(records)
  local highest = -1
  for seq in string.gmatch(records, ';(%d+):') do highest = math.max(highest, tonumber(seq)) end
  return highest
end

-- The number of the chunk that a seq belongs to, and whether it is the last.
local function chunk_of(directory, seq)
  local last = string.match(directory, '(%d+)$')
  if tonumber(last) <= tonumber(seq) then return last, true end
  local found
  for number in string.gmatch(directory, '%d+') do
    if tonumber(number) > tonumber(seq) then break end
    found = number
  end
  return found, false
end

local function drop_chunk(edits, term, number)
  local root = '=' .. term
  local rest = string.gsub(edits.get(root) .. ',', ',' .. number .. ',', ',')
  rest = string.sub(rest, 1, -2)
  edits.set(number .. ':' .. term, false)
  if rest == '#0' and not edits.get('0:' .. term) then rest = false end
  edits.set(root, rest)
end

local function add_chunk(edits, term, seq, record)
  local root = '=' .. term
  local records = edits.get(root)
  if string.sub(records, 1, 1) ~= '#' then
    edits.set('0:' .. term, records)
    records = '#0'
  end
  edits.set(root, records .. ',' .. seq)
  edits.set(seq .. ':' .. term, record)
end

-- Weight '0' takes the fact out.
local function post(edits, term, seq, weight)
  local field, number, is_last = '=' .. term, nil, true
  local stored = edits.get(field) or ''
  if string.sub(stored, 1, 1) == '#' then
    number, is_last = chunk_of(stored, seq)
    field = number .. ':' .. term
    stored = edits.get(field) or ''
  end
  local records = without(stored, POSTING, seq)
  if weight == '0' then
    if records == stored then return end
    edits.set(field, records ~= '' and records)
    if records == '' and number then drop_chunk(edits, term, number) end
    return
  end
  local record = ';' .. seq .. ':' .. weight
  if is_last and #records >= CHUNK and highest_of(records) < tonumber(seq) then
    add_chunk(edits, term, seq, record)
  else
    edits.set(field, records .. record)
  end
end
`;

/**
 * A user's indexed facts that hold any of the terms.
 *
 * KEYS  1 postings   2 contexts
 * ARGV  1 facts whose contexts are in one field   2 … terms
 *
 * Returns { number of indexed facts, contexts in a list, postings of the first term … }. The contexts may be more than
 * those of the facts that were found.
 */
export const match = lua`
${slices}
${records}

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
`;
