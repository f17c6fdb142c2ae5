-- The digest that a stored message ends with, behind the bracket that ends its JSON text; nil for one that was written
-- before digests were kept, and where there is none.
local function digest_at(messages, at)
  local item = redis.call('LRANGE', messages, at, at)[1]
  if not item or string.sub(item, -1) == '}' then return nil end
  return string.sub(item, -40)
end
