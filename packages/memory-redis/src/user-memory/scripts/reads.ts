import { lua } from "../../lua.ts";
import { slices } from "./fragments.ts";

/**
 * A Lua fragment. `facts_of` returns two lists: the stored facts with the numbers `seqs`, and a vector for each of
 * them. The vector is '' if the fact has none. If `brief` is '1', the second list is empty.
 */
const factsOf = lua`
local function facts_of(facts_key, vectors_key, seqs, brief)
  local stored = fields_of(facts_key, seqs)
  local wanted = brief ~= '1' and redis.call('EXISTS', vectors_key) == 1
  local known = wanted and fields_of(vectors_key, seqs)
  local facts, vectors = {}, {}
  for at = 1, #seqs do
    if stored[at] then
      facts[#facts + 1] = stored[at]
      if known then vectors[#vectors + 1] = known[at] or '' end
    end
  end
  return facts, vectors
end
`;

/**
 * Reads a user's head, the selected facts, and the requested tombstones of forgotten facts.
 *
 * KEYS  1 head   2 facts   3 vectors   4 lookups: names under which facts can be looked up   5 tombstones
 * ARGV  1 '1' to leave out the vectors
 *       2 how many tombstones are requested, then the digest under which each is stored
 *       … how many facts are requested by their `seq`, then each `seq` (the number of a fact)
 *       … the names to look up
 *
 * Returns { version, epoch, state, facts, vectors, tombstones }. The first three are '' if the user has no head.
 */
export const read = lua`
${slices}
${factsOf}

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
`;

/**
 * Reads a page of a user's facts, the newest first.
 *
 * KEYS  1 facts   2 vectors   3 … for each requested status, the set of the facts with this status
 * ARGV  1 the page has only facts whose `seq` (number) is below this one; '+inf' for the first page
 *       2 maximum number of facts   3 '1' to leave out the vectors
 *
 * Returns { facts, vectors }.
 */
export const list = lua`
${slices}
${factsOf}

local seqs = {}
for at = 3, #KEYS do
  local some = redis.call('ZREVRANGEBYSCORE', KEYS[at], '(' .. ARGV[1], '-inf', 'LIMIT', 0, ARGV[2])
  for _, seq in ipairs(some) do seqs[#seqs + 1] = seq end
end
table.sort(seqs, function(a, b) return tonumber(a) > tonumber(b) end)
for at = #seqs, tonumber(ARGV[2]) + 1, -1 do seqs[at] = nil end

local facts, vectors = facts_of(KEYS[1], KEYS[2], seqs, ARGV[3])
return { facts, vectors }
`;

/**
 * Reads a part of a user's audit trail, and the user's head.
 *
 * KEYS  1 head   2 audit trail
 * ARGV  1 index of the first entry to read, from 0   2 index of the last entry to read
 *
 * Returns { version, epoch, state, number of entries in the whole trail, entries }. The first three are '' if the user
 * has no head.
 */
export const audit = lua`
local head = redis.call('HMGET', KEYS[1], 'version', 'epoch', 'state')
local entries = redis.call('LRANGE', KEYS[2], ARGV[1], ARGV[2])
return { head[1] or '', head[2] or '', head[3] or '', redis.call('LLEN', KEYS[2]), entries }
`;

/**
 * Finds a user's facts that contain any of the terms.
 *
 * KEYS  1 postings: for each term, a text with the `seq` (number) of each fact that contains the term, and a weight
 *       2 contexts: texts with the data of facts that ranking needs, e.g. author and time. A text has several facts
 * ARGV  1 how many facts share one text of the contexts   2 … terms
 *
 * Returns { number of facts that have terms, list of texts of the contexts, postings of each term … }. The contexts may
 * include facts that have none of the terms.
 */
export const match = lua`
${slices}
local per_field = tonumber(ARGV[1])
local terms = {}
for at = 2, #ARGV do terms[#terms + 1] = ARGV[at] end
local found, fields, seen = fields_of(KEYS[1], terms), {}, {}
for at = 1, #terms do
  found[at] = found[at] or ''
  for seq in string.gmatch(found[at], ';(%d+):') do
    local field = math.floor(seq / per_field)
    if not seen[field] then
      seen[field] = true
      fields[#fields + 1] = field
    end
  end
end
local reply = { tonumber(redis.call('HGET', KEYS[2], 'size') or 0), fields_of(KEYS[2], fields) }
for at = 1, #terms do reply[at + 2] = found[at] end
return reply
`;
