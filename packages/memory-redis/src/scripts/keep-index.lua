-- An index must outlive every conversation in it, also one that is only read: it is kept for twice their `ttl`, and
-- renewed when half a `ttl` has passed. One that holds a conversation without a ttl stays for good.
local function keep_index(index, ttl)
  if not ttl then
    redis.call('PERSIST', index)
    return
  end
  local left = redis.call('PTTL', index)
  if left >= 0 and left < 2 * ttl or left == -1 and redis.call('ZCARD', index) == 1 then
    redis.call('PEXPIRE', index, 2 * ttl)
  end
end
