import { lua } from "../../lua.ts";
import { slices } from "./fragments.ts";

/**
 * Returns the existing facts and their vectors, '' for a fact without one. Returns no vectors if the user has none, or
 * if `brief` is '1'.
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
 * Reads a user's head, the selected facts, and tombstones.
 *
 * KEYS  1 head   2 facts   3 vectors   4 lookups   5 tombstones
 * ARGV  1 '1': without vectors   2 number of tombstones   their digests   number of seqs   the seqs
 *       names of lookups …
 *
 * Returns { version, epoch, state, facts, vectors, tombstones }. The first three are '' if there is no head.
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
 * Reads a page of a user's facts, newest first.
 *
 * KEYS  1 facts   2 vectors   3 … the sets of the requested statuses
 * ARGV  1 upper limit of the seqs, exclusive, or '+inf'   2 maximum number   3 '1': without vectors
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
 * Reads a part of a user's audit trail, and its head.
 *
 * KEYS  1 head   2 audit
 * ARGV  1 first position, from 0   2 last position
 *
 * Returns { version, epoch, state, number of entries, entries }. The first three are '' if there is no head.
 */
export const audit = lua`
local head = redis.call('HMGET', KEYS[1], 'version', 'epoch', 'state')
local entries = redis.call('LRANGE', KEYS[2], ARGV[1], ARGV[2])
return { head[1] or '', head[2] or '', head[3] or '', redis.call('LLEN', KEYS[2]), entries }
`;

/**
 * Finds a user's indexed facts that contain any of the terms.
 *
 * KEYS  1 postings: for each term, records of its facts with their weights   2 contexts
 * ARGV  1 number of facts with their contexts in one field   2 … terms
 *
 * Returns { number of indexed facts, list of contexts, postings of the first term … }. The contexts may include other
 * facts.
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
