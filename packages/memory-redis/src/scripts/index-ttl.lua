-- An index must outlive every conversation in it, also one that is only read: it is kept for twice their `ttl`, and
-- renewed when half a `ttl` has passed. One that holds a conversation without a ttl stays for good, and so does one of
-- which that isn't known: only an index that was just made gets an end.
local function extend_index(index, ttl, just_made)
  if not ttl then
    redis.call('PERSIST', index)
    return
  end
  local left = redis.call('PTTL', index)
  if left >= 0 and left < 2 * ttl or just_made then redis.call('PEXPIRE', index, 2 * ttl) end
end

-- Enters a conversation in an index, and extends the ttl of the index to that of the conversation.
local function enter_index(index, id, score, ttl)
  local just_made = redis.call('EXISTS', index) == 0
  redis.call('ZADD', index, score, id)
  extend_index(index, ttl, just_made)
end
