-- Enters a turn into the indexes of its user. One that goes on keeps its place among the open ones.
local function indexTurn(turns, open, name, now, keepMs, goesOn)
  redis.call('ZREMRANGEBYSCORE', turns, '-inf', digits(now))
  redis.call('ZADD', turns, digits(now + 2000 * keepMs), name)
  extend(turns, digits(2 * keepMs))
  if goesOn then redis.call('ZADD', open, 'NX', digits(now), name)
  else redis.call('ZADD', open, digits(now), name) end
  extend(open, digits(2 * keepMs))
end
