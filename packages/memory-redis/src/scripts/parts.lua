-- The keys of a conversation's parts: its messages, its idempotency keys, its traces.
local function parts(prefix, conversation)
  local tag = ':{' .. conversation .. '}'
  return prefix .. 'messages' .. tag, prefix .. 'keys' .. tag, prefix .. 'traces' .. tag
end
