-- What is told of a turn. `key` is that of its hash.
local function head(key)
  return redis.call('HMGET', key, 'conversation', 'user', 'turn', 'state', 'started', 'count', 'stop', 'record')
end
-- Has a key live so many milliseconds more, at least.
local function extend(key, milliseconds)
  if redis.call('PTTL', key) < tonumber(milliseconds) then redis.call('PEXPIRE', key, milliseconds) end
end
