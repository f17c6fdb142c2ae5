-- How long an entry may wait for its conversation.
local RESERVED_MS = 60000
