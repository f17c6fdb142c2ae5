-- Fields of one hash, read when they are needed and written together at the end.
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

  -- false deletes it.
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
