-- WAIT counts from this connection's last write, and a command that changes nothing is none: change the entry, and change
-- it back, so that replicas which have that have the entry, too.
local function confirm(index, id, score)
  redis.call('ZADD', index, score + 1, id)
  redis.call('ZADD', index, score, id)
end
