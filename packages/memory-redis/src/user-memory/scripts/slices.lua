-- Commands with many arguments, in portions: Lua's stack holds some thousands of values only.
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
