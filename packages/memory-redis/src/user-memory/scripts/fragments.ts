import { lua } from "../../lua.ts";

/** Splits commands with many arguments, since Lua's stack holds only a few thousand values. */
export const slices = lua`
local SLICE = 4000

local function call_all(command, key, list)
  for from = 1, #list, SLICE do
    redis.call(command, key, unpack(list, from, math.min(from + SLICE - 1, #list)))
  end
end

-- The values of a hash's fields, in their order; false where there is none.
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
 * Records concatenated to a text. Each begins with a mark of its kind and a seq, and contains the mark nowhere else.
 */
export const records = lua`
local POSTING = { mark = ';', stop = ':' } -- ;<seq>:<weight>
local SIGNATURE = { mark = ';', stop = ':' } -- ;<seq>:<signature>
local CONTEXT = { mark = '[', stop = ',' } -- [<seq>,<context>],

-- Without the record of a seq.
local function without(records, kind, seq)
  local from, to = string.find(records, kind.mark .. seq .. kind.stop, 1, true)
  if not from then return records end
  local rest = string.find(records, kind.mark, to, true)
  return string.sub(records, 1, from - 1) .. (rest and string.sub(records, rest) or '')
end
`;
