-- Enters a turn into the indexes of its user, where `begin.lua` can't.
--
-- KEYS  1 the user's turns, by when they have expired   2 the user's open turns, by their beginnings
-- ARGV  1 the turn's name   2 how long it is kept, in milliseconds
--
-- Returns 1.

--@include clock.lua
--@include heads.lua
--@include index-turn.lua

indexTurn(KEYS[1], KEYS[2], ARGV[1], clock(), ARGV[2])
return 1
