-- Extends the ttl of an index to that of a conversation in it.
--
-- KEYS  1 index
-- ARGV  1 ttl in ms

--@include index-ttl.lua

extend_index(KEYS[1], tonumber(ARGV[1]))
return 1
