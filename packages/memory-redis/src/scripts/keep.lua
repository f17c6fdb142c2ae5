-- Keeps an index for the ttl of a conversation in it.
--
-- KEYS  1 index
-- ARGV  1 ttl in ms

--@include keep-index.lua

keep_index(KEYS[1], tonumber(ARGV[1]))
return 1
