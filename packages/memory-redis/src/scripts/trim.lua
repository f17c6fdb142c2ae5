-- Where a conversation that keeps at most `max` messages begins. A tool result, which begins with a space, never stays
-- without the call before it: the cut moves past the results, unless nothing else is left; then the last group of call
-- and results stays whole.
local function trim_cut(messages, total, max)
  local cut = total - max
  local PORTION = 100
  local function is_message(item) return string.sub(item, 1, 1) ~= ' ' end
  local at = cut
  while at < total do
    for offset, item in ipairs(redis.call('LRANGE', messages, at, at + PORTION - 1)) do
      if is_message(item) then return at + offset - 1 end
    end
    at = at + PORTION
  end
  at = cut
  while at > 0 do
    local from = math.max(0, at - PORTION)
    local items = redis.call('LRANGE', messages, from, at - 1)
    for offset = #items, 1, -1 do
      if is_message(items[offset]) then return from + offset - 1 end
    end
    at = from
  end
  return cut
end
