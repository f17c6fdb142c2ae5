import { lua } from "../../lua.ts";

/** A Lua fragment. Its functions run a Redis command with any number of arguments. */
// Lua's stack holds only a few thousand values, so long commands are split.
export const slices = lua`
local SLICE = 4000

local function call_all(command, key, list)
  for from = 1, #list, SLICE do
    redis.call(command, key, unpack(list, from, math.min(from + SLICE - 1, #list)))
  end
end

-- Returns the values of a hash's fields, in the order of the fields; false for a missing field.
local function fields_of(key, fields)
  local values = {}
  for from = 1, #fields, SLICE do
    local some = redis.call('HMGET', key, unpack(fields, from, math.min(from + SLICE - 1, #fields)))
    for at = 1, #some do values[from + at - 1] = some[at] end
  end
  return values
end
`;

/**
 * A Lua fragment. Its functions read and change texts that consist of one record for each of several facts. A record
 * contains the fact's number (`seq`).
 */
// Each record begins with the mark of its kind, which occurs nowhere else in the record.
export const records = lua`
local POSTING = { mark = ';', stop = ':' } -- ;<seq>:<weight>
local SIGNATURE = { mark = ';', stop = ':' } -- ;<seq>:<signature>
local CONTEXT = { mark = '[', stop = ',' } -- [<seq>,<context>],

-- Returns the text without the record of one fact.
local function without(records, kind, seq)
  local from, to = string.find(records, kind.mark .. seq .. kind.stop, 1, true)
  if not from then return records end
  local rest = string.find(records, kind.mark, to, true)
  return string.sub(records, 1, from - 1) .. (rest and string.sub(records, rest) or '')
end
`;
