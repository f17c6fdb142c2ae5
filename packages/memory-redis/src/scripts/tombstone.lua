-- Leaves a tombstone of a user.
--
-- KEYS  1 tombstone
-- ARGV  1 its id   2 in how many ms it expires

redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
