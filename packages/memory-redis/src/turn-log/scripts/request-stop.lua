-- Asks the writer of a turn to stop.
--
-- KEYS  1 hash of the turn
--
-- Returns 1 if it runs, else 0.

if redis.call('HGET', KEYS[1], 'state') ~= 'running' then return 0 end
redis.call('HSET', KEYS[1], 'stop', 1)
return 1
