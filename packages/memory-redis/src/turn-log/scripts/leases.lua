-- A turn, and when its lease ends.
--
-- KEYS  1 hash of the turn
--
-- Returns the turn, its lease's end and the server's time, in microseconds.

--@include clock.lua
--@include heads.lua

return { head(KEYS[1]), redis.call('HGET', KEYS[1], 'lease'), digits(clock()) }
