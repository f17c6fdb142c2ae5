-- The server's time, in microseconds.
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
-- As text with all digits, which Lua would round.
local function digits(number) return string.format('%.0f', number) end
