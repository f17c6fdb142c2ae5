import { lua } from "../../lua.ts";
import { records, slices } from "./fragments.ts";

/**
 * A Lua fragment. `edit` returns functions that read and change fields of one Redis hash. No change is written until
 * `write` is called.
 */
const edit = lua`
local function edit(key)
  local values, changed = {}, {}
  local edits = {}

  function edits.load(fields)
    local missing = {}
    for _, field in ipairs(fields) do
      if values[field] == nil then
        values[field] = false
        missing[#missing + 1] = field
      end
    end
    for at, value in ipairs(fields_of(key, missing)) do values[missing[at]] = value end
  end

  function edits.get(field)
    if values[field] == nil then values[field] = redis.call('HGET', key, field) end
    return values[field]
  end

  -- The value false deletes the field.
  function edits.set(field, value)
    values[field] = value
    changed[field] = true
  end

  function edits.write()
    local set, deleted = {}, {}
    for field in pairs(changed) do
      if values[field] then
        set[#set + 1] = field
        set[#set + 1] = values[field]
      else
        deleted[#deleted + 1] = field
      end
    end
    call_all('HSET', key, set)
    call_all('HDEL', key, deleted)
  end

  return edits
end
`;

/**
 * Writes a change of one user's facts, if the user's data still has the expected version.
 *
 * KEYS  1 head   2 lookups   3 postings   4 signatures   5 contexts (2 to 5 are hashes, described below)
 *       6 … the other keys of the user
 * ARGV  1 expected version   2 a unique name of this write   then five lists, each after its length:
 *         commands:   name of a Redis command, number of the key in KEYS, number of arguments, arguments
 *         lookups:    name under which a fact can be looked up, the fact's seq, '1' to add it or '0' to remove it
 *         postings:   term, seq, text with the term's weight or '' to remove it
 *         signatures: hash field, seq, text with the vector's signs or '' to remove it
 *         contexts:   hash field, seq, text with the data that ranking needs or '' to remove it
 *
 * Returns 1 if the write was made, by this call or by an earlier call with the same name. Returns 0 if the user's data
 * has another version: then nothing is written.
 */
// The field 'size' of the hash of contexts counts the facts that have a context.
export const commit = lua`
${slices}
${edit}
${records}

local head = redis.call('HMGET', KEYS[1], 'version', 'write')
if (head[1] or '0') ~= ARGV[1] then
  if head[2] ~= ARGV[2] then return 0 end
  -- WAIT counts from this connection's last write. So make one, which comes after the write that is confirmed here.
  redis.call('HSET', KEYS[1], 'write', ARGV[2])
  return 1
end

local at = 2
local function take()
  at = at + 1
  return ARGV[at]
end

local commands = {}
for _ = 1, tonumber(take()) do
  local name, key, count = take(), KEYS[tonumber(take())], tonumber(take())
  commands[#commands + 1] = { name, key, at + 1, at + count }
  at = at + count
end

local function changes_of(key, change)
  local edits = edit(key)
  local count = tonumber(take())
  local first = at + 1
  at = at + 3 * count
  local fields = {}
  for from = first, at, 3 do fields[#fields + 1] = change.field(ARGV[from]) end
  edits.load(fields)
  for from = first, at, 3 do change.apply(edits, ARGV[from], ARGV[from + 1], ARGV[from + 2]) end
  return edits
end

local lookups = changes_of(KEYS[2], {
  field = function(name) return name end,
  apply = function(edits, name, seq, added)
    local seqs = string.gsub(',' .. (edits.get(name) or '') .. ',', ',' .. seq .. ',', ',')
    seqs = string.sub(seqs, 2, -2)
    if added == '1' then seqs = seqs == '' and seq or seqs .. ',' .. seq end
    edits.set(name, seqs ~= '' and seqs)
  end,
})
local function records_of(kind)
  return {
    field = function(field) return field end,
    apply = function(edits, field, seq, record)
      local stored = edits.get(field) or ''
      local others = without(stored, kind, seq)
      local records = others .. record
      edits.set(field, records ~= '' and records)
      local gained = (record ~= '' and 1 or 0) - (others ~= stored and 1 or 0)
      if kind == CONTEXT and gained ~= 0 then
        local size = (edits.get('size') or 0) + gained
        edits.set('size', size > 0 and size)
      end
    end,
  }
end
local postings = changes_of(KEYS[3], records_of(POSTING))
local signatures = changes_of(KEYS[4], records_of(SIGNATURE))
local contexts = changes_of(KEYS[5], records_of(CONTEXT))

-- Redis undoes nothing. So check before the first write what can fail: a key that has another type.
for _, command in ipairs(commands) do
  local kind = command[1]
  if kind == 'RPUSH' then redis.call('LLEN', command[2])
  elseif string.sub(kind, 1, 1) == 'Z' then redis.call('ZCARD', command[2])
  else redis.call('HLEN', command[2]) end
end

lookups.write()
postings.write()
signatures.write()
contexts.write()
for _, command in ipairs(commands) do
  redis.call(command[1], command[2], unpack(ARGV, command[3], command[4]))
end
return 1
`;

/**
 * Deletes all data of a user except the head, and starts a new audit trail.
 *
 * KEYS  1 head   2 audit trail   3 facts   4 vectors   5 jobs   6 … the other keys of the user
 * ARGV  1 a unique name of this write   2 the head's new state   3 … entries of the new audit trail
 *
 * Returns { number of deleted facts, of vectors, of jobs, then id and ticket of each job … }. A second call with the
 * same name erases nothing and returns only the three numbers.
 */
export const erase = lua`
${slices}

local erased = redis.call('HMGET', KEYS[1], 'write', 'erased')
if erased[1] == ARGV[1] then
  redis.call('HSET', KEYS[1], 'write', ARGV[1])
  local reply = {}
  for count in string.gmatch(erased[2], '%d+') do reply[#reply + 1] = tonumber(count) end
  return reply
end

local reply = { redis.call('HLEN', KEYS[3]), redis.call('HLEN', KEYS[4]), redis.call('HLEN', KEYS[5]) }
local counts = table.concat(reply, ' ')
local jobs = redis.call('HGETALL', KEYS[5])
for at = 1, #jobs, 2 do
  reply[#reply + 1] = jobs[at]
  reply[#reply + 1] = string.match(jobs[at + 1], '^%S+')
end

redis.call('HINCRBY', KEYS[1], 'version', 1)
redis.call('HINCRBY', KEYS[1], 'epoch', 1)
redis.call('HSET', KEYS[1], 'state', ARGV[2], 'write', ARGV[1], 'erased', counts)
redis.call('UNLINK', unpack(KEYS, 2))
local entries = {}
for at = 3, #ARGV do entries[#entries + 1] = ARGV[at] end
call_all('RPUSH', KEYS[2], entries)
return reply
`;
