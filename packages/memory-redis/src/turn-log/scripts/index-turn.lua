-- Enters a turn that begins into the indexes of its user.
local function indexTurn(turns, open, name, now, keepMs)
  redis.call('ZREMRANGEBYSCORE', turns, '-inf', digits(now))
  redis.call('ZADD', turns, digits(now + 2000 * keepMs), name)
  extend(turns, digits(2 * keepMs))
  redis.call('ZADD', open, digits(now), name)
  extend(open, digits(2 * keepMs))
end
