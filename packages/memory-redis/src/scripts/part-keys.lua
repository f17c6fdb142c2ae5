-- The keys of a conversation's parts: its messages, its idempotency keys, its traces, its messages' own ids.
local function part_keys(prefix, conversation)
  local tag = ':{' .. conversation .. '}'
  return prefix .. 'messages' .. tag, prefix .. 'keys' .. tag, prefix .. 'traces' .. tag, prefix .. 'ids' .. tag
end
