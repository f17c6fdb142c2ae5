-- An entry is taken away if its conversation was gone after the time that the entry has. That of an import has the
-- time of its source, so beside the indexes of a slot stands when an entry with a time of the past was last made there:
-- what was gone before that says nothing.
local function mark_import(marker, at)
  local known = redis.call('GET', marker)
  if not known or tonumber(known) < at then redis.call('SET', marker, at, 'PX', 3600000) end
end
