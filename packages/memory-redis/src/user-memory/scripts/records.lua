-- Text of records, each of which begins with a mark of its kind and a seq; nowhere else does a record hold the mark.
local POSTING = { mark = ';', stop = ':' } -- ;<seq>:<weight>
local SIGNATURE = { mark = ';', stop = ':' } -- ;<seq>:<signature>
local CONTEXT = { mark = '[', stop = ',' } -- [<seq>,<context>],

-- Where the record of a seq begins and ends; nil if there is none.
local function find_record(records, kind, seq)
  local from, to = string.find(records, kind.mark .. seq .. kind.stop, 1, true)
  if not from then return nil end
  local rest = string.find(records, kind.mark, to, true)
  return from, rest and rest - 1 or #records
end

local function without(records, kind, seq)
  local from, to = find_record(records, kind, seq)
  if not from then return records end
  return string.sub(records, 1, from - 1) .. string.sub(records, to + 1)
end
